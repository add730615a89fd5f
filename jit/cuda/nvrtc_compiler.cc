// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/nvrtc_compiler.h"

#include <dlfcn.h>
#include <nvrtc.h>

#include <array>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace triode::cuda {

namespace fs = std::filesystem;

// The entry points of a loaded NVRTC. Their meaning is the same in CUDA 12 and 13.
struct NvrtcCompiler::Library {
  decltype(&nvrtcVersion) version;
  decltype(&nvrtcGetErrorString) error_string;
  decltype(&nvrtcGetNumSupportedArchs) count_archs;
  decltype(&nvrtcGetSupportedArchs) list_archs;
  decltype(&nvrtcCreateProgram) create_program;
  decltype(&nvrtcDestroyProgram) destroy_program;
  decltype(&nvrtcCompileProgram) compile_program;
  decltype(&nvrtcGetProgramLogSize) log_size;
  decltype(&nvrtcGetProgramLog) log;
  decltype(&nvrtcGetPTXSize) ptx_size;
  decltype(&nvrtcGetPTX) ptx;
  decltype(&nvrtcGetCUBINSize) cubin_size;
  decltype(&nvrtcGetCUBIN) cubin;

  // The first symbol missing, or null.
  const char* bind(void* handle);
  std::vector<int> archs() const;
  // Success, or an error that names the step.
  Status check(nvrtcResult result, std::string_view step) const;
};

namespace {

constexpr std::array kFileNames = {"libnvrtc.so.13", "libnvrtc.so.12"};

std::vector<fs::path> candidates_in(const fs::path& folder) {
  std::vector<fs::path> candidates;
  const std::vector<fs::path> folders =
      folder.empty() ? std::vector<fs::path>{TRIODE_NVRTC_FOLDER, {}} : std::vector{folder};
  for (const fs::path& each : folders) {
    for (const char* name : kFileNames) candidates.push_back(each / name);
  }
  return candidates;
}

std::string last_dl_error() {
  const char* message = dlerror();
  return message == nullptr ? "unknown error" : message;
}

// NVRTC opens its other half by its bare name, which is found by NVRTC's own run path. Where
// another library stands in for dlopen, as a sanitizer's does, that path is lost; what is already
// loaded is found all the same. Nothing is lost if this fails: NVRTC looks by itself, and says so.
void open_builtins(const fs::path& folder, const std::string& version) {
  if (folder.empty()) return;
  const fs::path path = folder / ("libnvrtc-builtins.so." + version);
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

// The number in "sm_90a"; a letter behind it is left to NVRTC to judge.
std::string_view arch_number(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (!arch.starts_with(kPrefix)) return {};
  std::string_view number = arch.substr(kPrefix.size());
  if (number.ends_with('a') || number.ends_with('f')) number.remove_suffix(1);
  return number;
}

Status check_arch(const std::string& arch, const std::vector<int>& known) {
  std::string names;
  for (const int each : known) {
    if (arch_number(arch) == std::to_string(each)) return {};
    names += (names.empty() ? "sm_" : ", sm_") + std::to_string(each);
  }
  return invalid_argument("NVRTC cannot compile for \"" + arch + "\"; it knows " + names + ".");
}

// Reads one output of a program by its pair of entry points: NVRTC's way to hand out bytes.
template <typename SizeFunction, typename ReadFunction>
nvrtcResult read_bytes(SizeFunction size_of, ReadFunction read, nvrtcProgram program,
                       std::string& out) {
  size_t size_bytes = 0;
  if (const nvrtcResult result = size_of(program, &size_bytes); result != NVRTC_SUCCESS) {
    return result;
  }
  out.resize(size_bytes);
  return read(program, out.data());
}

std::string without_nul(std::string text) {
  if (text.ends_with('\0')) text.pop_back();
  return text;
}

}  // namespace

const char* NvrtcCompiler::Library::bind(void* handle) {
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, symbol));
    if (function == nullptr && missing == nullptr) missing = symbol;
  };
  find(version, "nvrtcVersion");
  find(error_string, "nvrtcGetErrorString");
  find(count_archs, "nvrtcGetNumSupportedArchs");
  find(list_archs, "nvrtcGetSupportedArchs");
  find(create_program, "nvrtcCreateProgram");
  find(destroy_program, "nvrtcDestroyProgram");
  find(compile_program, "nvrtcCompileProgram");
  find(log_size, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(ptx_size, "nvrtcGetPTXSize");
  find(ptx, "nvrtcGetPTX");
  find(cubin_size, "nvrtcGetCUBINSize");
  find(cubin, "nvrtcGetCUBIN");
  return missing;
}

