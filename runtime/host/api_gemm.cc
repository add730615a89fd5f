// SPDX-License-Identifier: Apache-2.0
#include <triode/triode.h>

#include "runtime/host/api_answer.h"
#include "runtime/host/api_call.h"
#include "runtime/host/api_error.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/hit_path.h"
#include "runtime/host/host.h"

namespace triode::host {
namespace {

template <typename Scalar>
bool answer_repeated(const Dispatcher& dispatcher, const CallSite& site,
                     const triode_gemm_call& call) {
  return dispatcher.answer_repeated(
      site, CallSizes<int64_t>{call.m, call.n, call.k, call.lda, call.ldb, call.ldc},
      spelling_of(call), static_cast<const Scalar*>(call.a), static_cast<const Scalar*>(call.b),
      static_cast<Scalar*>(call.c), static_cast<Scalar>(call.alpha),
      static_cast<Scalar>(call.beta));
}

// Whether the call is a plain repetition of one that was checked, and is answered.
bool answer_quickly(const triode_gemm_call& call, const void* return_address) {
  const Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);
  if (dispatcher == nullptr || call.size != sizeof call || call.batch != 1 || call.a == nullptr ||
      call.b == nullptr || call.c == nullptr) {
    return false;
  }
  const auto find_site = [=](Symbol symbol) {
    return the_call_sites.find_quickly(symbol, return_address);
  };
  if (call.dtype == TRIODE_F32) {
    const CallSite* const site = find_site(Symbol::k_cblas_sgemm);
    return site != nullptr && answer_repeated<float>(*dispatcher, *site, call);
  }
  if (call.dtype != TRIODE_F64) return false;
  const CallSite* const site = find_site(Symbol::k_cblas_dgemm);
  return site != nullptr && answer_repeated<double>(*dispatcher, *site, call);
}

}  // namespace
}  // namespace triode::host

TRIODE_API triode_status triode_gemm(const triode_gemm_call* call) {
  using namespace triode::host;
  if (call == nullptr) return fail("triode_gemm", TRIODE_INVALID_ARGUMENT, "call is NULL");
  const void* const return_address = __builtin_return_address(0);
  if (answer_quickly(*call, return_address)) return TRIODE_OK;
  const triode_status checked = guarded("triode_gemm", [=]() -> triode::Status {
    TRIODE_TRY(check_shape(call, "call"));
    return check_pointers(*call);
  });
  if (checked != TRIODE_OK) return checked;
  const CallSite& site = site_of_call(symbol_of(*call), return_address);
  RawCall raw = raw_call(*call, site);
  raw.frame = __builtin_frame_address(0);
  answer_call(raw, site);
  return TRIODE_OK;
}
