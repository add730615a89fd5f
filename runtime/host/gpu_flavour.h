// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "core/problem.h"

namespace triode::host {

// What a call on a GPU multiplies and how: its types and its epilogue, in one byte of the call's
// key (where calls of a BLAS have their layout). 0 is none, so that a call without one is not
// understood.
struct GpuFlavour {
  DType operands = DType::kF32;  // of a and b; kTF32: f32 whose products may be rounded
  DType c = DType::kF32;
  Epilogue epilogue = Epilogue::kNone;

  bool operator==(const GpuFlavour&) const = default;

  // What the products are added up in, at least.
  DType accumulator() const { return operands == DType::kF64 ? DType::kF64 : DType::kF32; }
};

namespace gpu_flavours {

struct Types {
  DType operands;
  DType c;
};
inline constexpr std::array kTypes = {
    Types{DType::kF32, DType::kF32}, Types{DType::kTF32, DType::kF32},
    Types{DType::kF64, DType::kF64}, Types{DType::kF16, DType::kF16},
    Types{DType::kF16, DType::kF32}, Types{DType::kBF16, DType::kBF16},
    Types{DType::kBF16, DType::kF32}};
inline constexpr int kEpilogueShift = 4;
inline constexpr auto kMostEpilogue = static_cast<uint8_t>(Epilogue::kBiasSilu);

}  // namespace gpu_flavours

// 0 for types that no call of ours has.
constexpr uint8_t encode(const GpuFlavour& flavour) {
  for (size_t i = 0; i < gpu_flavours::kTypes.size(); ++i) {
    if (gpu_flavours::kTypes[i].operands == flavour.operands &&
        gpu_flavours::kTypes[i].c == flavour.c) {
      return static_cast<uint8_t>((i + 1) | static_cast<size_t>(flavour.epilogue)
                                                << gpu_flavours::kEpilogueShift);
    }
  }
  return 0;
}

// Empty for a byte that encode() does not make: keys travel between processes.
constexpr std::optional<GpuFlavour> decode_gpu_flavour(int32_t byte) {
  const int32_t types = (byte & 15) - 1;
  const int32_t epilogue = byte >> gpu_flavours::kEpilogueShift;
  if (types < 0 || types >= static_cast<int32_t>(gpu_flavours::kTypes.size()) || epilogue < 0 ||
      epilogue > gpu_flavours::kMostEpilogue) {
    return std::nullopt;
  }
  const auto& found = gpu_flavours::kTypes[static_cast<size_t>(types)];
  return GpuFlavour{found.operands, found.c, static_cast<Epilogue>(epilogue)};
}

}  // namespace triode::host
