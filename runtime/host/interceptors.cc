// SPDX-License-Identifier: Apache-2.0
// The functions that stand in front of those of a BLAS: one for each symbol of blas_symbols.h, made
// from one template for each dialect.
#include <cstddef>
#include <cstdint>

#include "runtime/host/batch_groups.h"
#include "runtime/host/call_sites.h"
#include "runtime/host/dispatcher.h"
#include "runtime/host/hit_path.h"
#include "runtime/host/host.h"
#include "runtime/host/library_reference.h"
#include "runtime/host/original_functions.h"
#include "runtime/host/raw_call.h"

namespace triode::host {
namespace {

// Any call, described in memory: answers it, or has it answered by `forward`, which calls the
// original.
template <typename Scalar, typename Forward>
[[gnu::noinline]] void answer_described(const CallSite& site, const CallKey& sizes,
                                        const Spelling& spelling, const Scalar* a, const Scalar* b,
                                        Scalar* c, Scalar alpha, Scalar beta, const void* frame,
                                        const Forward& forward) {
  Dispatcher* const dispatcher = active_dispatcher();
  if (dispatcher == nullptr && site.original != nullptr) return forward();
  RawCall call{.key = sizes,
               .a = a,
               .b = b,
               .c = c,
               .alpha = widened(alpha),
               .beta = widened(beta),
               .frame = frame};
  call.key.traits =
      (site.cuts_sizes ? call_traits::kNonsense : call_traits::of_spelling(spelling)) |
      call_traits::of_scalars(alpha, beta);
  if (site.original == nullptr) return answer_without_vendor(call, site);
  const VendorTicket ticket = dispatcher->enter(call, site);
  if (ticket.is_answered) return;
  forward();
  dispatcher->leave(ticket);
}

// From the 64 bits that each came in, of which a caller with 32-bit sizes filled the lower half.
template <typename Int>
[[gnu::always_inline]] inline CallSizes<Int> sizes_of(int64_t m, int64_t n, int64_t k, int64_t lda,
                                                      int64_t ldb, int64_t ldc) {
  const auto size = [](int64_t bits) { return static_cast<Int>(bits); };
  return {size(m), size(n), size(k), size(lda), size(ldb), size(ldc)};
}

int32_t letter(const char* text) {
  return static_cast<unsigned char>(*text);
}

// A batch. One that is not even is the original's business; where there is none, it is as many
// calls as it has matrices. Nothing is looked at where all calls pass through.
template <typename Scalar, typename Int, typename Forward>
[[gnu::noinline]] void answer_batch(const CallSite& site, const BatchGroups<Scalar, Int>& groups,
                                    const void* frame, const Forward& forward) {
  Dispatcher* const dispatcher = active_dispatcher();
  if (dispatcher == nullptr && site.original != nullptr) return forward();
  const auto answer = [&](const CallKey& key, Int group, size_t place) {
    answer_described(site, key, groups.spelling(group), groups.a[place], groups.b[place],
                     groups.c[place], groups.alpha[group], groups.beta[group], frame, forward);
  };
  CallKey key = groups.count == 1 ? groups.key(0) : CallKey{};
  if (groups.is_even(key)) return answer(key, 0, 0);
  if (site.original != nullptr) {
    dispatcher->count_uneven_batch(frame);
    return forward();
  }
  groups.for_each_matrix([&](Int group, size_t place) { answer(groups.key(group), group, place); });
}

}  // namespace
}  // namespace triode::host

#define TRIODE_EXPORT extern "C" __attribute__((visibility("default")))

