// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace triode {

// What a call brings that a program cannot know beforehand.
enum class CallValue : uint8_t { kA, kB, kC, kBias, kAlphaF32, kBetaF32, kAlphaF64, kBetaF64 };

// Bytes that CallValue takes in a kernel's parameters.
uint32_t size_bytes(CallValue value);

// One kernel of a program, and how it is started.
struct CudaLaunch {
  // Where a value of the call goes, in `parameters`.
  struct Patch {
    CallValue value = CallValue::kA;
    uint32_t offset = 0;
    bool operator==(const Patch&) const = default;
    template <typename Codec>
    void fields(Codec& codec) {
      codec(value, offset);
    }
  };

  std::string ptx;    // for any device from its architecture on; loaded where the cubin is not
  std::string cubin;  // for one architecture; may be empty
  std::string entry;  // the kernel's name in them
  uint32_t grid_x = 1, grid_y = 1, grid_z = 1;
  uint32_t threads = 0;           // of a block
  uint32_t shared_bytes = 0;      // dynamic
  std::string parameters;         // the bytes of all, as the kernel expects them
  std::vector<uint32_t> offsets;  // where each parameter begins in them
  std::vector<Patch> patches;

  bool operator==(const CudaLaunch&) const = default;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(ptx, cubin, entry, grid_x, grid_y, grid_z, threads, shared_bytes, parameters, offsets,
          patches);
  }
};

// Code for a GPU that answers calls of one exact problem, with everything that it takes to start
// it: whoever has it needs neither the compiler nor the config. Travels from the tuner to hosts and
// trial workers. A plain value.
struct CudaProgram {
  std::string toolchain;             // what compiled it: "triton 3.9.0"
  std::vector<CudaLaunch> launches;  // one after another, on one stream

  bool operator==(const CudaProgram&) const = default;
  template <typename Codec>
  void fields(Codec& codec) {
    codec(toolchain, launches);
  }
};

// Most parameters and bytes of them that a launch may have: what fits a caller's stack without
// being noticed.
inline constexpr size_t kMostParameters = 32;
inline constexpr size_t kMostParameterBytes = 512;
inline constexpr size_t kMostLaunches = 4;

std::string to_bytes(const CudaProgram& program);

// kCorrupt for bytes that make no sense: a host runs what it reads here.
Result<CudaProgram> parse_cuda_program(std::string_view bytes);

// Names the code in a plan: equal bytes, equal digest.
uint64_t digest_of(std::string_view program_bytes);

}  // namespace triode