std::vector<int> NvrtcCompiler::Library::archs() const {
  int count = 0;
  if (count_archs(&count) != NVRTC_SUCCESS) return {};
  std::vector<int> archs(static_cast<size_t>(count));
  if (list_archs(archs.data()) != NVRTC_SUCCESS) return {};
  return archs;
}

Status NvrtcCompiler::Library::check(nvrtcResult result, std::string_view step) const {
  if (result == NVRTC_SUCCESS) return {};
  const std::string message = "NVRTC could not " + std::string(step) + ": " + error_string(result);
  switch (result) {
    case NVRTC_ERROR_COMPILATION:
    case NVRTC_ERROR_INVALID_OPTION:
    case NVRTC_ERROR_INVALID_INPUT:
      return invalid_argument(message);
    case NVRTC_ERROR_OUT_OF_MEMORY:
      return resource_exhausted(message);
    default:
      return internal_error(message);
  }
}

NvrtcCompiler::NvrtcCompiler(std::shared_ptr<const Library> library)
    : library_(std::move(library)) {}

Result<NvrtcCompiler> NvrtcCompiler::load(const fs::path& folder) {
  std::string failures;
  for (const fs::path& candidate : candidates_in(folder)) {
    // RTLD_NODELETE: NVRTC keeps threads and state of its own, so it must never be unmapped.
    void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
      failures += "\n  " + last_dl_error();
      continue;
    }
    auto library = std::make_shared<Library>();
    const char* missing = library->bind(handle);
    if (missing == nullptr) {
      NvrtcCompiler compiler(std::move(library));
      open_builtins(candidate.parent_path(), compiler.version());
      return compiler;
    }
    failures += "\n  " + candidate.string() + ": has no " + missing;
  }
  return not_found(
      "NVRTC, NVIDIA's compiler for CUDA C++, could not be loaded. Run tools/setup without "
      "--no-torch, or name the folder that holds libnvrtc.so. Tried:" +
      failures);
}

std::string NvrtcCompiler::version() const {
  int major = 0;
  int minor = 0;
  library_->version(&major, &minor);  // fails for null pointers only
  return std::to_string(major) + '.' + std::to_string(minor);
}

Result<std::string> NvrtcCompiler::compile(const CudaSource& source, const std::string& arch,
                                           CodeKind kind,
                                           std::span<const std::string> options) const {
  TRIODE_TRY(check_arch(arch, library_->archs()));
  // PTX is for a virtual architecture: NVRTC makes a cubin as soon as it is given a real one.
  const std::string arch_option =
      "--gpu-architecture=" + (kind == CodeKind::kPtx ? "compute_" + arch.substr(3) : arch);
  std::vector<const char*> arguments = {arch_option.c_str()};
  for (const std::string& option : options) arguments.push_back(option.c_str());

  nvrtcProgram program = nullptr;
  TRIODE_TRY(library_->check(library_->create_program(&program, source.text.c_str(),
                                                      source.name.c_str(), 0, nullptr, nullptr),
                             "take " + source.name));
  const auto destroy = [this](nvrtcProgram* owned) { library_->destroy_program(owned); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);

  const Status compiled = library_->check(
      library_->compile_program(program, static_cast<int>(arguments.size()), arguments.data()),
      "compile " + source.name + " for " + arch);
  std::string bytes;
  if (!compiled.ok()) {
    // Without a log the message stands alone; that there was an error is what must not be lost.
    static_cast<void>(read_bytes(library_->log_size, library_->log, program, bytes));
    return Status(compiled.code(), compiled.message() + '\n' + without_nul(std::move(bytes)));
  }
  if (kind == CodeKind::kCubin) {
    TRIODE_TRY(library_->check(read_bytes(library_->cubin_size, library_->cubin, program, bytes),
                               "give the cubin of " + source.name));
    return bytes;
  }
  TRIODE_TRY(library_->check(read_bytes(library_->ptx_size, library_->ptx, program, bytes),
                             "give the PTX of " + source.name));
  return without_nul(std::move(bytes));
}

}  // namespace triode::cuda
