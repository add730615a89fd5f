// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_kernel.h"

#include <algorithm>

#include "core/enum_names.h"
#include "core/key.h"

namespace triode::cuda {
namespace {

constexpr EnumNames<TritonRole, kTritonRoles> kRoles = {"a parameter of our Triton kernels",
                                                        {"a",
                                                         "b",
                                                         "c",
                                                         "bias",
                                                         "a_scale",
                                                         "b_scale",
                                                         "workspace",
                                                         "batch",
                                                         "m",
                                                         "n",
                                                         "k",
                                                         "lda",
                                                         "ldb",
                                                         "ldc",
                                                         "a_stride",
                                                         "b_stride",
                                                         "c_stride",
                                                         "alpha",
                                                         "beta",
                                                         "global_scratch",
                                                         "profile_scratch"}};

}  // namespace

std::string_view to_string(TritonRole role) {
  return kRoles.name_of(role);
}

Result<TritonRole> parse_triton_role(std::string_view text) {
  return kRoles.parse(text);
}

uint32_t TritonFunction::parameter_bytes() const {
  uint32_t end = 0;
  for (const TritonParameter& each : parameters) end = std::max(end, each.offset + each.bytes);
  return end;
}

uint64_t triton_digest(const TritonKernel& kernel) {
  return hash_bytes(serialise(kernel));
}

}  // namespace triode::cuda