// An entry point is two functions of one signature. The exported one answers plain repetitions, and
// jumps to the original where all calls pass through; it ends in a jump to the other, which finds
// arguments and return address where the caller put them. In one function, what the slow way needs
// would be gathered before it is known to be taken.
#define TRIODE_ENTRY(symbol, parameters, sizes, spelling, a, b, c, alpha, beta, arguments, \
                     forward)                                                              \
  extern "C" [[gnu::noinline, gnu::visibility("hidden")]] void slow_##symbol parameters {  \
    using namespace triode::host;                                                          \
    const CallSite& site = site_of_call(Symbol::k_##symbol, __builtin_return_address(0));  \
    void* const original = site.original;                                                  \
    Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);         \
    if (dispatcher != nullptr && original != nullptr) {                                    \
      const VendorTicket ticket = dispatcher->enter_repeated(                              \
          site, sizes, spelling, a, b, c, alpha, beta, __builtin_frame_address(0));        \
      if (ticket.thread != nullptr) {                                                      \
        forward;                                                                           \
        return dispatcher->leave(ticket);                                                  \
      }                                                                                    \
    }                                                                                      \
    answer_described(site, (sizes).to_key(), spelling, a, b, c, alpha, beta,               \
                     __builtin_frame_address(0), [=]() { forward; });                      \
  }                                                                                        \
  TRIODE_EXPORT void symbol parameters {                                                   \
    using namespace triode::host;                                                          \
    const CallSite* const site =                                                           \
        the_call_sites.find_quickly(Symbol::k_##symbol, __builtin_return_address(0));      \
    if (site == nullptr) return slow_##symbol arguments;                                   \
    const Dispatcher* const dispatcher = the_dispatcher.load(std::memory_order_acquire);   \
    if (dispatcher == nullptr) {                                                           \
      void* const original = site->original;                                               \
      if (!the_host_has_started.load(std::memory_order_acquire) || original == nullptr) {  \
        return slow_##symbol arguments;                                                    \
      }                                                                                    \
      return forward;                                                                      \
    }                                                                                      \
    if (dispatcher->answer_repeated(*site, sizes, spelling, a, b, c, alpha, beta)) return; \
    return slow_##symbol arguments;                                                        \
  }

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): names are the BLAS's
// own.

