// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/peers.h"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "jit/x86/vector_isa.h"
#include "tools/bench/blas_call.h"

namespace triode::bench {

enum class CallForm : std::uint8_t {
  kCblas,  // cblas_?gemm with 32-bit sizes
  kDnnl,   // dnnl_sgemm: row-major, 'N' and 'T', 64-bit sizes
};

// How a library tells which processor's kernels it runs, and how it is told otherwise: by an
// environment variable that it reads once, when it starts.
struct CoreChoice {
  const char* variable;
  std::string (*core)(void* library);
  std::string (*value)(void* library, const std::string& core);  // of the variable
  std::vector<std::string_view> avx512_cores;  // the first is what it is told to use
  std::vector<std::string_view> avx2_cores;
};

// One peer, and all that is particular to it.
struct PeerRow {
  std::string_view name;
  std::array<const char*, 3> files;  // tried in turn; "{venv}" is replaced, '*' expanded
  const char* to_get_it;             // completes "not found; "
  CallForm form;
  const char* f32_gemm;
  const char* f64_gemm;
  const char* f32_batched;
  const char* f64_batched;
  std::function<void(int)> (*thread_setter)(void* library);
  std::string (*version)(void* library);
  Status (*prepare)(void* library, const std::string& path);
  const CoreChoice*
      core_choice;  // null: it goes by the processor's features and cannot be mistaken
  // How long its workers spin, where the environment says: the variable and a value for it.
  const char* spin_variable = nullptr;
  const char* spin_value = "";
};

namespace {

template <typename Function>
Function find(void* library, const char* symbol) {
  return symbol == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, symbol));
}

// A variable of the environment, for as long as this lives. What the user has set stays.
class TemporaryVariable {
 public:
  TemporaryVariable(const char* name, const std::string& value)
      : name_(name != nullptr && std::getenv(name) == nullptr ? name : nullptr) {
    if (name_ != nullptr) setenv(name_, value.c_str(), 1);
  }
  ~TemporaryVariable() {
    if (name_ != nullptr) unsetenv(name_);
  }
  TemporaryVariable(const TemporaryVariable&) = delete;
  TemporaryVariable& operator=(const TemporaryVariable&) = delete;

 private:
  const char* name_;
};

// For the reason given at prepare_mkl(), OpenBLAS's workers spin for 2 to this power of cycles, 1
// to 2 ms instead of 20 to 30; and those of GCC's OpenMP for so many pauses, a millisecond at most
// instead of 4 to 14.
constexpr const char* kOpenblasSpinVariable = "OPENBLAS_THREAD_TIMEOUT";
constexpr const char* kOpenblasSpin = "22";
constexpr const char* kOpenmpSpinVariable = "GOMP_SPINCOUNT";
constexpr const char* kOpenmpSpin = "20000";

Status prepare_nothing(void*, const std::string&) {
  return {};
}

template <typename Int>
std::function<void(int)> call_with_count(void* library, const char* symbol) {
  const auto function = find<void (*)(Int)>(library, symbol);
  if (function == nullptr) return nullptr;
  return [function](int threads) { function(threads); };
}

std::string text_from(void* library, const char* symbol) {
  const auto function = find<const char* (*)()>(library, symbol);
  return function == nullptr ? "unknown" : function();
}

