// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "runtime/host/kept_plans.h"
#include "runtime/host/plan_publisher.h"
#include "runtime/host/plan_source.h"
#include "runtime/host/plan_table.h"

namespace triode::host {

// What the background thread does where plans are searched for in the process, one step at a time:
// finds the entry whose calls cost most, gets a plan for it, publishes it, and takes plans back
// that do not hold what they promised. Used by one thread.
//
// Every entry is looked into once: a search that found nothing on a machine as busy as this one may
// find something on another day, but in the same process it would take the same cores for the same
// chances. The next process begins anew, since only plans are kept. A search that was stopped
// settles nothing.
class LocalTuning {
 public:
  // `source` is where plans come from that nobody knows yet; `kept` has those of earlier runs, and
  // new ones are added. Both must outlive this.
  LocalTuning(const PlanPublisher::Parts& parts, PlanSource& source, KeptPlans& kept)
      : publisher_(parts), source_(source), kept_(kept) {}

  // Looks into one entry at most. False if none is worth it now. Ends soon after `should_stop`
  // turns true.
  bool step(const std::function<bool()>& should_stop);

 private:
  PlanEntry* most_worthwhile();
  void look_into(PlanEntry& entry, const std::function<bool()>& should_stop);
  bool publish_kept(PlanEntry& entry, const std::string& vendor);
  void publish_found(PlanEntry& entry, const std::string& vendor, const FoundPlan& found);

  PlanPublisher publisher_;
  PlanSource& source_;
  KeptPlans& kept_;
};

}  // namespace triode::host
