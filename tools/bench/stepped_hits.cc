// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/stepped_hits.h"

#include <cstdint>
#include <cstdlib>

#include "tools/bench/child_process.h"
#include "tools/bench/hit_calls_command.h"
#include "tools/bench/stepping.h"

namespace triode::bench {

Result<std::vector<CallSteps>> step_through_hits(const std::string& library, int calls,
                                                 const std::string& folder) {
  const HitCalls what{.library = library, .calls = calls, .is_traced = true};
  ChildProcess child =
      TRIODE_TRY(ChildProcess::start(hit_calls_command(what), hit_calls_environment(folder)));
  const std::string line = child.read_line();
  const std::uint64_t entry = std::strtoull(line.c_str(), nullptr, 16);
  if (entry == 0) return unavailable("no call could be made: " + line);
  const SteppedThread thread = TRIODE_TRY(SteppedThread::await(child.id()));
  CallTrace trace(entry, generated_code(thread.maps()));
  TRIODE_TRY(thread.step_to_next_stop(trace));
  for (const CallSteps& call : trace.calls()) {
    if (call.kernel == 0) return internal_error("a call was not answered by a kernel of Triode");
  }
  if (trace.calls().empty()) return internal_error("no call was seen");
  return trace.calls();
}

}  // namespace triode::bench
