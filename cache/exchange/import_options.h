// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"
#include "core/problem.h"

namespace triode::exchange {

// What a file may leave open and its user knows.
struct ImportOptions {
  std::string device;     // for files that do not name theirs; a file's own name wins
  std::string toolchain;  // set on every row where the file names none
  // For Kernel Tuner's files, whose problem size may mean anything. Without it, three numbers are
  // m, n and k, and the type is `dtype`.
  std::optional<Problem> problem;
  DType dtype = DType::kF32;  // where the file names no type
  // k of the products in a vLLM mixture-of-experts file, which names e and n alone; 0: not known.
  int64_t moe_k = 0;
  // The file was found in a folder, not named: what is of a format and no matmul's is left out.
  bool is_found = false;
};

}  // namespace triode::exchange
