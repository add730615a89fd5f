// SPDX-License-Identifier: Apache-2.0
#include <triode/turn.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "runtime/host/api_call.h"
#include "runtime/host/api_error.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/host.h"
#include "runtime/host/sized_struct.h"

namespace triode::host {
namespace {

static_assert(sizeof(triode_turn) == 64);

// What a turn keeps between its calls. A dispatcher lives until the process ends.
struct TurnState {
  PlanEntry* entry;
  ThreadRecord* thread;
  CallCounter* counter;
  uint64_t start_ticks;
};
static_assert(sizeof(TurnState) == sizeof(triode_turn::state));

void keep(const OfferedCall& offered, triode_turn& turn) {
  const VendorTicket& ticket = offered.ticket;
  const TurnState state{offered.entry, ticket.thread, ticket.counter, ticket.start_ticks};
  static_assert(std::is_trivially_copyable_v<TurnState>);
  std::memcpy(turn.state, &state, sizeof state);
  turn.is_plans = offered.entry != nullptr ? 1 : 0;
}

OfferedCall kept(const triode_turn& turn) {
  TurnState state;
  std::memcpy(&state, turn.state, sizeof state);
  return {.entry = state.entry,
          .ticket = {
              .thread = state.thread, .counter = state.counter, .start_ticks = state.start_ticks}};
}

// Empty if the function has no such call.
std::optional<Symbol> symbol_of_turn(const triode_gemm_call& call, const triode_turn& turn) {
  const bool is_double = call.dtype == TRIODE_F64;
  if (!is_double && call.dtype != TRIODE_F32) return std::nullopt;
  if (turn.function == TRIODE_CBLAS_GEMM_BATCH) {
    return is_double ? Symbol::k_cblas_dgemm_batch : Symbol::k_cblas_sgemm_batch;
  }
  const bool is_fortran =
      turn.function == TRIODE_FORTRAN_GEMM && call.layout == TRIODE_COLUMN_MAJOR && call.batch == 1;
  if (!is_fortran) return std::nullopt;
  return is_double ? Symbol::k_dgemm_ : Symbol::k_sgemm_;
}

// Both functions take 32-bit sizes. What does not fit is the own matmul's.
bool has_narrow_sizes(const triode_gemm_call& call) {
  const int64_t largest = std::max({call.m, call.n, call.k, call.lda, call.ldb, call.ldc});
  return largest <= std::numeric_limits<int32_t>::max();
}

// The letters that Fortran's callers have for a transpose.
int32_t letter_of(int32_t transpose) {
  return transpose == TRIODE_NO_TRANSPOSE ? 'n' : 't';
}

// As raw_call() says, but Fortran's callers spell otherwise.
RawCall raw_call_of_turn(const triode_gemm_call& call, const triode_turn& turn,
                         const CallSite& site) {
  if (turn.function != TRIODE_FORTRAN_GEMM) {
    RawCall raw = raw_call(call, site);
    raw.frame = turn.frame;
    return raw;
  }
  const Spelling letters{0, letter_of(call.transpose_a), letter_of(call.transpose_b)};
  const double alpha = rounded_to(call.dtype, call.alpha);
  const double beta = rounded_to(call.dtype, call.beta);
  return {.key = {.m = call.m,
                  .n = call.n,
                  .k = call.k,
                  .lda = call.lda,
                  .ldb = call.ldb,
                  .ldc = call.ldc,
                  .traits = site.traits | call_traits::of_spelling(letters) |
                            call_traits::of_scalars(alpha, beta)},
          .a = call.a,
          .b = call.b,
          .c = call.c,
          .alpha = alpha,
          .beta = beta,
          .frame = turn.frame};
}

// Whether the structs are those of this version's header, which most are.
bool are_known(const triode_gemm_call* call, const triode_turn* turn) {
  return call != nullptr && turn != nullptr && call->size == sizeof *call &&
         turn->size == sizeof *turn;
}

// What is wrong with a call or a turn that symbol_of_turn() has nothing for, if anything is.
Status check_turn(const triode_gemm_call* call, const triode_turn* turn) {
  TRIODE_TRY(check_input_struct(call, sizeof *call, "call"));
  TRIODE_TRY(check_input_struct(turn, sizeof *turn, "turn"));
  if (symbol_of_turn(*call, *turn)) return {};
  return invalid_argument("turn->function is " + std::to_string(turn->function) +
                          "; expected TRIODE_FORTRAN_GEMM, column-major and without a batch, or "
                          "TRIODE_CBLAS_GEMM_BATCH, in TRIODE_F32 or TRIODE_F64");
}

OfferedCall offer(const triode_gemm_call& call, const triode_turn& turn, Symbol symbol) {
  Dispatcher* const dispatcher = active_dispatcher();
  if (dispatcher == nullptr || !has_narrow_sizes(call)) return {};
  const CallSite& site = site_of_call(symbol, turn.library);
  if (site.original == nullptr)
    return {};  // nothing to beat: nobody could say that a plan is faster
  RawCall raw = raw_call_of_turn(call, turn, site);
  return dispatcher->offer(raw, site);
}

// For what are_known() or symbol_of_turn() has not understood: says what is wrong, if anything is.
[[gnu::noinline]] triode_status begin_checked(const triode_gemm_call* call, triode_turn* turn) {
  if (turn != nullptr && turn->size >= sizeof *turn) keep({}, *turn);
  const triode_status checked =
      guarded("triode_turn_begin", [=] { return check_turn(call, turn); });
  if (checked == TRIODE_OK) keep(offer(*call, *turn, *symbol_of_turn(*call, *turn)), *turn);
  return checked;
}

}  // namespace
}  // namespace triode::host

