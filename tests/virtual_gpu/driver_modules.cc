// SPDX-License-Identifier: Apache-2.0
// Entry points of the stand-in driver: modules and their functions. PTX alone: it runs no cubins.
#include <cstdio>
#include <cstring>

#include "tests/virtual_gpu/driver_state.h"
#include "tests/virtual_gpu/ptx_parser.h"

using triode::Result;
using triode::vgpu::answer;
using triode::vgpu::answer_in_context;
using triode::vgpu::DriverState;
using triode::vgpu::Kernel;
using triode::vgpu::VirtualDevice;

namespace {

// Where the caller wants to read why its code was refused.
struct ErrorLog {
  char* text = nullptr;
  size_t size_bytes = 0;

  ErrorLog(unsigned count, const CUjit_option* options, void* const* values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) text = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
        size_bytes = reinterpret_cast<size_t>(values[i]);
      }
    }
  }
  void write(const std::string& message) const {
    if (text != nullptr && size_bytes > 0) {
      std::snprintf(text, size_bytes, "%s", message.c_str());
    }
  }
};

Result<CUmod_st> build_module(const char* text, VirtualDevice& device) {
  const auto parsed = TRIODE_TRY(triode::vgpu::parse_ptx(text));
  CUmod_st module;
  for (const auto& entry : parsed.entries) {
    module.functions.emplace(entry.name, CUfunc_st{TRIODE_TRY(Kernel::prepare(parsed, entry.name)),
                                                   triode::vgpu::kSharedPerBlock, &device});
  }
  return module;
}

CUresult load(DriverState& state, VirtualDevice& device, CUmodule* module, const char* image,
              const ErrorLog& log) {
  if (const CUresult refused = state.refuse_while_capturing(); refused != CUDA_SUCCESS) {
    return refused;
  }
  if (std::strncmp(image, "\177ELF", 4) == 0) {
    log.write("the virtual GPU runs PTX, and this is a cubin");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  Result<CUmod_st> built = build_module(image, device);
  if (!built.ok()) {
    log.write(built.status().message());
    return CUDA_ERROR_INVALID_PTX;
  }
  auto owned = std::make_unique<CUmod_st>(std::move(built).take());
  *module = owned.get();
  state.modules[owned.get()] = std::move(owned);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    return load(state, device, module, static_cast<const char*>(image),
                ErrorLog(count, options, values));
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return answer_in_context(__func__, [&](DriverState& state, VirtualDevice& device) {
    return load(state, device, module, static_cast<const char*>(image),
                ErrorLog(0, nullptr, nullptr));
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return answer(__func__, [&](DriverState& state) {
    if (const CUresult refused = state.refuse_while_capturing(); refused != CUDA_SUCCESS) {
      return refused;
    }
    return state.modules.erase(module) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return answer(__func__, [&](DriverState& state) {
    if (state.modules.count(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
    const auto found = module->functions.find(name);
    if (found == module->functions.end()) return CUDA_ERROR_NOT_FOUND;
    *function = &found->second;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return answer(__func__, [&](DriverState& state) {
    if (state.find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
    const uint32_t most =
        triode::vgpu::kSharedPerBlockOptin - function->kernel.static_shared_bytes();
    if (value < 0 || static_cast<uint32_t>(value) > most) return CUDA_ERROR_INVALID_VALUE;
    function->most_dynamic_shared = static_cast<uint32_t>(value);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return answer(__func__, [&](DriverState& state) {
    if (state.find(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *value = 0;
    if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) {
      *value = static_cast<int>(function->kernel.static_shared_bytes());
    }
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = 1024;
    return CUDA_SUCCESS;
  });
}

// It has one kind of shared memory.
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return answer(__func__, [&](DriverState& state) {
    return state.find(function) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}

#pragma GCC visibility pop
}
