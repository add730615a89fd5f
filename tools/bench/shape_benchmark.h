// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/status.h"
#include "runtime/search/config_search.h"
#include "tools/bench/comparison.h"
#include "tools/bench/machine_limits.h"
#include "tools/bench/peers.h"
#include "tools/bench/results.h"
#include "tools/bench/saved_configs.h"
#include "tools/bench/search_memory.h"
#include "tools/bench/test_case.h"

namespace triode::bench {

// A measured shape and what it takes to run it again.
struct MeasuredShape {
  ShapeResult result;
  std::unique_ptr<TestCase> test_case;
  std::unique_ptr<Artifact> artifact;
};

// Tunes a shape, then times the best config against the peers. Remembers the best configs on one
// thread, from which a search on several threads begins. The device must be a CpuDevice; it, the
// peers, the saved configs and the memory must outlive this.
class ShapeBenchmark {
 public:
  // `saved` and `memory` may be null.
  ShapeBenchmark(Device& device, std::vector<const Peer*> peers, SavedConfigs* saved,
                 SearchMemory* memory)
      : device_(device), peers_(std::move(peers)), saved_(saved), memory_(memory) {}

  // For as long as the search's budget and the contest need. An error if the device cannot run the
  // shape or no config worked. The peers must be set to `limits.threads` already.
  Result<MeasuredShape> measure(const Shape& shape, const MachineLimits& limits,
                                const SearchOptions& search, const ContestOptions& contest);

  // Times the measured ways to store one shape against each other; the first should be nn.
  TransposeResult compare_transposes(const std::vector<MeasuredShape>& shapes,
                                     const ContestOptions& contest);

  // Microseconds per kernel, over the configs tried so far.
  const std::vector<double>& compile_us() const { return compile_us_; }

 private:
  struct Choice {
    Config config;
    SearchStats stats;
    bool was_saved = false;
  };

  std::optional<Config> saved_config(const Problem& problem, const Space& space) const;
  Result<Choice> choose(const Problem& problem, const Space& space, TestCase& test_case,
                        const SearchOptions& options);
  Result<SearchResult> search(const Problem& problem, const Space& space, TestCase& test_case,
                              const SearchOptions& options);
  std::vector<Config> starts_for(const Problem& problem, const Space& space) const;
  void remember(const Problem& problem, const SearchResult& found);
  Contestant triode_contestant(const MeasuredShape& shape, std::string name);

  Device& device_;
  std::vector<const Peer*> peers_;
  SavedConfigs* saved_;
  SearchMemory* memory_;
  std::map<std::string, std::vector<Config>> best_single_;  // by problem text
  std::vector<double> compile_us_;
};

}  // namespace triode::bench
