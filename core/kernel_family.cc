// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_family.h"

#include "core/enum_names.h"

namespace triode {
namespace {

constexpr EnumNames<KernelFamily, 4> kNames{"a kernel family",
                                            {"x86", "triton", "inductor", "nvrtc"}};

}  // namespace

std::string_view to_string(KernelFamily family) {
  return kNames.name_of(family);
}

Result<KernelFamily> parse_kernel_family(std::string_view text) {
  return kNames.parse(text);
}

}  // namespace triode