std::string onednn_version(void* library) {
  struct Version {
    int major, minor, patch;
  };
  const auto function = find<const Version* (*)()>(library, "dnnl_version");
  if (function == nullptr) return "unknown";
  const Version* const version = function();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

std::string mkl_version(void* library) {
  const auto function = find<void (*)(char*, int)>(library, "mkl_get_version_string");
  if (function == nullptr) return "unknown";
  std::array<char, 200> text{};
  function(text.data(), static_cast<int>(text.size()) - 1);
  std::string version(text.data());
  return version.substr(0, version.find_last_not_of(' ') + 1);
}

// mkl_rt looks for its OpenMP runtime by name only, so the one that lies beside it is loaded first.
// How long its workers spin for the next call is cut from 200 ms, in which they would disturb the
// peer timed next, to 1 ms, which back-to-back calls never reach.
Status prepare_mkl(void* library, const std::string& path) {
  constexpr int kIntelThreading = 0;
  constexpr int kBlockTimeMs = 1;
  const std::string runtime_path = path.substr(0, path.rfind('/') + 1) + "libiomp5.so";
  void* const runtime = dlopen(runtime_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (runtime == nullptr) return not_found("MKL needs " + runtime_path + ": " + dlerror());
  const auto set_block_time = find<void (*)(int)>(runtime, "kmp_set_blocktime");
  const auto set_layer = find<int (*)(int)>(library, "MKL_Set_Threading_Layer");
  const auto set_dynamic = find<void (*)(int)>(library, "MKL_Set_Dynamic");
  if (set_block_time == nullptr || set_layer == nullptr || set_dynamic == nullptr) {
    return unsupported(path + " lacks the calls that choose its threads");
  }
  set_layer(kIntelThreading);
  set_dynamic(0);
  set_block_time(kBlockTimeMs);
  return {};
}

std::string same_text(void*, const std::string& core) {
  return core;
}

// 0.3.21 knows no Intel server after Ice Lake and takes them for a Prescott of 2004.
const CoreChoice kOpenblasCores = {
    "OPENBLAS_CORETYPE",
    [](void* library) { return text_from(library, "openblas_get_corename"); },
    same_text,
    {"SkylakeX", "Cooperlake", "SapphireRapids"},
    {"Haswell", "Zen", "Excavator"}};

const CoreChoice kNewOpenblasCores = {
    "OPENBLAS_CORETYPE",
    [](void* library) { return text_from(library, "scipy_openblas_get_corename"); },
    same_text,
    {"SkylakeX", "Cooperlake", "SapphireRapids"},
    {"Haswell", "Zen", "Excavator"}};

std::string blis_core_name(void* library, int id) {
  const auto name = find<const char* (*)(int)>(library, "bli_arch_string");
  return name == nullptr ? "" : name(id);
}

std::string blis_core(void* library) {
  const auto init = find<void (*)()>(library, "bli_init");
  const auto query = find<int (*)()>(library, "bli_arch_query_id");
  if (init == nullptr || query == nullptr) return {};
  init();
  return blis_core_name(library, query());
}

// BLIS takes the number of a core, which changes between releases.
std::string blis_core_number(void* library, const std::string& core) {
  constexpr int kMostCores = 8;  // those for AVX2 and AVX-512 come first in every release
  for (int id = 0; id < kMostCores; ++id) {
    if (blis_core_name(library, id) == core) return std::to_string(id);
  }
  return {};
}

// Its test for AVX-512 reads the processor's name, which a hypervisor may not pass on.
const CoreChoice kBlisCores = {"BLIS_ARCH_TYPE",
                               blis_core,
                               blis_core_number,
                               {"skx", "zen4", "knl"},
                               {"haswell", "zen", "zen2", "zen3"}};

// BLIS wants a 64-bit count; oneDNN runs on the OpenMP runtime it is linked with.
const PeerRow kPeers[] = {
    {"openblas",
     {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", "libopenblas.so.0", nullptr},
     "install libopenblas0-pthread",
     CallForm::kCblas,
     "cblas_sgemm",
     "cblas_dgemm",
     nullptr,
     nullptr,
     [](void* library) { return call_with_count<int>(library, "openblas_set_num_threads"); },
     [](void* library) { return text_from(library, "openblas_get_config"); },
     prepare_nothing,
     &kOpenblasCores,
     kOpenblasSpinVariable,
     kOpenblasSpin},
    {"openblas-new",
     {"{venv}/lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas.so", nullptr,
      nullptr},
     "run tools/setup, or give --venv an environment with the package scipy-openblas32",
     CallForm::kCblas,
     "scipy_cblas_sgemm",
     "scipy_cblas_dgemm",
     "cblas_sgemm_batch_strided",
     "cblas_dgemm_batch_strided",
     [](void* library) { return call_with_count<int>(library, "scipy_openblas_set_num_threads"); },
     [](void* library) { return text_from(library, "scipy_openblas_get_config"); },
     prepare_nothing,
     &kNewOpenblasCores,
     kOpenblasSpinVariable,
     kOpenblasSpin},
    {"blis",
     {"libblis.so.4", "libblis.so.5", "libblis.so"},
     "install libblis4-openmp or libblis4-pthread",
     CallForm::kCblas,
     "cblas_sgemm",
     "cblas_dgemm",
     nullptr,
     nullptr,
     [](void* library) {
       return call_with_count<std::int64_t>(library, "bli_thread_set_num_threads");
     },
     [](void* library) { return text_from(library, "bli_info_get_version_str"); },
     prepare_nothing,
     &kBlisCores,
     kOpenmpSpinVariable,
     kOpenmpSpin},
    {"onednn",
     {"libdnnl.so.2", "libdnnl.so.3", "libdnnl.so"},
     "install libdnnl2 or libdnnl3",
     CallForm::kDnnl,
     "dnnl_sgemm",
     nullptr,
     nullptr,
     nullptr,
     [](void* library) { return call_with_count<int>(library, "omp_set_num_threads"); },
     onednn_version,
     prepare_nothing,
     nullptr,
     kOpenmpSpinVariable,
     kOpenmpSpin},
    {"mkl",
     {"{venv}/lib/libmkl_rt.so.3", "{venv}/lib/libmkl_rt.so.2", nullptr},
     "run tools/setup, or give --venv an environment with the package mkl",
     CallForm::kCblas,
     "cblas_sgemm",
     "cblas_dgemm",
     "cblas_sgemm_batch_strided",
     "cblas_dgemm_batch_strided",
     [](void* library) { return call_with_count<int>(library, "MKL_Set_Num_Threads"); },
     mkl_version,
     prepare_mkl,
     nullptr},
};

// The file a pattern stands for: with '*' the first that exists. Empty if it names the environment
// and there is none.
std::string expand(std::string pattern, const std::string& venv) {
  constexpr std::string_view kVenv = "{venv}";
  if (pattern.starts_with(kVenv)) {
    if (venv.empty()) return {};
    pattern.replace(0, kVenv.size(), venv);
  }
  if (pattern.find('*') == std::string::npos) return pattern;
  glob_t found{};
  std::string path;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0) {
    path = found.gl_pathv[0];
  }
  globfree(&found);
  return path;
}

// The file a symbol comes from, for the report: a soname says little about a build.
std::string file_of(void* symbol, const std::string& fallback) {
  Dl_info where{};
  return dladdr(symbol, &where) != 0 && where.dli_fname != nullptr ? where.dli_fname : fallback;
}

struct OpenLibrary {
  void* handle = nullptr;
  std::string path;
};

Result<OpenLibrary> open_library(const PeerRow& row, const std::string& venv) {
  std::string last_error;
  for (const char* file : row.files) {
    const std::string path = file == nullptr ? "" : expand(file, venv);
    if (path.empty()) continue;
    if (void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return OpenLibrary{handle, path};
    }
    last_error = dlerror();
  }
  return not_found(std::string(row.name) + " not found; " + row.to_get_it +
                   (last_error.empty() ? "" : " (" + last_error + ")"));
}

bool is_one_of(const std::vector<std::string_view>& cores, const std::string& core) {
  return std::find(cores.begin(), cores.end(), core) != cores.end();
}

// The core the library should use: its own choice, or the widest if that has narrower vectors than
// this processor.
std::string fitting_core(const CoreChoice& choice, const std::string& detected) {
  const auto isas = x86::runnable_isas();
  const bool has_avx512 = std::find(isas.begin(), isas.end(), x86::IsaId::kAvx512) != isas.end();
  if (is_one_of(choice.avx512_cores, detected)) return detected;
  if (has_avx512) return std::string(choice.avx512_cores.front());
  return is_one_of(choice.avx2_cores, detected) ? detected : std::string(choice.avx2_cores.front());
}

struct UsedCore {
  std::string used;
  std::string mistaken;  // empty if the library chose well by itself
};

// Loads the library anew with a fitting core if its own choice is not. What cannot be changed
// stays, and shows in the report by its name.
UsedCore settle_core(const CoreChoice& choice, OpenLibrary& library) {
  const std::string detected = choice.core(library.handle);
  const std::string fitting = fitting_core(choice, detected);
  const std::string value = choice.value(library.handle, fitting);
  const bool user_chose = std::getenv(choice.variable) != nullptr;
  if (fitting == detected || user_chose || value.empty()) return {detected, ""};
  dlclose(library.handle);
  const TemporaryVariable variable(choice.variable, value);
  library.handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string used = library.handle == nullptr ? "" : choice.core(library.handle);
  return {used, used == detected ? "" : detected};
}

}  // namespace

bool Peer::supports(const Problem& problem) const {
  constexpr std::int64_t kMost = INT32_MAX;
  const std::array<std::int64_t, 10> sizes = {problem.m,
                                              problem.n,
                                              problem.k,
                                              problem.lda,
                                              problem.ldb,
                                              problem.ldc,
                                              problem.batch,
                                              problem.a_batch_stride,
                                              problem.b_batch_stride,
                                              problem.c_batch_stride};
  const bool fits =
      std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size <= kMost; });
  const bool one_type = problem.a_type == problem.c_type && problem.b_type == problem.c_type;
  if (!fits || !one_type || problem.epilogue != Epilogue::kNone) return false;
  if (problem.c_type == DType::kF64) return f64_gemm_ != nullptr;
  return problem.c_type == DType::kF32;
}

