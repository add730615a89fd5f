// SPDX-License-Identifier: Apache-2.0
#include "core/target.h"

#include <initializer_list>
#include <string_view>

namespace triode {
namespace {

// Names come from devices and drivers, which may put anything in them. Escaping the separator and
// line ends keeps different targets different and the fingerprint on one line.
void append_field(std::string_view field, std::string& out) {
  for (const char c : field) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '|':
        out += "\\|";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
  }
}

std::string join(std::initializer_list<const std::string*> texts,
                 std::initializer_list<int64_t> numbers) {
  std::string out;
  for (const std::string* text : texts) {
    if (text != *texts.begin()) out += '|';
    append_field(*text, out);
  }
  for (const int64_t number : numbers) out += '|' + std::to_string(number);
  return out;
}

}  // namespace

std::string Target::fingerprint() const {
  return join({&device, &isa, &toolchain, &driver}, {cores, l1_bytes, l2_bytes, l3_bytes});
}

std::string Target::device_identity() const {
  return join({&device, &isa}, {cores, l1_bytes, l2_bytes, l3_bytes});
}

}  // namespace triode
