// SPDX-License-Identifier: Apache-2.0
#include "jit/x86/vector_isa.h"

#include <array>
#include <string>
#include <vector>

namespace triode::x86 {
namespace {

constexpr std::array<VectorIsa, 3> kDescriptions = {{
    {"avx2", 32, 16, false},
    {"avx512", 64, 32, true},
    {"avx512-ymm", 32, 32, true},
}};

constexpr std::array<IsaId, 3> kAllIsas = {IsaId::kAvx2, IsaId::kAvx512, IsaId::kAvx512Ymm};

std::vector<IsaId> detect() {
  std::vector<IsaId> found;
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!avx2) return found;
  found.push_back(IsaId::kAvx2);
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512) {
    found.push_back(IsaId::kAvx512);
    found.push_back(IsaId::kAvx512Ymm);
  }
  return found;
}

}  // namespace

const VectorIsa& describe(IsaId isa) {
  return kDescriptions[static_cast<size_t>(isa)];
}

std::span<const IsaId> all_isas() {
  return kAllIsas;
}

std::span<const IsaId> runnable_isas() {
  static const std::vector<IsaId> found = detect();
  return found;
}

Result<IsaId> parse_isa(std::string_view text) {
  std::string known;
  for (const IsaId isa : kAllIsas) {
    if (describe(isa).name == text) return isa;
    known += (known.empty() ? "" : ", ") + std::string(describe(isa).name);
  }
  return invalid_argument("unknown instruction set \"" + std::string(text) + "\"; known: " + known);
}

}  // namespace triode::x86
