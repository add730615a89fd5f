// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/kernel.h"

#include <asmjit/x86.h>

#include <string>

#include "jit/x86/dot_kernel_emitter.h"
#include "jit/x86/outer_kernel_emitter.h"
#include "jit/x86/paired_rows_emitter.h"
#include "jit/x86/register_tile.h"
#include "jit/x86/simd_emitter.h"

namespace triode::x86 {
namespace {

// Raised with every change to what a config runs, be it the instructions of a kernel or how blocks
// are moved for it, so that old timings become priors.
constexpr int kEmitterVersion = 6;

Status asmjit_status(asmjit::Error error) {
  if (error == asmjit::kErrorOk) return {};
  return internal_error(std::string("asmjit: ") + asmjit::DebugUtils::errorAsString(error));
}

// Emits into `code`. asmjit reports the first failing instruction through the code holder's error.
Status emit(const KernelSpec& spec, asmjit::CodeHolder& code) {
  asmjit::x86::Assembler assembler(&code);
  SimdEmitter simd(assembler, describe(spec.isa), spec.dtype);
  const bool is_outer = spec.family == Family::kOuter;
  if (is_outer && pairs_rows(describe(spec.isa), spec.dtype, spec.nr)) {
    PairedRowsEmitter(simd, spec).emit();
  } else if (is_outer) {
    OuterKernelEmitter(simd, spec).emit();
  } else {
    DotKernelEmitter(simd, spec).emit();
  }
  if (!simd.offsets_fit()) {
    return unsupported(
        "an offset of this kernel is past 2 GiB; a smaller tile or packing is needed");
  }
  assembler.vzeroupper();
  assembler.ret();
  simd.embed_constants();
  return {};
}

// Remembers the first error of the assembler, which otherwise only the failing call returns.
class FirstError final : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char*, asmjit::BaseEmitter*) override {
    if (first == asmjit::kErrorOk) first = error;
  }
  asmjit::Error first = asmjit::kErrorOk;
};

}  // namespace

std::string toolchain() {
  return "asmjit " + std::to_string(ASMJIT_LIBRARY_VERSION >> 16) + "." +
         std::to_string((ASMJIT_LIBRARY_VERSION >> 8) & 0xFF) + " emitter " +
         std::to_string(kEmitterVersion);
}

Result<std::unique_ptr<Kernel>> Kernel::compile(const KernelSpec& spec) {
  asmjit::CodeHolder code;
  FirstError errors;
  TRIODE_TRY(asmjit_status(code.init(asmjit::Environment::host())));
  code.setErrorHandler(&errors);
  TRIODE_TRY(emit(spec, code));
  TRIODE_TRY(asmjit_status(errors.first));
  TRIODE_TRY(asmjit_status(code.flatten()));
  TRIODE_TRY(asmjit_status(code.resolveUnresolvedLinks()));
  ExecutableCode memory = TRIODE_TRY(ExecutableCode::allocate(code.codeSize()));
  const std::span<uint8_t> bytes = memory.writable();
  TRIODE_TRY(asmjit_status(code.relocateToBase(reinterpret_cast<uintptr_t>(bytes.data()))));
  TRIODE_TRY(asmjit_status(code.copyFlattenedData(bytes.data(), bytes.size())));
  TRIODE_TRY(memory.seal());
  return std::unique_ptr<Kernel>(new Kernel(std::move(memory)));
}

}  // namespace triode::x86
