// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/local_search.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "jit/x86/gemm_space.h"
#include "runtime/host/stoppable_device.h"
#include "runtime/host/vendor_checked_operands.h"
#include "runtime/search/config_search.h"
#include "runtime/search/problem_operands.h"

namespace triode {
namespace {

using std::chrono::nanoseconds;

// The operands come on top of the program's own, in its memory: more than this could end it. The
// calls of larger problems also take seconds each, and a search minutes.
constexpr double kMostOperandBytes = double{1 << 30};

// How the budget is spent. The search needs most of it; a race of a tenth, 40 ms, holds hundreds of
// rounds of a short call, after which its spread changes no more.
constexpr double kSearchShare = 0.6;
constexpr double kRaceShare = 0.1;

// Finalists raced against the vendor. The search ranks its first few within their noise of each
// other; what is further behind has lost in two stages already.
constexpr size_t kRacers = 3;
static_assert(kSearchShare + kRaceShare * (kRacers + 1) <= 1 + 1e-9, "and one to confirm");

// A finalist that took so many times as long as one call of the vendor's is not raced: a single
// call is timed too long more often than too short, so such a race is lost, and on a large problem
// it would take longer than the search.
constexpr double kHopeless = 1.5;

// How many spreads below its median a speedup must still be enough: about the slowest tenth of the
// rounds. With fewer, plans are published that lose on a bad day; with more, none is on a busy
// machine.
constexpr double kSpreadsDeducted = 2;

bool is_worth_tuning(const Problem& problem) {
  return problem.flops() > 0 && problem.alpha != ScalarClass::kZero &&
         operand_bytes(problem) <= kMostOperandBytes;
}

nanoseconds share_of(nanoseconds time, double share) {
  return nanoseconds(static_cast<int64_t>(static_cast<double>(time.count()) * share));
}

// Each config on as many threads as the space has, with every split, then on one: which of these is
// better depends on the problem, and a short search should have seen both.
std::vector<Config> with_threads(const Space& space, std::span<const Config> configs) {
  const std::optional<size_t> position = space.position_of("threads");
  const int32_t threads =
      position ? std::ranges::max(space.parameters()[*position].values) : int32_t{1};
  std::vector<Config> all;
  for (const Config& config : configs) {
    if (threads > 1) {
      const std::vector<Config> spread = spread_over_threads(space, {&config, 1}, threads);
      all.insert(all.end(), spread.begin(), spread.end());
    }
    all.push_back(config);
  }
  return all;
}

Status stopped(const Problem& problem) {
  return unavailable("the search for '" + to_string(problem) + "' was stopped");
}

// A config that was built, checked and timed against the vendor.
struct Racer {
  Config config;
  std::unique_ptr<Artifact> artifact;
  PairMeasurement pair;
};

// The search for one request.
class RequestSearch {
 public:
  RequestSearch(Device& device, const LocalSearchOptions& options, const Clock& clock,
                const TuningRequest& request, const std::function<bool()>& should_stop,
                const Space& space, VendorCheckedOperands& checked)
      : should_stop_([this, &should_stop] {
          if (!is_stopped_ && should_stop) is_stopped_ = should_stop();
          return is_stopped_;
        }),
        device_(device, should_stop_),
        options_(options),
        clock_(clock),
        request_(request),
        space_(space),
        checked_(checked) {}

  Result<std::optional<FoundPlan>> run() {
    if (should_stop_()) return stopped(request_.problem);
    const nanoseconds begin = clock_.now();
    request_.vendor_kernel(checked_.operands());  // not for the first time: it ran to be checked by
    vendor_call_ = clock_.now() - begin;
    budget_ = std::max(options_.budget, vendor_call_ * options_.least_calls);
    const std::vector<RankedConfig> finalists = TRIODE_TRY(search());
    std::optional<Racer> best =
        TRIODE_TRY(race_all(finalists, clock_.now() + share_of(budget_, kRaceShare * kRacers)));
    if (!best) return std::optional<FoundPlan>();
    return confirm(*best);
  }

 private:
  // Best first. None if the first configs took all the time and none of them worked.
  Result<std::vector<RankedConfig>> search() {
    const std::vector<Config> guesses = options_.starts
                                            ? options_.starts(space_, request_.problem)
                                            : x86::promising_configs(space_, request_.problem);
    SearchOptions search;
    search.budget = share_of(budget_, kSearchShare);
    search.seed = options_.seed;
    // The search may try a few of each kind whatever its budget; where calls take long, not here.
    const nanoseconds end = clock_.now() + search.budget;
    search.should_stop = [this, end] { return should_stop_() || clock_.now() >= end; };
    Result<SearchResult> found = search_configs(
        device_, request_.problem, space_, with_threads(space_, guesses), checked_, search, clock_);
    if (is_stopped_) return stopped(request_.problem);
    if (found.ok()) return std::move(found->finalists);
    if (found.status().code() == StatusCode::kUnavailable) return std::vector<RankedConfig>();
    return found.status();
  }

