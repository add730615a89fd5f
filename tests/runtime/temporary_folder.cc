// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/temporary_folder.h"

#include <stdlib.h>

#include <fstream>
#include <string>
#include <system_error>

namespace triode {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "triode-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left behind harms no other test
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::filesystem::path& relative, std::string_view text) const {
  std::filesystem::create_directories((path_ / relative).parent_path());
  std::ofstream(path_ / relative) << text;
}

}  // namespace triode