TRIODE_API triode_status triode_turn_begin(const triode_gemm_call* call, triode_turn* turn) {
  using namespace triode::host;
  if (!are_known(call, turn)) [[unlikely]]
    return begin_checked(call, turn);
  const std::optional<Symbol> symbol = symbol_of_turn(*call, *turn);
  if (!symbol) [[unlikely]]
    return begin_checked(call, turn);
  keep(offer(*call, *turn, *symbol), *turn);
  return TRIODE_OK;
}

TRIODE_API triode_status triode_turn_run(triode_turn* turn, const triode_gemm_call* call) {
  using namespace triode::host;
  const char* const name = "triode_turn_run";
  if (call == nullptr || turn == nullptr || turn->is_plans == 0) {
    return fail(name, TRIODE_INVALID_ARGUMENT, "call or turn is NULL, or it is not a plan's turn");
  }
  OfferedCall offered = kept(*turn);
  const RawCall raw{.key = {},
                    .a = call->a,
                    .b = call->b,
                    .c = call->c,
                    .alpha = rounded_to(call->dtype, call->alpha),
                    .beta = rounded_to(call->dtype, call->beta),
                    .frame = turn->frame};
  Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);
  const bool is_answered = dispatcher != nullptr && dispatcher->run(raw, offered);
  keep(is_answered || dispatcher == nullptr ? OfferedCall{} : offered, *turn);
  return is_answered ? TRIODE_OK : fail(name, TRIODE_UNSUPPORTED, "the plan cannot run this call");
}

TRIODE_API triode_status triode_turn_end(triode_turn* turn) {
  using namespace triode::host;
  if (turn == nullptr || turn->size < sizeof *turn) {
    return fail("triode_turn_end", TRIODE_INVALID_ARGUMENT, "turn is NULL or of no known size");
  }
  const OfferedCall offered = kept(*turn);
  keep({}, *turn);
  if (offered.entry != nullptr || offered.ticket.thread == nullptr) return TRIODE_OK;
  if (Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire)) {
    dispatcher->leave(offered.ticket);
  } else {
    offered.ticket.thread->busy_with.store(nullptr, std::memory_order_release);
  }
  return TRIODE_OK;
}
