// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_library.h"

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/tuner/meeting_place.h"
#include "tools/tuner/tuner_options.h"
#include "tools/tuner/tuner_service.h"

struct triode_own_tuner {
  std::unique_ptr<triode::tuner::TunerService> service;
  std::thread serving;
  std::atomic<bool> has_ended{false};

  ~triode_own_tuner() {
    if (service) service->end();
    if (serving.joinable()) serving.join();
  }

  // Whatever ends it, the program goes on, and does without.
  void serve() noexcept {
    triode::tuner::yield_to_programs();
    try {
      (void)service->serve(-1);
    } catch (const std::exception&) {
      service->end();
    }
    has_ended = true;
  }
};

namespace triode::tuner {
namespace {

void explain(const std::string& text, char* why, size_t why_size) {
  static_cast<void>(std::snprintf(why, why_size, "%s", text.c_str()));  // cut if need be
}

// Null if another has the cache.
Result<std::unique_ptr<triode_own_tuner>> start(const char* cache, const char* program) {
  // What the variables say of tuners holds for this one, too.
  const TunerOptions options = TRIODE_TRY(parse_tuner_options({"serve", "--cache", cache}));
  MeetingPlace place = TRIODE_TRY(find_meeting_place(options.cache));
  std::optional<FileLock> lock = TRIODE_TRY(claim_cache(place));
  if (!lock) return std::unique_ptr<triode_own_tuner>();
  auto tuner = std::make_unique<triode_own_tuner>();
  tuner->service =
      TRIODE_TRY(TunerService::open(std::move(place), std::move(*lock), {options, program, true}));
  tuner->serving = std::thread(&triode_own_tuner::serve, tuner.get());
  return tuner;
}

}  // namespace
}  // namespace triode::tuner

#define TRIODE_EXPORTED extern "C" __attribute__((visibility("default")))

TRIODE_EXPORTED int triode_tuner_library_version(void) {
  return TRIODE_TUNER_LIBRARY_VERSION;
}

TRIODE_EXPORTED triode_own_tuner* triode_own_tuner_start(const char* cache, const char* program,
                                                         char* why, size_t why_size) {
  using namespace triode::tuner;
  explain("", why, why_size);
  try {
    auto started = start(cache, program);
    if (started.ok()) return std::move(started).take().release();
    explain(started.status().message(), why, why_size);
  } catch (const std::exception& error) {
    explain(std::string("the tuner could not start: ") + error.what(), why, why_size);
  }
  return nullptr;
}

TRIODE_EXPORTED int triode_own_tuner_has_ended(const triode_own_tuner* tuner) {
  return tuner->has_ended ? 1 : 0;
}

TRIODE_EXPORTED void triode_own_tuner_stop(triode_own_tuner* tuner) {
  delete tuner;
}
