// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "core/status.h"
#include "jit/x86/executable_code.h"
#include "jit/x86/kernel_spec.h"

namespace triode::x86 {

// What makes the code, for Target: "asmjit 1.9 emitter 1". Changes whenever the same spec may give
// other instructions.
std::string toolchain();

// Compiled code of one KernelSpec.
class Kernel {
 public:
  // Emits and maps the code, without asking any cache. kUnsupported if an offset does not fit the
  // instructions (leading dimensions of gigabytes with a tall tile).
  static Result<std::unique_ptr<Kernel>> compile(const KernelSpec& spec);

  KernelFunction function() const { return std::bit_cast<KernelFunction>(code_.bytes().data()); }
  std::span<const uint8_t> code() const { return code_.bytes(); }

 private:
  explicit Kernel(ExecutableCode code) : code_(std::move(code)) {}
  ExecutableCode code_;
};

}  // namespace triode::x86