  bool is_hopeless(const RankedConfig& finalist) const {
    return finalist.median_ns > kHopeless * static_cast<double>(vendor_call_.count());
  }

  // The fastest that beats the vendor. The first one is raced however late it is.
  Result<std::optional<Racer>> race_all(std::span<const RankedConfig> finalists, nanoseconds end) {
    std::optional<Racer> best;
    for (size_t i = 0; i < std::min(finalists.size(), kRacers); ++i) {
      if (should_stop_()) return stopped(request_.problem);
      if (is_hopeless(finalists[i]) || (i > 0 && clock_.now() >= end)) break;
      std::optional<Racer> racer = TRIODE_TRY(race(finalists[i].config));
      if (!racer || !beats_vendor(racer->pair)) continue;
      if (!best || racer->pair.speedup > best->pair.speedup) best = std::move(racer);
    }
    return best;
  }

  // Checked once more, so that the digest is that of code which was. Empty if it is wrong now.
  Result<std::optional<Racer>> race(const Config& config) {
    Racer racer;
    racer.config = config;
    racer.artifact = TRIODE_TRY(device_.build(request_.problem, config));
    checked_.reset_c();
    TRIODE_TRY(device_.run(*racer.artifact, checked_.operands()));
    if (!checked_.check().ok()) return std::optional<Racer>();
    racer.pair = TRIODE_TRY(time(*racer.artifact));
    return std::optional<Racer>(std::move(racer));
  }

  Result<PairMeasurement> time(const Artifact& artifact) {
    TimingOptions timing;
    timing.budget = share_of(budget_, kRaceShare);
    return device_.time(artifact, request_.vendor_kernel, checked_.operands(), timing);
  }

  bool beats_vendor(const PairMeasurement& pair) const {
    // Divided, not subtracted: a ratio scatters by factors, and one of 50 that scatters by half of
    // itself on a busy machine is a win all the same.
    return pair.speedup / (1 + kSpreadsDeducted * pair.speedup_spread) >= options_.min_speedup;
  }

  // The figures of this race are the plan's: those that chose it flatter it.
  Result<std::optional<FoundPlan>> confirm(const Racer& racer) {
    if (should_stop_()) return stopped(request_.problem);
    const PairMeasurement pair = TRIODE_TRY(time(*racer.artifact));
    if (!beats_vendor(pair)) return std::optional<FoundPlan>();
    return std::optional<FoundPlan>({.config = racer.config,
                                     .config_text = space_.to_string(racer.config),
                                     .code_digest = racer.artifact->digest(),
                                     .speedup = pair.speedup,
                                     .spread = pair.speedup_spread,
                                     .vendor_ns = pair.vendor.median_ns,
                                     .plan_ns = pair.candidate.median_ns});
  }

  bool is_stopped_ = false;                  // the program said so, and is not asked again
  const std::function<bool()> should_stop_;  // asks it
  StoppableDevice device_;
  const LocalSearchOptions& options_;
  const Clock& clock_;
  const TuningRequest& request_;
  const Space& space_;
  VendorCheckedOperands& checked_;

  nanoseconds vendor_call_{};
  nanoseconds budget_{};
};

}  // namespace

LocalSearch::LocalSearch(Device& device, LocalSearchOptions options, const Clock& clock)
    : device_(device), options_(std::move(options)), clock_(clock) {}

Result<std::optional<FoundPlan>> LocalSearch::find(const TuningRequest& request,
                                                   const std::function<bool()>& should_stop) {
  const Problem& problem = request.problem;
  TRIODE_TRY(problem.validate());
  if (!request.vendor_kernel) {
    return invalid_argument("there is no vendor's kernel to beat for '" + to_string(problem) + "'");
  }
  if (!is_worth_tuning(problem)) return std::optional<FoundPlan>();
  if (should_stop && should_stop()) return stopped(problem);  // operands may take a second to fill
  const Space space = TRIODE_TRY(device_.enumerate(problem));
  const std::unique_ptr<VendorCheckedOperands> checked =
      TRIODE_TRY(VendorCheckedOperands::make(problem, options_.seed, request.vendor_kernel));
  return RequestSearch(device_, options_, clock_, request, should_stop, space, *checked).run();
}

}  // namespace triode
