// SPDX-License-Identifier: Apache-2.0
#include "tests/cache/exchange/golden_file.h"

#include <gtest/gtest.h>

#include <utility>

namespace triode::exchange {

SourceFile golden_file(const std::string& name) {
  Result<SourceFile> file = SourceFile::read(std::string(TRIODE_GOLDEN_FOLDER) + "/" + name);
  if (file.ok()) return std::move(file).take();
  ADD_FAILURE() << file.status().message();
  return {name, ""};
}

}  // namespace triode::exchange
