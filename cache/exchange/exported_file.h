// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace triode::exchange {

// One file that an export has to write.
struct ExportedFile {
  std::string name;  // without folders; what the other tool would call it, where it cares
  std::string bytes;
};

}  // namespace triode::exchange
