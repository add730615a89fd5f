// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "core/status.h"

namespace triode::cuda {

enum class CodeKind : uint8_t {
  kPtx,    // text that a driver compiles for its device
  kCubin,  // ELF with machine code for one architecture
};

// What to compile.
struct CudaSource {
  std::string text;  // CUDA C++; kernels that are to be found by name are extern "C"
  std::string name;  // stands for a file name in the compiler's messages
};

// NVIDIA's compiler for CUDA C++ (NVRTC), loaded at run time; needs neither a device nor a driver.
// Copies share the library, which stays loaded for the life of the process. Thread-safe; a compile
// takes from tens of milliseconds to seconds.
class NvrtcCompiler {
 public:
  // Looks into `folder` and nowhere else; with none named, into the folder of the environment that
  // Triode was built with, then where the system keeps libraries.
  // kNotFound, with every place tried, if there is no NVRTC of CUDA 13 or 12.
  static Result<NvrtcCompiler> load(const std::filesystem::path& folder = {});

  // "13.2"; part of the key of whatever it compiles.
  std::string version() const;

  // The bytes of the PTX (no NUL at its end) or cubin. `arch` is "sm_80"; `options` are the
  // compiler's own, as "--use_fast_math".
  // kInvalidArgument for an arch it does not know, with those it does, and for a source or options
  // it refuses, with its log.
  Result<std::string> compile(const CudaSource& source, const std::string& arch, CodeKind kind,
                              std::span<const std::string> options = {}) const;

 private:
  struct Library;
  explicit NvrtcCompiler(std::shared_ptr<const Library> library);

  std::shared_ptr<const Library> library_;  // never null
};

}  // namespace triode::cuda
