// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "runtime/host/call_tally.h"
#include "runtime/host/plan_maker.h"
#include "runtime/host/plan_table.h"
#include "runtime/host/published_plans.h"
#include "runtime/host/retired_code.h"
#include "runtime/host/shadow_judge.h"
#include "runtime/host/tick_clock.h"

namespace triode::host {

// Puts plans into the table's entries and takes them out again, wherever they come from. An entry
// is settled once it was decided who answers its calls. Used by one thread.
class PlanPublisher {
 public:
  struct Parts {
    PlanTable& table;
    const PlanMaker& maker;
    PublishedPlans& published;
    const TickClock& ticks;
  };

  explicit PlanPublisher(const Parts& parts) : parts_(parts) {}

  // Builds the plan, swaps it in, settles the entry and watches it from then on. kCorrupt, and
  // nothing changes, if the code made here is not the code of that digest; other errors as from
  // PlanMaker::make.
  Status publish(PlanEntry& entry, const MadePlan& plan, double speedup, std::string remark);

  // The same for a plan that nobody has timed, and that answers until somebody has: the entry is
  // not settled.
  Status publish_untimed(PlanEntry& entry, const MadePlan& plan, std::string remark);

  // Settles an entry whose calls the vendor goes on to answer, or answers again: a plan that was
  // published for it goes.
  void leave_to_vendor(PlanEntry& entry, std::string remark);

  // Entries of the maker's target that are not settled, and whose calls by the vendor have taken so
  // long that a search is worth its cost, with all their calls. On a GPU their times are assumed.
  using Visit = std::function<void(PlanEntry& entry, const EntryTally& calls)>;
  void for_each_worthwhile(const Visit& visit);

  // Entries that are settled, with all their calls.
  void for_each_settled(const Visit& visit);

  struct Withdrawn {
    PlanEntry* entry;
    uint64_t code_digest;  // MadePlan's
    double plan_ns;        // means in the program, of late
    double vendor_ns;
  };
  // Takes plans back that are slower in the program than the vendor, by the calls that the vendor
  // still answers (ShadowTurns).
  std::vector<Withdrawn> withdraw_slower();

  // Frees replaced code that no thread runs any more.
  void free_unused() { retired_.free_unused(); }

 private:
  Status swap_in(PlanEntry& entry, const MadePlan& plan);
  void settle(const PlanEntry& entry, PublishedPlan decision);
  void replace(PlanEntry& entry, const Executable* by);
  void take_back(PlanEntry& entry);

  using Stretch = GpuStopwatch::Stretch;
  // A plan that answers now.
  struct Watched {
    uint64_t code_digest = 0;  // MadePlan's
    EntryTally seen;           // up to the last stretch that was judged, on the processor
    ShadowJudge judge;
  };
  // Makes ready to watch the entry's next plan; false if nothing can be seen of what it takes.
  bool watch(PlanEntry& entry, uint64_t code_digest);
  // What calls of the plan and of the vendor took since the last stretch, on the average; empty
  // while they are too few.
  std::optional<Stretch> next_stretch(const PlanEntry& entry, Watched& watched);
  // The times that a plan lost by.
  std::optional<Withdrawn> judge(PlanEntry& entry, Watched& watched);

  Parts parts_;
  std::vector<bool> is_settled_ = std::vector<bool>(PlanTable::kCapacity);
  std::map<size_t, Watched> watched_;  // by index of the entry
  RetiredCode retired_;
};

}  // namespace triode::host
