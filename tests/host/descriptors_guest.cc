// SPDX-License-Identifier: Apache-2.0
// Closes what other programs leave open, then multiplies until its calls are answered.
//   descriptors_guest all       every descriptor
//   descriptors_guest stderr    the standard error stream alone
#include <unistd.h>

#include <string>

#include "tests/host/until_answered.h"

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "all") {
    for (int file = 0; file < 1024; ++file) close(file);
  } else {
    close(STDERR_FILENO);
  }
  guest::SquareMatmul matmul(64);
  const bool is_answered = guest::run_until_answered(matmul);
  return is_answered && matmul.is_right() ? 0 : 1;
}
