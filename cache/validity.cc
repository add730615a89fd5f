// SPDX-License-Identifier: Apache-2.0
#include "cache/validity.h"

namespace triode {
namespace {

void compare(const char* noun, const std::string& stored, const std::string& wanted,
             std::string& why) {
  if (stored == wanted) return;
  const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
  if (!why.empty()) why += "; ";
  why += std::string(noun) + ' ' + shown(stored) + ", now " + shown(wanted);
}

}  // namespace

Validity validity_of(const Target& target) {
  return {.toolchain = target.toolchain, .driver = target.driver, .generator = {}, .source = {}};
}

std::string device_of(const Target& target) {
  return target.device_identity();
}

std::string device_name(const std::string& device) {
  std::string name;
  for (size_t i = 0; i < device.size() && device[i] != '|'; ++i) {
    if (device[i] == '\\' && i + 1 < device.size()) ++i;
    name += device[i];
  }
  return name;
}

std::string why_prior(const Validity& stored, const Validity& wanted) {
  std::string why;
  compare("toolchain", stored.toolchain, wanted.toolchain, why);
  compare("driver", stored.driver, wanted.driver, why);
  compare("generator", stored.generator, wanted.generator, why);
  compare("source", stored.source, wanted.source, why);
  return why;
}

}  // namespace triode
