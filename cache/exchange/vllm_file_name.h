// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/status.h"

namespace triode::exchange {

// What the name of a tuned file of vLLM's or SGLang's says.
struct VllmFileName {
  int64_t experts = 0;  // 0: not a mixture of experts
  int64_t n = 0;
  int64_t k = 0;  // 0: not said
  std::string device;
  std::string types;  // "fp8_w8a8"; empty: the model's own, 16 bits
};

// `base_name` has no folders. kInvalidArgument says what the name should be like.
Result<VllmFileName> parse_vllm_file_name(std::string_view base_name);

// "3.1.0" of ".../triton_3_1_0/E=8,....json": SGLang keeps the files of each release of Triton in a
// folder. Empty if the folder says no such thing.
std::string triton_of_folder(std::string_view name);

// Types of activations, weights and result; empty if Triode does not have them (int4).
struct VllmTypes {
  DType a;
  DType b;
  DType c;
};
std::optional<VllmTypes> vllm_types(std::string_view types);

}  // namespace triode::exchange
