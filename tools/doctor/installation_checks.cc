// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/installation_checks.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cache/maintenance.h"
#include "runtime/model/shipped_models.h"
#include "runtime/tuner/meeting_place.h"
#include "tools/cache/figures.h"
#include "tools/cache/open_cache.h"
#include "triode_version.h"

namespace triode::doctor_tool {
namespace {

namespace fs = std::filesystem;

// Versions whose hooks are known; docs/guide/torch-compile.md.
constexpr std::string_view kKnownTorch = "2.15.";
constexpr std::string_view kKnownTriton = "3.9.";

// Below it a cache in use soon stops taking in timings.
constexpr uintmax_t kLittleRoom = uintmax_t{256} << 20;

Finding check_file(const std::string& subject, const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return {subject, Health::kGood, path.string(), ""};
  return {subject, Health::kBad, path.string() + " is not there",
          "run tools/setup, or install Triode as a whole"};
}

// Whether files can be made there, by making one.
bool is_writable(const fs::path& folder) {
  std::string name = (folder / "doctor-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) return false;
  ::close(file);
  ::unlink(name.c_str());
  return true;
}

fs::path nearest_existing(fs::path path) {
  std::error_code error;
  while (!fs::exists(path, error) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path;
}

Finding check_room(const std::string& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(nearest_existing(folder), error);
  const std::string text = cache_tool::bytes_text(static_cast<int64_t>(space.available)) + " free";
  if (error || space.available >= kLittleRoom) return {"disk", Health::kGood, text, ""};
  return {"disk", Health::kRemark, text + " where the cache is",
          "make room, or name another folder with TRIODE_CACHE"};
}

Finding check_contents(const std::string& folder) {
  const auto cache = cache_tool::open_to_read(folder);
  if (cache.ok()) {
    const auto devices = (*cache)->measurements().devices();
    if (devices.ok()) {
      return {"cache", Health::kGood,
              folder + "; devices with timings: " + std::to_string(devices->size()), ""};
    }
    return {"cache", Health::kBad, devices.status().message(), "triode cache verify --repair"};
  }
  if (cache.status().code() == StatusCode::kNotFound) {
    return {"cache", Health::kGood, folder + ": not there yet; the first tuner makes it", ""};
  }
  const bool is_damaged = cache.status().code() == StatusCode::kCorrupt;
  return {"cache", Health::kBad, cache.status().message(),
          is_damaged ? "triode cache verify --repair" : "name another folder with TRIODE_CACHE"};
}

// The first line that a command prints; empty if it fails.
std::string first_line_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::array<char, 256> line{};
  if (pipe == nullptr || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "";
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Asks for the version without importing: torch takes seconds to load.
std::string package_version(const std::string& python, const std::string& package) {
  return first_line_of(shell_quoted(python) +
                       " -c 'import importlib.metadata as m; print(m.version(\"" + package +
                       "\"))' 2>/dev/null");
}

Finding check_package(const std::string& python, const std::string& package, std::string_view known,
                      const std::string& use) {
  const std::string version = package_version(python, package);
  if (version.empty()) {
    return {package, Health::kRemark, "not there; " + use + " needs it",
            "tools/setup, or pip install"};
  }
  if (version.starts_with(known)) return {package, Health::kGood, version, ""};
  return {package, Health::kRemark,
          version + "; known to work is " + std::string(known) + "x: " + use +
              " asks before it trusts another and stays out if it looks different",
          "pip install " + package + "==" + std::string(known) + "0"};
}

}  // namespace

Findings check_installation(const std::string& program_folder) {
  const fs::path prefix = fs::path(program_folder).parent_path();
  return {
      check_file("host library", prefix / "lib" / "libtriode.so"),
      check_file("tuner program", fs::path(program_folder) / "triode-tuner"),
      check_file("model", shipped_path(shipped_models_folder(), shipped_name(DeviceKind::kCpu)))};
}

Findings check_cache(const std::string& folder) {
  Findings findings = {check_contents(folder)};
  const fs::path writable = nearest_existing(folder);
  if (!is_writable(writable)) {
    findings.push_back({"cache folder", Health::kBad,
                        writable.string() + " cannot be written to: nothing that is timed is kept",
                        "mend its permissions, or name another folder with TRIODE_CACHE"});
  }
  findings.push_back(check_room(folder));
  return findings;
}

Findings check_tuner(const std::string& cache_folder, std::chrono::milliseconds patience) {
  const auto place = tuner::find_meeting_place(cache_folder);
  if (!place.ok()) {
    return {{"tuner", Health::kBad, place.status().message(),
             "set XDG_RUNTIME_DIR to a folder of your own"}};
  }
  auto socket = tuner::connect_to_tuner(*place);
  if (!socket.ok()) {
    return {{"tuner", Health::kGood, "none runs; one starts with the first call worth tuning", ""}};
  }
  const std::string process = std::to_string(tuner::process_behind((*socket).number()));
  const auto answer = tuner::ask_tuner(std::move(socket).take(), false, patience);
  if (!answer.ok()) {
    return {{"tuner", Health::kBad,
             "process " + process + " listens at " + place->socket + " and gives no answer",
             "kill -9 " + process +
                 ": nothing that was timed is lost, and the next program starts another"}};
  }
  if (answer->version != kVersion) {
    return {{"tuner", Health::kBad,
             "tuner " + std::to_string(answer->process) + " is of version " + answer->version,
             "triode tuner stop; the next one is of this version"}};
  }
  return {{"tuner", Health::kGood,
           "process " + std::to_string(answer->process) +
               "; plans: " + std::to_string(answer->plans) +
               ", programs: " + std::to_string(answer->clients.size()),
           ""}};
}

Findings check_python(const std::string& python) {
  if (python.empty()) {
    return {{"python", Health::kRemark, "no python3; only what PyTorch users need is missing", ""}};
  }
  return {{"python", Health::kGood, python, ""},
          check_package(python, "torch", kKnownTorch, "torch.compile"),
          check_package(python, "triton", kKnownTriton, "compiling for gpus")};
}

}  // namespace triode::doctor_tool
