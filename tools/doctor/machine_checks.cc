// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/machine_checks.h"

#include <dlfcn.h>

#include <array>
#include <fstream>
#include <memory>

#include "runtime/device/cpu_device.h"
#include "runtime/host/blas_symbols.h"
#include "tools/cache/figures.h"

namespace triode::doctor_tool {
namespace {

// Below it trials of large matmuls fail for want of memory: a worker holds operands of up to some
// hundred MB several times, between guard pages.
constexpr int64_t kLittleMemory = int64_t{1} << 30;

// Above it, per core, most trials are disturbed and thrown away.
constexpr double kBusy = 0.5;

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

// Names of the intercepted symbols that a library has.
std::string symbols_of(const Library& library) {
  std::string names;
  int count = 0;
  for (int i = 0; i < host::kSymbolCount; ++i) {
    const std::string name(host::traits_of(static_cast<host::Symbol>(i)).name);
    if (::dlsym(library.get(), name.c_str()) == nullptr) continue;
    ++count;
    if (name.find("gemm") == std::string::npos || name.find("batch") != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + name;
  }
  return count == 0 ? "" : names + " and " + std::to_string(count) + " symbols in all";
}

}  // namespace

Findings check_cpu() {
  const auto device = CpuDevice::create();
  if (!device.ok()) {
    return {{"cpu", Health::kBad, device.status().message(),
             "Triode's kernels need AVX2; programs under `triode run` keep their own library"}};
  }
  const Target& target = (*device)->target();
  Findings findings = {{"cpu", Health::kGood, target.device + ", " + target.isa, ""}};
  const std::string cores = std::to_string(target.cores) + (target.cores == 1 ? " core" : " cores");
  if (target.cores > 1) {
    findings.push_back({"cores", Health::kGood, cores + " may be used", ""});
  } else {
    findings.push_back({"cores", Health::kRemark, cores + ": tuning shares it with the program",
                        "let the process use a second one (taskset, cgroup)"});
  }
  return findings;
}

Findings check_quiet(const std::filesystem::path& root, int32_t cores) {
  Findings findings;
  const std::string governor =
      first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) {
    findings.push_back({"clock", Health::kRemark,
                        "the governor is not visible, as in virtual machines; timings are taken in "
                        "turns with the vendor's, so that clocks count for both",
                        ""});
  } else if (governor == "performance") {
    findings.push_back({"clock", Health::kGood, "governor performance", ""});
  } else {
    findings.push_back({"clock", Health::kRemark, "governor " + governor + ": timings scatter more",
                        "as root: cpupower frequency-set -g performance"});
  }
  double load = 0;
  std::ifstream(root / "proc/loadavg") >> load;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", load);
  if (load > kBusy * cores) {
    findings.push_back({"load", Health::kRemark,
                        std::string("load ") + text.data() + " on " + std::to_string(cores) +
                            " cores: disturbed trials are thrown away, tuning takes longer",
                        "nothing, or tune when less is running"});
  } else {
    findings.push_back({"load", Health::kGood, std::string("load ") + text.data(), ""});
  }
  return findings;
}

Findings check_memory(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  int64_t available = -1;
  for (std::string name, line; file >> name; std::getline(file, line)) {
    if (name != "MemAvailable:" || !(file >> available)) continue;
    available *= 1024;
    break;
  }
  if (available < 0) return {{"memory", Health::kRemark, "how much is free is not visible", ""}};
  const std::string text = cache_tool::bytes_text(available) + " free";
  if (available >= kLittleMemory) return {{"memory", Health::kGood, text, ""}};
  return {{"memory", Health::kRemark, text + ": trials of large matmuls may find none",
           "tune when less is running"}};
}

std::span<const std::string> usual_blas_names() {
  static const std::array<std::string, 9> names = {
      "libblas.so.3",        "libcblas.so.3",  "libopenblas.so.0",
      "libopenblas64_.so.0", "libmkl_rt.so.2", "libmkl_rt.so.3",
      "libblis.so.4",        "libblis64.so.4", "libatlas.so.3"};
  return names;
}

Findings check_blas(std::span<const std::string> names) {
  Findings findings;
  for (const std::string& name : names) {
    const Library library(::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL));
    if (library == nullptr) continue;
    const std::string symbols = symbols_of(library);
    if (symbols.empty()) {
      findings.push_back({"blas", Health::kRemark, name + ": no matmul that is intercepted", ""});
    } else {
      findings.push_back({"blas", Health::kGood, name + ": " + symbols, ""});
    }
  }
  if (findings.empty()) {
    findings.push_back(
        {"blas", Health::kRemark,
         "no BLAS library on this system; programs that bring their own (numpy's and "
         "torch's wheels do) are intercepted all the same",
         "apt-get install libopenblas0"});
  }
  return findings;
}

Findings check_gpu_driver(const std::string& library) {
  const Library driver(::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL));
  if (driver == nullptr) {
    return {{"gpu", Health::kRemark, "no driver for NVIDIA gpus here; nothing of Triode needs one",
             ""}};
  }
  using Initialise = int (*)(unsigned);
  using Count = int (*)(int*);
  const auto initialise = reinterpret_cast<Initialise>(::dlsym(driver.get(), "cuInit"));
  const auto count = reinterpret_cast<Count>(::dlsym(driver.get(), "cuDeviceGetCount"));
  int devices = 0;
  if (initialise == nullptr || count == nullptr || initialise(0) != 0 || count(&devices) != 0 ||
      devices == 0) {
    return {{"gpu", Health::kRemark, "a driver is installed and has no device that answers",
             "nvidia-smi says more"}};
  }
  return {{"gpu", Health::kGood, std::to_string(devices) + " devices", ""}};
}

}  // namespace triode::doctor_tool
