// SPDX-License-Identifier: Apache-2.0
#include "core/target.h"

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

}  // namespace

std::string Target::fingerprint() const {
  std::string out;
  for (const std::string* field : {&device, &isa, &toolchain, &driver}) {
    append_field(*field, out);
    out += '|';
  }
  out += std::to_string(cores);
  for (const int64_t bytes : {l1_bytes, l2_bytes, l3_bytes}) out += '|' + std::to_string(bytes);
  return out;
}

}  // namespace triode
