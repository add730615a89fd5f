// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/host_copy.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/problem.h"
#include "core/settings.h"
#include "tools/bench/blas_call.h"

namespace triode::bench {
namespace {

// Has the process these settings of Triode alone, for as long as this lives.
class SettingsInForce {
 public:
  explicit SettingsInForce(const std::vector<run::Variable>& settings) {
    for (const SettingRow& row : setting_rows()) {
      const std::string name(row.variable);
      const char* const value = std::getenv(name.c_str());
      if (value != nullptr) before_.push_back({name, value});
      unsetenv(name.c_str());
    }
    set(settings);
  }
  SettingsInForce(const SettingsInForce&) = delete;
  SettingsInForce& operator=(const SettingsInForce&) = delete;
  ~SettingsInForce() {
    for (const SettingRow& row : setting_rows()) unsetenv(std::string(row.variable).c_str());
    set(before_);
  }

 private:
  static void set(const std::vector<run::Variable>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }

  std::vector<run::Variable> before_;
};

void make_first_call(void* cblas_sgemm) {
  const float a = 1;
  const float b = 1;
  float c = 0;
  bind_cblas(cblas_sgemm, nullptr, Problem::mm(DType::kF32, 1, 1, 1),
             {.a = &a, .b = &b, .c = &c})();
}

}  // namespace

Result<HostCopy> HostCopy::open(const std::string& file) {
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return not_found(std::string("cannot load Triode: ") + dlerror());
  void* const gemm = dlsym(handle, "cblas_sgemm");
  if (gemm == nullptr) return unsupported(file + " has no cblas_sgemm; is it a libtriode.so?");
  make_first_call(gemm);
  return HostCopy(gemm);
}

Result<HostCopy> HostCopy::make(const std::string& library, const std::string& copy,
                                const std::vector<run::Variable>& settings) {
  std::error_code error;
  std::filesystem::copy_file(library, copy, error);
  if (error) return not_found("cannot copy " + library + " to " + copy + ": " + error.message());
  const SettingsInForce in_force(settings);
  return open(copy);
}

}  // namespace triode::bench
