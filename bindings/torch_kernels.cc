// SPDX-License-Identifier: Apache-2.0
// Triode in front of torch's own matmuls, by its dispatcher. Below autograd: torch differentiates
// what it always did.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_addmm_activation_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/relu.h>
#include <c10/util/Exception.h>
#include <torch/library.h>
#include <triode/torch.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bindings/tensor_matmul.h"

namespace triode::torch_kernels {
namespace {

using at::Scalar;
using at::Tensor;
using c10::DispatchKeySet;

// The kernel of an operator that was there before ours. Set while no kernel of ours is registered.
template <typename Op, typename Schema = typename Op::schema>
class SavedKernel;

template <typename Op, typename Return, typename... Arguments>
class SavedKernel<Op, Return(Arguments...)> {
 public:
  static void save() {
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
    handle_.emplace(op.template typed<Return(Arguments...)>());
    kernel_.emplace(op.getComputedKernelForDispatchKey(c10::DispatchKey::CPU));
  }

  static Return call(DispatchKeySet keys, Arguments... arguments) {
    return kernel_->kernelFunction().template call<Return, Arguments...>(
        *handle_, keys, std::forward<Arguments>(arguments)...);
  }

 private:
  static inline std::optional<c10::TypedOperatorHandle<Return(Arguments...)>> handle_;
  static inline std::optional<c10::SafeKernelFunction> kernel_;
};

std::atomic<uint64_t> passed_calls{0};

// One turn of a matmul, from who answers it to its end, also by an exception.
class Turn {
 public:
  Turn(TensorMatmul& matmul, const void* frame) : matmul_(matmul) {
    turn_.function = matmul.function();
    turn_.library = reinterpret_cast<const void*>(&at::get_num_threads);
    turn_.frame = frame;
    triode_turn_begin(&matmul.call(), &turn_);  // an error makes it torch's turn
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { triode_turn_end(&turn_); }

  bool is_plans() const { return turn_.is_plans != 0; }
  bool run(const Tensor& c) {
    matmul_.place_result(c);
    return triode_turn_run(&turn_, &matmul_.call()) == TRIODE_OK;
  }

 private:
  TensorMatmul& matmul_;
  triode_turn turn_ = TRIODE_TURN_INIT;
};

// beta self + alpha a b; without a self, a b.
struct Product {
  const Tensor* self;
  const Tensor& a;
  const Tensor& b;
  const Scalar* beta;
  const Scalar* alpha;
};

enum class Activation { kNone, kRelu, kGelu };

void apply(Activation activation, Tensor& c) {
  if (activation == Activation::kRelu) at::relu_(c);
  if (activation == Activation::kGelu) at::gelu_(c);
}

bool take(const Product& product, TensorMatmul& matmul) {
  if (at::globalContext().deterministicAlgorithms()) return false;
  return matmul.take_operands(product.a, product.b) &&
         (product.self == nullptr || matmul.take_scalars(*product.beta, *product.alpha));
}

template <typename Own>
auto pass(const Own& own) -> decltype(own()) {
  passed_calls.fetch_add(1, std::memory_order_relaxed);
  return own();
}

// `own` is torch's kernel; `frame` that of the function that torch called.
template <typename Own>
Tensor into_new(const Product& product, const void* frame, const Own& own,
                Activation activation = Activation::kNone) {
  TensorMatmul matmul;
  if (!take(product, matmul)) return pass(own);
  if (product.self != nullptr && !matmul.take_addend(*product.self)) return pass(own);
  matmul.take_new_result();
  Turn turn(matmul, frame);
  if (turn.is_plans()) {
    Tensor c = matmul.make_result();
    if (product.self != nullptr && matmul.reads_addend()) matmul.fill(*product.self, c);
    if (turn.run(c)) {
      apply(activation, c);
      return c;
    }
  }
  return own();
}

// Whether c may be filled before the operands are read.
bool may_fill(const Product& product, const Tensor& c) {
  return !TensorMatmul::share_memory(*product.self, c) &&
         !TensorMatmul::share_memory(product.a, c) && !TensorMatmul::share_memory(product.b, c);
}

template <typename Own>
Tensor& into(Tensor& c, const Product& product, const void* frame, const Own& own,
             Activation activation = Activation::kNone) {
  TensorMatmul matmul;
  if (!take(product, matmul) || !matmul.take_result(c)) return pass(own);
  const bool fills = product.self != nullptr && matmul.reads_addend() && !product.self->is_same(c);
  if (product.self != nullptr && !matmul.take_addend(*product.self)) return pass(own);
  if (fills && !may_fill(product, c)) return pass(own);
  Turn turn(matmul, frame);
  if (turn.is_plans()) {
    if (fills) matmul.fill(*product.self, c);
    if (turn.run(c)) {
      apply(activation, c);
      return c;
    }
  }
  return own();
}

#define TRIODE_FRAME __builtin_frame_address(0)

template <typename Op>
Tensor multiply(DispatchKeySet keys, const Tensor& a, const Tensor& b) {
  return into_new({nullptr, a, b, nullptr, nullptr}, TRIODE_FRAME,
                  [&] { return SavedKernel<Op>::call(keys, a, b); });
}

template <typename Op>
Tensor& multiply_out(DispatchKeySet keys, const Tensor& a, const Tensor& b, Tensor& out) {
  return into(out, {nullptr, a, b, nullptr, nullptr}, TRIODE_FRAME,
              [&]() -> Tensor& { return SavedKernel<Op>::call(keys, a, b, out); });
}

template <typename Op>
Tensor add(DispatchKeySet keys, const Tensor& self, const Tensor& a, const Tensor& b,
           const Scalar& beta, const Scalar& alpha) {
  return into_new({&self, a, b, &beta, &alpha}, TRIODE_FRAME,
                  [&] { return SavedKernel<Op>::call(keys, self, a, b, beta, alpha); });
}

template <typename Op>
Tensor& add_out(DispatchKeySet keys, const Tensor& self, const Tensor& a, const Tensor& b,
                const Scalar& beta, const Scalar& alpha, Tensor& out) {
  return into(out, {&self, a, b, &beta, &alpha}, TRIODE_FRAME, [&]() -> Tensor& {
    return SavedKernel<Op>::call(keys, self, a, b, beta, alpha, out);
  });
}

template <typename Op>
Tensor& add_in_place(DispatchKeySet keys, Tensor& self, const Tensor& a, const Tensor& b,
                     const Scalar& beta, const Scalar& alpha) {
  return into(self, {&self, a, b, &beta, &alpha}, TRIODE_FRAME,
              [&]() -> Tensor& { return SavedKernel<Op>::call(keys, self, a, b, beta, alpha); });
}

Tensor activate(DispatchKeySet keys, const Tensor& self, const Tensor& a, const Tensor& b,
                const Scalar& beta, const Scalar& alpha, bool use_gelu) {
  using Op = at::_ops::_addmm_activation;
  return into_new(
      {&self, a, b, &beta, &alpha}, TRIODE_FRAME,
      [&] { return SavedKernel<Op>::call(keys, self, a, b, beta, alpha, use_gelu); },
      use_gelu ? Activation::kGelu : Activation::kRelu);
}

Tensor& activate_out(DispatchKeySet keys, const Tensor& self, const Tensor& a, const Tensor& b,
                     const Scalar& beta, const Scalar& alpha, bool use_gelu, Tensor& out) {
  using Op = at::_ops::_addmm_activation_out;
  return into(
      out, {&self, a, b, &beta, &alpha}, TRIODE_FRAME,
      [&]() -> Tensor& {
        return SavedKernel<Op>::call(keys, self, a, b, beta, alpha, use_gelu, out);
      },
      use_gelu ? Activation::kGelu : Activation::kRelu);
}

#undef TRIODE_FRAME

// The use defines X(operator of at::_ops, kernel of ours).
#define TRIODE_TORCH_KERNELS                     \
  X(mm, multiply<at::_ops::mm>)                  \
  X(mm_out, multiply_out<at::_ops::mm_out>)      \
  X(bmm, multiply<at::_ops::bmm>)                \
  X(bmm_out, multiply_out<at::_ops::bmm_out>)    \
  X(addmm, add<at::_ops::addmm>)                 \
  X(addmm_out, add_out<at::_ops::addmm_out>)     \
  X(addmm_, add_in_place<at::_ops::addmm_>)      \
  X(baddbmm, add<at::_ops::baddbmm>)             \
  X(baddbmm_out, add_out<at::_ops::baddbmm_out>) \
  X(baddbmm_, add_in_place<at::_ops::baddbmm_>)  \
  X(_addmm_activation, activate)                 \
  X(_addmm_activation_out, activate_out)

template <typename Op>
std::string full_name() {
  const std::string overload = Op::overload_name;
  return overload.empty() ? Op::name : Op::name + ("." + overload);
}

// Never destroyed at the end of the process: torch's dispatcher may be gone by then.
torch::Library* registration = nullptr;
std::mutex registration_mutex;
std::string last_error;

// To override is what was asked for; torch would tell a program in C++ of it as of a mistake.
class NoWarnings : public c10::WarningHandler {
  void process(const c10::Warning& /*warning*/) override {}
};

void intercept() {
  if (registration != nullptr) return;
  NoWarnings none;
  const c10::WarningUtils::WarningHandlerGuard guard(&none);
#define X(op, kernel) SavedKernel<at::_ops::op>::save();
  TRIODE_TORCH_KERNELS
#undef X
  auto library = std::make_unique<torch::Library>(
      torch::Library::IMPL, "aten", std::make_optional(c10::DispatchKey::CPU), __FILE__, __LINE__);
#define X(op, kernel) library->impl(full_name<at::_ops::op>().c_str(), TORCH_FN(kernel));
  TRIODE_TORCH_KERNELS
#undef X
  registration = library.release();
}

void release() {
  delete std::exchange(registration, nullptr);
}

template <typename Body>
triode_status guarded(const Body& body) {
  const std::lock_guard lock(registration_mutex);
  try {
    body();
    return TRIODE_OK;
  } catch (const std::exception& error) {
    last_error = std::string("torch refuses: ") + error.what();
    return TRIODE_INTERNAL;
  }
}

}  // namespace
}  // namespace triode::torch_kernels

TRIODE_API triode_status triode_torch_intercept(void) {
  return triode::torch_kernels::guarded([] { triode::torch_kernels::intercept(); });
}

TRIODE_API triode_status triode_torch_release(void) {
  return triode::torch_kernels::guarded([] { triode::torch_kernels::release(); });
}

TRIODE_API uint64_t triode_torch_passed(void) {
  return triode::torch_kernels::passed_calls.load(std::memory_order_relaxed);
}

TRIODE_API const char* triode_torch_last_error(void) {
  return triode::torch_kernels::last_error.c_str();
}
