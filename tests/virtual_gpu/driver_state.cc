// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/driver_state.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace triode::vgpu {
namespace {

std::mutex& driver_mutex() {
  static std::mutex mutex;
  return mutex;
}

DriverState& driver_state() {
  static DriverState state;
  return state;
}

// The faults that the environment asks for now. Counts start anew when the text changes.
InjectedFaults& current_faults() {
  static std::string text;
  static InjectedFaults faults;
  const char* variable = std::getenv("TRIODE_VGPU_FAULTS");
  const std::string_view now = variable == nullptr ? "" : variable;
  if (now == text) return faults;
  text = now;
  Result<InjectedFaults> parsed = InjectedFaults::parse(text);
  if (!parsed.ok()) {
    // A test that asked for a fault in words that say nothing would test nothing.
    std::fprintf(stderr, "virtual GPU: %s\n", parsed.status().to_string().c_str());
    std::abort();
  }
  faults = *parsed;
  return faults;
}

}  // namespace

CUfunc_st* DriverState::find(CUfunction function) {
  for (const auto& [handle, module] : modules) {
    for (auto& [name, each] : module->functions) {
      if (&each == function) return &each;
    }
  }
  return nullptr;
}

DriverCall::DriverCall(const char* entry) : lock_(driver_mutex()), state_(driver_state()) {
  const uint32_t injected = current_faults().next(entry);
  if (injected == InjectedFaults::kHang) {
    lock_.unlock();  // only the caller hangs
    for (;;) pause();
  }
  refusal_ = static_cast<CUresult>(injected);
  if (refusal_ != CUDA_SUCCESS || without_version(entry) == "cuInit") return;
  refusal_ = state_.is_initialised ? state_.lost : CUDA_ERROR_NOT_INITIALIZED;
}

}  // namespace triode::vgpu
