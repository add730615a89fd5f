// SPDX-License-Identifier: Apache-2.0
#include "tools/report/device_text.h"

#include "core/target_text.h"
#include "tools/cache/figures.h"

namespace triode::report_tool {

Result<Target> parse_device(const std::string& device) {
  // A fingerprint has two more texts before its four numbers.
  constexpr int kNumbers = 4;
  size_t numbers = std::string::npos;
  for (int i = 0; i < kNumbers && numbers != 0; ++i) {
    numbers = device.rfind('|', numbers == std::string::npos ? numbers : numbers - 1);
    if (numbers == std::string::npos) return parse_fingerprint(device);
  }
  return parse_fingerprint(device.substr(0, numbers) + "||" + device.substr(numbers));
}

std::string device_text(const std::string& device) {
  const Result<Target> target = parse_device(device);
  if (!target.ok()) return device;
  const bool is_gpu = target->isa.starts_with("sm_");
  std::string text = target->device + ": " + target->isa + ", " + std::to_string(target->cores) +
                     (is_gpu               ? " multiprocessors"
                      : target->cores == 1 ? " core"
                                           : " cores");
  const auto add_cache = [&](int64_t bytes, const char* level) {
    if (bytes > 0) text += ", " + cache_tool::bytes_text(bytes) + ' ' + level;
  };
  add_cache(target->l1_bytes, "L1");
  add_cache(target->l2_bytes, "L2");
  add_cache(target->l3_bytes, "L3");
  return text;
}

}  // namespace triode::report_tool
