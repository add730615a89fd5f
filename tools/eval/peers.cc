// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/peers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "peers_help.h"

namespace triode::eval_tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using train::TimedProblem;

constexpr std::array<std::string_view, 5> kParameters = {"block_m", "block_n", "block_k",
                                                         "num_stages", "num_warps"};

// Removed with all it holds at the end.
class Folder {
 public:
  static Result<Folder> make() {
    std::string path = (fs::temp_directory_path() / "triode-peers-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      return unavailable("no temporary folder " + path + ": " + std::strerror(errno));
    }
    return Folder(path);
  }
  ~Folder() {
    std::error_code ignored;  // what is left is in the folder for temporary files
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Folder(Folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Folder& operator=(Folder&&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  Status write(const char* name, std::string_view bytes) const {
    std::ofstream out(file(name), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) return unavailable("cannot write " + file(name));
    return {};
  }

 private:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

json configs_of(const TimedProblem& timed) {
  std::array<size_t, kParameters.size()> places{};
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = timed.space->position_of(kParameters[i]).value_or(0);  // the features need them too
  }
  json out = json::array();
  for (const Config& config : timed.configs) {
    json row = json::array();
    for (const size_t place : places) row.push_back(config[place]);
    out.push_back(std::move(row));
  }
  return out;
}

json to_json(const TimedProblem& timed, size_t first) {
  const Problem& p = timed.problem;
  json seconds = json::array();
  for (const double s : timed.seconds) seconds.push_back(std::isnan(s) ? json() : json(s));
  return {{"op", to_string(p.op)},
          {"device", timed.device->name},
          {"dtype", to_string(p.a_type)},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"lda", p.lda},
          {"ldb", p.ldb},
          {"ta", p.a_transposed},
          {"tb", p.b_transposed},
          {"first", first},
          {"configs", configs_of(timed)},
          {"seconds", std::move(seconds)}};
}

json to_json(const PeerTask& task) {
  json out = {{"features", task.matrix.features()},
              {"seed", task.seed},
              {"threads", task.threads},
              {"problems", json::array()},
              {"splits", json::array()}};
  for (size_t i = 0; i < task.problems.size(); ++i) {
    out["problems"].push_back(to_json(task.problems[i], task.matrix.first[i]));
  }
  for (const train::Split& split : task.splits) {
    out["splits"].push_back({{"train", split.train}, {"test", split.test}});
  }
  return out;
}

// True if the program ran to its end. Its output would mix with the report: peers talk a lot.
bool runs(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

Peer peer_from(const json& said, const PeerTask& task) {
  Peer peer;
  peer.missing = said.value("missing", "");
  if (!said.contains("orders")) return peer;
  for (const auto& [name, order] : said["orders"].items()) {
    const size_t problem = std::stoul(name);
    std::vector<size_t>& places = peer.orders[problem];
    for (const size_t place : order.get<std::vector<size_t>>()) {
      if (task.matrix.fits[task.matrix.first[problem] + place] != 0) places.push_back(place);
    }
  }
  return peer;
}

}  // namespace

Result<std::map<std::string, Peer>> ask_peers(const PeerTask& task) {
  const Folder folder = TRIODE_TRY(Folder::make());
  TRIODE_TRY(folder.write("peers.py", help::kPeersProgram));
  TRIODE_TRY(folder.write("task.json", to_json(task).dump()));
  const std::vector<float>& x = task.matrix.x;
  TRIODE_TRY(folder.write("features.f32",
                          {reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float)}));
  std::map<std::string, Peer> peers;
  for (const std::string name : {"lightgbm", "autoheuristic", "nvmatmulheuristics"}) {
    const bool ran = runs({task.python, folder.file("peers.py"), folder.path(), name});
    std::ifstream in(folder.file(name + ".json"));
    const json said = ran ? json::parse(in, nullptr, false) : json();
    peers[name] = said.is_object() ? peer_from(said, task)
                                   : Peer{"'" + task.python +
                                              "' could not run it; name a Python by "
                                              "--python",
                                          {}};
  }
  return peers;
}

train::Ranker rank_by(const Peer& peer, std::span<const TimedProblem> problems) {
  return [&peer, problems](const TimedProblem& timed) -> Result<std::vector<size_t>> {
    const auto found = peer.orders.find(static_cast<size_t>(&timed - problems.data()));
    if (found == peer.orders.end()) return unsupported("the peer has no order for this problem");
    return found->second;
  };
}

}  // namespace triode::eval_tool
