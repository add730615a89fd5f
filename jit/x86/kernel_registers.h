// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asmjit/x86.h>

// Who lives in which general register of a kernel. All are the caller's to lose, so that a kernel
// saves and restores nothing: at 8x8x8 a push and a pop would show.
namespace triode::x86::registers {

inline const asmjit::x86::Gp kA = asmjit::x86::rdi;
inline const asmjit::x86::Gp kB = asmjit::x86::rsi;
inline const asmjit::x86::Gp kC = asmjit::x86::rdx;
inline const asmjit::x86::Gp kWorkspace = asmjit::x86::rcx;
inline const asmjit::x86::Gp kScalars = asmjit::x86::r8;
inline const asmjit::x86::Gp kScratch = asmjit::x86::r9;
inline const asmjit::x86::Gp kSteps = asmjit::x86::rax;    // turns left of the loop over k
inline const asmjit::x86::Gp kRows = asmjit::x86::r10;     // row tiles left
inline const asmjit::x86::Gp kColumns = asmjit::x86::r11;  // panels or column tiles left

}  // namespace triode::x86::registers
