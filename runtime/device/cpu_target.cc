// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu_target.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>

#include "jit/x86/kernel.h"

namespace triode {
namespace {

namespace fs = std::filesystem;

// "2048K", "48K", "260M" in bytes; 0 if it is none of these.
int64_t parse_size(const std::string& text) {
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits == 0 || digits > 12) return 0;
  const int64_t number = std::stoll(text.substr(0, digits));
  if (digits == text.size()) return number;
  if (text[digits] == 'K') return number << 10;
  if (text[digits] == 'M') return number << 20;
  return 0;
}

std::string read_word(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// Where the lowest-numbered core that is online has its caches; empty if none lists any. A core
// that is offline keeps its folder and loses the caches in it.
fs::path first_cache_folder(const fs::path& root) {
  std::error_code unreadable;  // like a folder that is not there
  for (int cpu = 0;; ++cpu) {
    const fs::path core = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu));
    if (fs::exists(core / "cache/index0", unreadable)) return core / "cache";
    if (!fs::exists(core, unreadable)) return {};
  }
}

void read_sysfs_cache(const fs::path& folder, CacheSizes& sizes) {
  const std::string level = read_word(folder / "level");
  const std::string type = read_word(folder / "type");
  const int64_t size_bytes = parse_size(read_word(folder / "size"));
  if (type == "Instruction") return;
  if (level == "1") sizes.l1_bytes = size_bytes;
  if (level == "2") sizes.l2_bytes = size_bytes;
  if (level == "3") sizes.l3_bytes = size_bytes;
}

int64_t or_sysconf(int64_t size_bytes, int name) {
  return size_bytes > 0 ? size_bytes : std::max<int64_t>(0, sysconf(name));
}

// The text after "key : " in the first block of /proc/cpuinfo, by key.
std::map<std::string, std::string> first_cpuinfo_block(const fs::path& root) {
  std::map<std::string, std::string> values;
  std::ifstream file(root / "proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t key_end = line.find_last_not_of(" \t", colon - 1);
    const size_t value_begin = line.find_first_not_of(" \t", colon + 1);
    if (key_end == std::string::npos || value_begin == std::string::npos) continue;
    values[line.substr(0, key_end + 1)] = line.substr(value_begin);
  }
  return values;
}

std::string widest_isa(std::span<const x86::IsaId> isas) {
  const auto widest = std::max_element(isas.begin(), isas.end(), [](x86::IsaId a, x86::IsaId b) {
    return x86::describe(a).vector_bytes < x86::describe(b).vector_bytes;
  });
  return widest == isas.end() ? "none" : std::string(x86::describe(*widest).name);
}

}  // namespace

CacheSizes read_cache_sizes(const fs::path& root) {
  CacheSizes sizes;
  const fs::path folder = first_cache_folder(root);
  // Four levels or fewer, level 1 twice; a folder that is not there reads as a cache of no level.
  for (int index = 0; index < 5; ++index) {
    read_sysfs_cache(folder / ("index" + std::to_string(index)), sizes);
  }
  sizes.l1_bytes = or_sysconf(sizes.l1_bytes, _SC_LEVEL1_DCACHE_SIZE);
  sizes.l2_bytes = or_sysconf(sizes.l2_bytes, _SC_LEVEL2_CACHE_SIZE);
  sizes.l3_bytes = or_sysconf(sizes.l3_bytes, _SC_LEVEL3_CACHE_SIZE);
  return sizes;
}

std::string read_processor_name(const fs::path& root) {
  auto values = first_cpuinfo_block(root);
  std::string name = values["model name"];
  if (name.empty()) return "unknown x86-64";
  // '|' joins the fields of a target's fingerprint.
  std::replace(name.begin(), name.end(), '|', '/');
  return name + " (" + values["cpu family"] + "-" + values["model"] + "-" + values["stepping"] +
         ")";
}

Target detect_cpu_target(std::span<const x86::IsaId> isas, int32_t cores, const fs::path& root) {
  const CacheSizes caches = read_cache_sizes(root);
  Target target;
  target.device = read_processor_name(root);
  target.isa = widest_isa(isas);
  target.toolchain = x86::toolchain();
  target.cores = cores;
  target.l1_bytes = caches.l1_bytes;
  target.l2_bytes = caches.l2_bytes;
  target.l3_bytes = caches.l3_bytes;
  return target;
}

}  // namespace triode
