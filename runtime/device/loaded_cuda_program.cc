// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/loaded_cuda_program.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace triode {
namespace {

// What a function may have without being asked for more.
constexpr uint32_t kPlainSharedBytes = 48 << 10;

// Whether the driver refused the code as such, and other code may do.
bool is_of_code(CUresult result) {
  return result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_INVALID_SOURCE;
}

void write_value(char* to, CallValue value, const CudaCall& call) noexcept {
  const auto write = [to](const auto& bytes) { std::memcpy(to, &bytes, sizeof bytes); };
  switch (value) {
    case CallValue::kA:
      return write(call.a);
    case CallValue::kB:
      return write(call.b);
    case CallValue::kC:
      return write(call.c);
    case CallValue::kBias:
      return write(call.bias);
    case CallValue::kAlphaF32:
      return write(static_cast<float>(call.alpha));
    case CallValue::kBetaF32:
      return write(static_cast<float>(call.beta));
    case CallValue::kAlphaF64:
      return write(call.alpha);
    case CallValue::kBetaF64:
      return write(call.beta);
  }
}

}  // namespace

Result<std::unique_ptr<const LoadedCudaProgram>> LoadedCudaProgram::load(
    std::shared_ptr<const CudaDriver> driver, CudaProgram program) {
  const RelaxedCapture relaxed(*driver);
  std::unique_ptr<LoadedCudaProgram> loaded(
      new LoadedCudaProgram(std::move(driver), std::move(program)));
  for (const CudaLaunch& launch : loaded->program_.launches) {
    if (const Status added = loaded->add(launch); !added.ok()) {
      loaded->unload();
      return added;
    }
  }
  return std::unique_ptr<const LoadedCudaProgram>(std::move(loaded));
}

Result<CUmodule> LoadedCudaProgram::load_module(const CudaLaunch& launch) {
  std::array<char, 2048> log{};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  for (const std::string* const image : {&launch.cubin, &launch.ptx}) {
    if (image->empty() || !is_of_code(result)) continue;
    CUmodule module = nullptr;
    result = driver_->cuModuleLoadDataEx(&module, image->c_str(), options.size(), options.data(),
                                         values.data());
    if (result == CUDA_SUCCESS) return module;
  }
  const Status why = driver_->check(result, "loading a kernel");
  return is_of_code(result) ? unsupported(why.message() + ": " + log.data()) : why;
}

Status LoadedCudaProgram::add(const CudaLaunch& launch) {
  modules_.push_back(TRIODE_TRY(load_module(launch)));
  CUfunction function = nullptr;
  TRIODE_TRY(
      driver_->check(driver_->cuModuleGetFunction(&function, modules_.back(), launch.entry.c_str()),
                     "finding a kernel"));
  functions_.push_back(function);
  if (launch.shared_bytes <= kPlainSharedBytes) return {};
  const CUresult raised =
      driver_->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  static_cast<int>(launch.shared_bytes));
  if (raised != CUDA_ERROR_INVALID_VALUE) {
    return driver_->check(raised, "raising a kernel's shared memory");
  }
  return unsupported("the kernel wants " + std::to_string(launch.shared_bytes) +
                     " bytes of shared memory, more than a block of this GPU may have");
}

CUresult LoadedCudaProgram::launch(const CudaCall& call, CUstream stream) const noexcept {
  std::array<char, kMostParameterBytes> bytes;
  std::array<void*, kMostParameters> parameters;
  for (size_t i = 0; i < functions_.size(); ++i) {
    const CudaLaunch& each = program_.launches[i];
    std::memcpy(bytes.data(), each.parameters.data(), each.parameters.size());
    for (const CudaLaunch::Patch& patch : each.patches) {
      write_value(bytes.data() + patch.offset, patch.value, call);
    }
    for (size_t j = 0; j < each.offsets.size(); ++j) {
      parameters[j] = bytes.data() + each.offsets[j];
    }
    const CUresult result =
        driver_->cuLaunchKernel(functions_[i], each.grid_x, each.grid_y, each.grid_z, each.threads,
                                1, 1, each.shared_bytes, stream, parameters.data(), nullptr);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

void LoadedCudaProgram::unload() const {
  const RelaxedCapture relaxed(*driver_);
  // What cannot be unloaded stays: the context may be lost.
  for (CUmodule const module : modules_) static_cast<void>(driver_->cuModuleUnload(module));
}

}  // namespace triode
