// SPDX-License-Identifier: Apache-2.0
#include <triode/triode.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "runtime/host/api_answer.h"
#include "runtime/host/api_call.h"
#include "runtime/host/api_error.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/hit_path.h"
#include "runtime/host/host.h"
#include "runtime/host/sized_struct.h"

// The call site is looked up at each run, some ten instructions: it is forgotten when a library is
// closed, and a handle that kept it would call into what is no longer there.
struct triode_plan {
  triode_gemm_call shape;
  triode::host::Symbol symbol;
  const void* return_address;  // of who made the plan: that object's BLAS is meant
  std::atomic<triode::host::PlanEntry*> known{nullptr};
};

namespace triode::host {
namespace {

static_assert(sizeof(triode_plan_info) == 568);

bool is_empty(const triode_gemm_call& shape) {
  return shape.m == 0 || shape.n == 0 || shape.k == 0;
}

Status make_plan(const triode_gemm_call* shape, const void* return_address, triode_plan** plan) {
  if (plan == nullptr) return invalid_argument("plan is NULL");
  TRIODE_TRY(check_shape(shape, "shape"));
  auto made = std::make_unique<triode_plan>();
  made->shape = *shape;
  made->symbol = symbol_of(*shape);
  made->return_address = return_address;
  if (!is_empty(*shape)) {
    const CallSite& site = site_of_call(made->symbol, return_address);
    made->known.store(prepare_call(raw_call(*shape, site), site), std::memory_order_release);
  }
  *plan = made.release();
  return {};
}

// Whether the call was one of the plan's entry that a single kernel answers, and is answered.
template <typename Scalar>
bool run_quickly(const triode_plan& plan, double alpha, const void* a, const void* b, double beta,
                 void* c) {
  const Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);
  const CallSite* const site = the_call_sites.find_quickly(plan.symbol, plan.return_address);
  const PlanEntry* const entry = plan.known.load(std::memory_order_acquire);
  if (dispatcher == nullptr || site == nullptr || entry == nullptr || a == nullptr ||
      b == nullptr || c == nullptr) {
    return false;
  }
  return plan.shape.batch == 1 &&
         dispatcher->answer_known(*site, *entry, static_cast<const Scalar*>(a),
                                  static_cast<const Scalar*>(b), static_cast<Scalar*>(c),
                                  static_cast<Scalar>(alpha), static_cast<Scalar>(beta));
}

triode_status run_checked(triode_plan& plan, double alpha, const void* a, const void* b,
                          double beta, void* c, const void* frame) {
  triode_gemm_call call = plan.shape;
  call.alpha = alpha;
  call.beta = beta;
  call.a = a;
  call.b = b;
  call.c = c;
  const triode_status checked =
      guarded("triode_plan_run", [&call] { return check_pointers(call); });
  if (checked != TRIODE_OK) return checked;
  const CallSite& site = site_of_call(plan.symbol, plan.return_address);
  RawCall raw = raw_call(call, site);
  raw.frame = frame;
  answer_call(raw, site, plan.known);
  return TRIODE_OK;
}

int32_t state_of(PlanState state) {
  switch (state) {
    case PlanState::kPlanned:
      return TRIODE_PLAN_FOUND;
    case PlanState::kVendorStays:
      return TRIODE_PLAN_VENDOR_STAYS;
    case PlanState::kWithdrawn:
      break;
  }
  return TRIODE_PLAN_WITHDRAWN;
}

template <size_t kSize>
void copy_text(const std::string& text, char (&to)[kSize]) {
  const size_t length = std::min(text.size(), kSize - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

triode_plan_info describe(const RawCall& call, const CallSite& site) {
  triode_plan_info info{};
  const std::optional<KnownCall> known = find_call(call, site);
  const bool is_active = the_dispatcher.load(std::memory_order_acquire) != nullptr;
  const bool has_plan = known && known->has_plan && is_active;
  info.answered_by = site.original == nullptr || has_plan ? TRIODE_BY_TRIODE : TRIODE_BY_VENDOR;
  if (!known) return info;
  const Report::Row& row = known->row;
  info.state = row.has_plan ? state_of(row.plan.state) : TRIODE_PLAN_UNDECIDED;
  info.vendor_calls = row.tally.by_vendor.calls;
  info.triode_calls = row.tally.by_us.calls;
  info.vendor_ns = row.tally.by_vendor.mean_ns();
  info.triode_ns = row.tally.by_us.mean_ns();
  info.speedup = row.plan.speedup;
  copy_text(row.plan.config, info.config);
  copy_text(row.vendor, info.vendor);
  return info;
}

}  // namespace
}  // namespace triode::host

TRIODE_API triode_status triode_plan_create(const triode_gemm_call* shape, triode_plan** plan) {
  using namespace triode::host;
  const void* const return_address = __builtin_return_address(0);
  return guarded("triode_plan_create", [=] { return make_plan(shape, return_address, plan); });
}

TRIODE_API triode_status triode_plan_run(triode_plan* plan, double alpha, const void* a,
                                         const void* b, double beta, void* c) {
  using namespace triode::host;
  if (plan == nullptr) return fail("triode_plan_run", TRIODE_INVALID_ARGUMENT, "plan is NULL");
  const bool is_answered = plan->shape.dtype == TRIODE_F32
                               ? run_quickly<float>(*plan, alpha, a, b, beta, c)
                               : run_quickly<double>(*plan, alpha, a, b, beta, c);
  return is_answered ? TRIODE_OK
                     : run_checked(*plan, alpha, a, b, beta, c, __builtin_frame_address(0));
}

TRIODE_API triode_status triode_plan_destroy(triode_plan* plan) {
  delete plan;
  return TRIODE_OK;
}

TRIODE_API triode_status triode_plan_query(const triode_gemm_call* shape, triode_plan_info* info) {
  using namespace triode::host;
  const void* const return_address = __builtin_return_address(0);
  return guarded("triode_plan_query", [=]() -> triode::Status {
    TRIODE_TRY(check_shape(shape, "shape"));
    TRIODE_TRY(check_size(info, sizeof *info, "info"));
    const CallSite& site = site_of_call(symbol_of(*shape), return_address);
    const triode_plan_info known = describe(raw_call(*shape, site), site);
    write_output_struct(&known, sizeof known, info);
    return {};
  });
}
