// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/device_text.h"

#include <charconv>
#include <cstdint>
#include <vector>

namespace triode::exchange {
namespace {

// The fields between bars, with Target's escapes undone.
std::vector<std::string> split_fields(std::string_view text) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      fields.emplace_back();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      fields.back() += text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i];
    } else {
      fields.back() += text[i];
    }
  }
  return fields;
}

template <typename Number>
void read_number(const std::string& text, Number& number) {
  std::from_chars(text.data(), text.data() + text.size(), number);
}

}  // namespace

Target target_of(std::string_view device, const Validity& validity) {
  Target target;
  target.toolchain = validity.toolchain;
  target.driver = validity.driver;
  const std::vector<std::string> fields = split_fields(device);
  if (fields.size() != 6) {
    target.device = device;
    return target;
  }
  target.device = fields[0];
  target.isa = fields[1];
  read_number(fields[2], target.cores);
  read_number(fields[3], target.l1_bytes);
  read_number(fields[4], target.l2_bytes);
  read_number(fields[5], target.l3_bytes);
  return target;
}

}  // namespace triode::exchange