std::function<void()> Peer::bind(const Problem& problem, const Operands& operands) const {
  if (row_->form == CallForm::kDnnl) return bind_dnnl(f32_gemm_, problem, operands);
  const bool is_f64 = problem.c_type == DType::kF64;
  return bind_cblas(is_f64 ? f64_gemm_ : f32_gemm_, is_f64 ? f64_batched_ : f32_batched_, problem,
                    operands);
}

std::vector<std::string_view> peer_names() {
  std::vector<std::string_view> names;
  for (const PeerRow& row : kPeers) names.push_back(row.name);
  return names;
}

Result<std::unique_ptr<Peer>> load_peer(std::string_view name, const std::string& venv) {
  const auto* const row = std::find_if(std::begin(kPeers), std::end(kPeers),
                                       [&](const PeerRow& peer) { return peer.name == name; });
  if (row == std::end(kPeers)) return invalid_argument("no peer is called " + std::string(name));
  const TemporaryVariable spin(row->spin_variable, row->spin_value);
  OpenLibrary library = TRIODE_TRY(open_library(*row, venv));
  const UsedCore core =
      row->core_choice == nullptr ? UsedCore{} : settle_core(*row->core_choice, library);
  if (library.handle == nullptr) return unavailable(library.path + " cannot be loaded again");
  TRIODE_TRY(row->prepare(library.handle, library.path));
  std::unique_ptr<Peer> peer(new Peer);
  peer->name_ = row->name;
  peer->core_ = core.used;
  peer->mistaken_core_ = core.mistaken;
  peer->row_ = row;
  peer->f32_gemm_ = find<void*>(library.handle, row->f32_gemm);
  peer->f64_gemm_ = find<void*>(library.handle, row->f64_gemm);
  peer->f32_batched_ = find<void*>(library.handle, row->f32_batched);
  peer->f64_batched_ = find<void*>(library.handle, row->f64_batched);
  peer->set_threads_ = row->thread_setter(library.handle);
  if (peer->f32_gemm_ == nullptr || !peer->set_threads_) {
    return unsupported(library.path + " lacks " + row->f32_gemm + " or its thread setting");
  }
  peer->path_ = file_of(peer->f32_gemm_, library.path);
  peer->version_ = row->version(library.handle);
  return peer;
}

}  // namespace triode::bench
