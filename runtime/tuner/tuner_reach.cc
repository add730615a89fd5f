// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/tuner_reach.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <thread>

#include "runtime/host/detached_process.h"

namespace triode::tuner {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenTries(5);

}  // namespace

Result<FileDescriptor> reach_tuner(const MeetingPlace& place, const std::string& program,
                                   milliseconds patience,
                                   const std::function<bool()>& should_stop) {
  Result<FileDescriptor> reached = connect_to_tuner(place);
  if (reached.ok()) return reached;
  TRIODE_TRY(host::spawn_detached(program, {"triode-tuner", "serve", "--cache", place.cache},
                                  host::scrubbed_environment()));
  const auto end = steady_clock::now() + patience;
  while (!reached.ok() && steady_clock::now() < end && !(should_stop && should_stop())) {
    std::this_thread::sleep_for(kBetweenTries);
    reached = connect_to_tuner(place);
  }
  return reached;
}

Result<std::string> find_tuner_program() {
  Dl_info self{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&find_tuner_program), &self) == 0 ||
      self.dli_fname == nullptr) {
    return not_found("cannot find triode-tuner: this library's own file is unknown");
  }
  // A program's name here is what it was started by, which may be relative.
  fs::path own = fs::canonical(self.dli_fname, error);
  if (error) own = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = own.parent_path();
  std::string tried;
  for (const fs::path& candidate :
       {folder.parent_path() / "bin" / "triode-tuner", folder / "triode-tuner"}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  return not_found("cannot find triode-tuner; tried " + tried + "; build Triode or install it");
}

}  // namespace triode::tuner
