// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/alike_problems.h"

#include <algorithm>
#include <string>

#include "cache/trial_filter.h"

namespace triode::explain_tool {
namespace {

// But for where the operands lie and how many threads there are.
bool is_same_product(Problem a, const Problem& b) {
  a.lda = b.lda;
  a.ldb = b.ldb;
  a.ldc = b.ldc;
  a.a_batch_stride = b.a_batch_stride;
  a.b_batch_stride = b.b_batch_stride;
  a.c_batch_stride = b.c_batch_stride;
  a.alignment_bytes = b.alignment_bytes;
  a.threads = b.threads;
  return a == b;
}

}  // namespace

Result<std::vector<Problem>> timed_problems_like(const Problem& problem, const Cache& cache) {
  const MeasurementStore& store = cache.measurements();
  const TrialFilter filter{.op = problem.op,
                           .dtype = problem.a_type,
                           .m = {problem.m, problem.m},
                           .n = {problem.n, problem.n},
                           .k = {problem.k, problem.k}};
  std::vector<Problem> alike;
  for (const std::string& device : TRIODE_TRY(store.devices())) {
    for (const Problem& timed : TRIODE_TRY(store.problems(device, filter))) {
      if (timed == problem) return std::vector<Problem>{problem};
      const bool is_new = std::find(alike.begin(), alike.end(), timed) == alike.end();
      if (is_new && is_same_product(timed, problem)) alike.push_back(timed);
    }
  }
  return alike;
}

}  // namespace triode::explain_tool
