// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/cpu_gemm_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/bench/command_line.h"
#include "tools/bench/peers.h"
#include "tools/bench/shape_sets.h"

#ifndef TRIODE_DEFAULT_VENV
#define TRIODE_DEFAULT_VENV ""
#endif

namespace triode::bench {
namespace {

constexpr int kMostThreads = 4096;

// Texts as typed, before they become values.
struct RawOptions {
  std::string threads = "1";
  std::string transposes;
  std::string dtype = "f32";
  std::string isa = "all";
  std::string peers = "all";
};

std::vector<std::string> set_names() {
  std::vector<std::string> names;
  for (const ShapeSet& set : shape_sets()) names.emplace_back(set.name);
  return names;
}

std::vector<std::string> isa_names() {
  std::vector<std::string> names = {"all"};
  for (const x86::IsaId isa : x86::all_isas()) names.emplace_back(x86::describe(isa).name);
  return names;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

void declare_shapes(CLI::App& app, CpuGemmOptions& options, RawOptions& raw) {
  app.add_option("--set", options.set)->check(CLI::IsMember(set_names()));
  app.add_option("--shapes", options.shapes_file);
  app.add_option("--random", options.random)->check(CLI::Range(1, 1'000'000));
  app.add_option("--dtype", raw.dtype)->check(CLI::IsMember({"f32", "f64"}));
  app.add_option("--transposes", raw.transposes)
      ->check(CLI::IsMember({"nn", "nt", "tn", "tt", "all"}));
}

void declare_search(CLI::App& app, CpuGemmOptions& options, RawOptions& raw) {
  app.add_option("--threads", raw.threads);
  app.add_option("--isa", raw.isa)->check(CLI::IsMember(isa_names()));
  app.add_option("--budget", options.budget_s)->check(CLI::Range(0.01, 86400.0));
  app.add_flag("--exhaustive", options.exhaustive);
  app.add_option("--rounds", options.rounds)->check(CLI::Range(3, 100'000));
  app.add_option("--configs", options.configs_file);
  app.add_option("--cache", options.cache_folder);
  app.add_option("--peers", raw.peers);
  app.add_option("--venv", options.venv)->envname("TRIODE_VENV");
  app.add_flag("--demo", options.demo);
}

Status read_threads(const std::string& text, CpuGemmOptions& options) {
  if (text == "1") return {};
  options.passes = text == "both" ? ThreadPasses::kBoth : ThreadPasses::kMany;
  if (text == "both" || text == "all") return {};
  const bool is_count =
      !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  options.threads = is_count ? std::stoi(text) : 0;
  if (options.threads < 1 || options.threads > kMostThreads) {
    return invalid_argument("--threads: '" + text + "' is none of: 1, a count up to " +
                            std::to_string(kMostThreads) + ", all, both");
  }
  if (options.threads == 1) options.passes = ThreadPasses::kSingle;
  return {};
}

// The names in loading order, whatever the order they were given in.
Status read_peers(const std::string& text, CpuGemmOptions& options) {
  const std::vector<std::string_view> known = peer_names();
  const std::vector<std::string> asked = CLI::detail::split(text, ',');
  for (const std::string& name : asked) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (!is_known && text != "all" && text != "none") {
      return invalid_argument("--peers: '" + name + "' is none of: " + joined(known) +
                              "; or all, or none");
    }
  }
  for (const std::string_view name : known) {
    if (text == "all" || std::find(asked.begin(), asked.end(), name) != asked.end()) {
      options.peers.emplace_back(name);
    }
  }
  return {};
}

Status read_raw(const RawOptions& raw, CpuGemmOptions& options) {
  TRIODE_TRY(read_threads(raw.threads, options));
  TRIODE_TRY(read_peers(raw.peers, options));
  options.dtype = TRIODE_TRY(parse_dtype(raw.dtype));
  if (raw.isa != "all") options.isas.push_back(TRIODE_TRY(x86::parse_isa(raw.isa)));
  if (raw.transposes == "all") {
    options.transposes = {"nn", "nt", "tn", "tt"};
  } else if (!raw.transposes.empty()) {
    options.transposes = {raw.transposes};
  }
  if (options.venv.empty()) options.venv = TRIODE_DEFAULT_VENV;
  return {};
}

// --demo chooses shapes, threads and times itself.
Status check_demo(const CLI::App& app, const CpuGemmOptions& options) {
  if (!options.demo) return {};
  for (const char* option : {"--set", "--shapes", "--random", "--dtype", "--transposes",
                             "--threads", "--budget", "--exhaustive", "--rounds"}) {
    if (app.count(option) > 0) {
      return invalid_argument(std::string("--demo chooses for itself, so it cannot go with ") +
                              option);
    }
  }
  return {};
}

}  // namespace

Result<CpuGemmOptions> parse_cpu_gemm_options(const std::vector<std::string>& arguments) {
  CpuGemmOptions options;
  RawOptions raw;
  CLI::App app;
  declare_standard(app, options);
  app.add_option("--seed", options.seed);
  declare_shapes(app, options, raw);
  declare_search(app, options, raw);
  TRIODE_TRY(parse(app, arguments));
  if (options.help || options.version) return options;
  TRIODE_TRY(check_demo(app, options));
  TRIODE_TRY(read_raw(raw, options));
  return options;
}

}  // namespace triode::bench
