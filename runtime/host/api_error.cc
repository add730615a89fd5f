// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/api_error.h"

#include <pthread.h>

#include <memory>

namespace triode::host {
namespace {

triode_status code_of(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return TRIODE_OK;
    case StatusCode::kInvalidArgument:
      return TRIODE_INVALID_ARGUMENT;
    case StatusCode::kNotFound:
      return TRIODE_NOT_FOUND;
    case StatusCode::kUnsupported:
      return TRIODE_UNSUPPORTED;
    case StatusCode::kResourceExhausted:
      return TRIODE_RESOURCE_EXHAUSTED;
    case StatusCode::kCorrupt:
      return TRIODE_CORRUPT;
    case StatusCode::kUnavailable:
      return TRIODE_UNAVAILABLE;
    case StatusCode::kInternal:
      break;
  }
  return TRIODE_INTERNAL;
}

void delete_text(void* text) {
  delete static_cast<std::string*>(text);
}

// Not thread_local: all of a library's thread-local memory has to fit the small reserve that the
// loader keeps for libraries loaded late, and a text with its destructor would take most of it.
pthread_key_t text_key() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, delete_text);
    return made;
  }();
  return key;
}

std::string& text_of_thread() {
  if (void* const there = pthread_getspecific(text_key())) return *static_cast<std::string*>(there);
  auto made = std::make_unique<std::string>();
  if (pthread_setspecific(text_key(), made.get()) != 0) throw std::bad_alloc();
  return *made.release();
}

}  // namespace

triode_status fail(const char* function, triode_status code, const std::string& text) noexcept {
  try {
    text_of_thread() = std::string(function) + ": " + text;
  } catch (const std::bad_alloc&) {
    // The code must do: there is no memory for a text.
  }
  return code;
}

triode_status fail(const char* function, const Status& error) noexcept {
  return fail(function, code_of(error.code()), error.message());
}

const char* last_error() noexcept {
  const void* const text = pthread_getspecific(text_key());
  return text == nullptr ? "" : static_cast<const std::string*>(text)->c_str();
}

}  // namespace triode::host