#define TRIODE_kCblasGemm(symbol, Scalar, Int)                                                     \
  TRIODE_ENTRY(                                                                                    \
      symbol,                                                                                      \
      (int layout, int ta, int tb, int64_t m, int64_t n, int64_t k, Scalar alpha, const Scalar* a, \
       int64_t lda, const Scalar* b, int64_t ldb, Scalar beta, Scalar* c, int64_t ldc),            \
      (sizes_of<Int>(m, n, k, lda, ldb, ldc)), (Spelling{layout, ta, tb}), a, b, c, alpha, beta,   \
      (layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                              \
      (reinterpret_cast<CblasGemm<Scalar>*>(original)(layout, ta, tb, m, n, k, alpha, a, lda, b,   \
                                                      ldb, beta, c, ldc)))

#define TRIODE_kFortranGemm(symbol, Scalar, Int)                                                  \
  TRIODE_ENTRY(                                                                                   \
      symbol,                                                                                     \
      (const char* ta, const char* tb, const Int* m, const Int* n, const Int* k,                  \
       const Scalar* alpha, const Scalar* a, const Int* lda, const Scalar* b, const Int* ldb,     \
       const Scalar* beta, Scalar* c, const Int* ldc, size_t length_a, size_t length_b),          \
      (sizes_of<Int>(*m, *n, *k, *lda, *ldb, *ldc)), (Spelling{0, letter(ta), letter(tb)}), a, b, \
      c, *alpha, *beta,                                                                           \
      (ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b),                 \
      (reinterpret_cast<FortranGemm<Scalar, Int>*>(original)(                                     \
          ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b)))

#define TRIODE_kCblasGemv(symbol, Scalar, Int)                                                   \
  TRIODE_ENTRY(                                                                                  \
      symbol,                                                                                    \
      (int layout, int transpose, int64_t m, int64_t n, Scalar alpha, const Scalar* a,           \
       int64_t lda, const Scalar* x, int64_t x_step, Scalar beta, Scalar* y, int64_t y_step),    \
      (sizes_of<Int>(m, n, 0, lda, x_step, y_step)), (Spelling{layout, transpose, 0}), a, x, y,  \
      alpha, beta, (layout, transpose, m, n, alpha, a, lda, x, x_step, beta, y, y_step),         \
      (reinterpret_cast<CblasGemv<Scalar>*>(original)(layout, transpose, m, n, alpha, a, lda, x, \
                                                      x_step, beta, y, y_step)))

#define TRIODE_kFortranGemv(symbol, Scalar, Int)                                        \
  TRIODE_ENTRY(symbol,                                                                  \
               (const char* transpose, const Int* m, const Int* n, const Scalar* alpha, \
                const Scalar* a, const Int* lda, const Scalar* x, const Int* x_step,    \
                const Scalar* beta, Scalar* y, const Int* y_step, size_t length),       \
               (sizes_of<Int>(*m, *n, 0, *lda, *x_step, *y_step)),                      \
               (Spelling{0, letter(transpose), 0}), a, x, y, *alpha, *beta,             \
               (transpose, m, n, alpha, a, lda, x, x_step, beta, y, y_step, length),    \
               (reinterpret_cast<FortranGemv<Scalar, Int>*>(original)(                  \
                   transpose, m, n, alpha, a, lda, x, x_step, beta, y, y_step, length)))

#define TRIODE_kCblasGemmBatch(symbol, Scalar, Int)                                               \
  TRIODE_EXPORT void symbol(int layout, const int* ta, const int* tb, const Int* m, const Int* n, \
                            const Int* k, const Scalar* alpha, const Scalar** a, const Int* lda,  \
                            const Scalar** b, const Int* ldb, const Scalar* beta, Scalar** c,     \
                            const Int* ldc, int64_t groups, const Int* group_sizes) {             \
    using namespace triode::host;                                                                 \
    const CallSite& site = site_of_call(Symbol::k_##symbol, __builtin_return_address(0));         \
    const auto forward = [=, original = site.original]() {                                        \
      reinterpret_cast<CblasGemmBatch<Scalar, Int>*>(original)(                                   \
          layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, group_sizes);     \
    };                                                                                            \
    const BatchGroups<Scalar, Int> batch{layout,     ta,    tb, m,   n,                           \
                                         k,          alpha, a,  lda, b,                           \
                                         ldb,        beta,  c,  ldc, static_cast<Int>(groups),    \
                                         group_sizes};                                            \
    answer_batch(site, batch, __builtin_frame_address(0), forward);                               \
  }

#define TRIODE_kCblasGemmBatchStrided(symbol, Scalar, Int)                                  \
  TRIODE_EXPORT void symbol(int layout, int ta, int tb, int64_t m, int64_t n, int64_t k,    \
                            Scalar alpha, const Scalar* a, int64_t lda, int64_t a_stride,   \
                            const Scalar* b, int64_t ldb, int64_t b_stride, Scalar beta,    \
                            Scalar* c, int64_t ldc, int64_t c_stride, int64_t batch) {      \
    using namespace triode::host;                                                           \
    const CallSite& site = site_of_call(Symbol::k_##symbol, __builtin_return_address(0));   \
    const auto forward = [=, original = site.original]() {                                  \
      reinterpret_cast<CblasGemmBatchStrided<Scalar>*>(original)(                           \
          layout, ta, tb, m, n, k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, ldc, \
          c_stride, batch);                                                                 \
    };                                                                                      \
    const auto size = [](int64_t bits) { return int64_t{static_cast<Int>(bits)}; };         \
    const CallKey key{.m = size(m),                                                         \
                      .n = size(n),                                                         \
                      .k = size(k),                                                         \
                      .lda = size(lda),                                                     \
                      .ldb = size(ldb),                                                     \
                      .ldc = size(ldc),                                                     \
                      .batch = size(batch),                                                 \
                      .a_stride = size(a_stride),                                           \
                      .b_stride = size(b_stride),                                           \
                      .c_stride = size(c_stride)};                                          \
    const Spelling spelling{layout, ta, tb};                                                \
    answer_described(site, key, spelling, a, b, c, alpha, beta, __builtin_frame_address(0), \
                     forward);                                                              \
  }

#define X(symbol, dialect, Scalar, Int) TRIODE_##dialect(symbol, Scalar, Int)
TRIODE_BLAS_SYMBOLS
#undef X

// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

// Another library may come to lie where the closed one was, so its call sites must be found anew.
TRIODE_EXPORT int dlclose(void* handle) {
  const int result = triode::host::original_dlclose(handle);
  triode::host::the_call_sites.forget_all();
  return result;
}
