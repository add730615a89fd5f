// SPDX-License-Identifier: Apache-2.0
// cublas_guest HOW SIZE: a program that multiplies on a GPU by cuBLAS, and knows nothing of Triode.
// It makes the same call until the library is not asked any more, and looks at the numbers. HOW is
//   gemm_ex, sgemm, dgemm, batched   functions of cuBLAS
//   lt, lt_relu                      cublasLtMatmul, plain and with a bias and relu
//   capture                          gemm_ex while its stream is captured into a graph
//   lost                             gemm_ex, whose GPU faults once the library is not asked
//   drift                            gemm_ex, until the library, faster all at once, is asked again
//   steady                           gemm_ex, many times more
//   vendor                           gemm_ex until its input ends, whoever answers
// TWO_DEVICES in the environment: on each of two GPUs.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/small_floats.h"

extern "C" uint64_t cublasStandInCalls(cublasHandle_t handle);
extern "C" uint64_t cublasLtStandInCalls();

namespace {

using Clock = std::chrono::steady_clock;

void require(bool is_well, const char* what) {
  if (is_well) return;
  std::fprintf(stderr, "cublas_guest: %s failed\n", what);
  std::exit(1);
}

// Multiples of 1/8, whose products and sums are exact in all types.
double element(int64_t i) {
  return static_cast<double>(i * 7 % 17 - 8) / 8;
}

// A matrix of eighths in the GPU's memory.
struct Matrix {
  Matrix(int64_t count, size_t element_bytes) : bytes(static_cast<size_t>(count) * element_bytes) {
    std::vector<char> host(bytes);
    for (int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(element(i));
      char* const to = host.data() + static_cast<size_t>(i) * element_bytes;
      const auto store = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
      if (element_bytes == 2) store(triode::float_to_f16(value));
      if (element_bytes == 4) store(value);
      if (element_bytes == 8) store(double{value});
    }
    require(cuMemAlloc(&address, bytes) == CUDA_SUCCESS, "cuMemAlloc");
    require(cuMemcpyHtoD(address, host.data(), bytes) == CUDA_SUCCESS, "cuMemcpyHtoD");
  }
  void* data() const { return reinterpret_cast<void*>(address); }

  size_t bytes;
  CUdeviceptr address = 0;
};

// c = a b, column-major and square.
class Guest {
 public:
  Guest(const std::string& how, int size) : how_(how), size_(size) {
    require(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS, "cuStreamCreate");
    require(cublasCreate_v2(&handle_) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    require(cublasSetStream_v2(handle_, stream_) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");
    operand_bytes_ = how == "sgemm" || how == "batched" ? 4 : how == "dgemm" ? 8 : 2;
    is_lt_ = how == "lt" || how == "lt_relu";
    c_bytes_ = how == "dgemm" ? 8 : is_lt_ ? 2 : 4;
    batch_ = how == "batched" ? 3 : 1;
    const int64_t elements = int64_t{size} * size * batch_;
    a_ = std::make_unique<Matrix>(elements, operand_bytes_);
    b_ = std::make_unique<Matrix>(elements, operand_bytes_);
    c_ = std::make_unique<Matrix>(elements, c_bytes_);
    if (is_lt_) describe();
  }

  // Until so many calls in a row did not reach the library.
  bool run_until_answered(std::chrono::seconds patience, int wanted,
                          std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
    const auto end = Clock::now() + patience;
    for (int in_a_row = 0; in_a_row < wanted;) {
      const uint64_t before = vendor_calls();
      require(call(), "the product");
      in_a_row = vendor_calls() == before ? in_a_row + 1 : 0;
      if (Clock::now() > end) return false;
      if (in_a_row == 0) std::this_thread::sleep_for(pause);
    }
    return true;
  }

  // Makes so many calls, or fewer until 64 in a row reached the library; whether they did.
  bool run_until_the_library_is_asked(int most) {
    int in_a_row = 0;
    for (int i = 0; i < most && in_a_row < 64; ++i) {
      const uint64_t before = vendor_calls();
      require(call(), "the product");
      in_a_row = vendor_calls() != before ? in_a_row + 1 : 0;
      // Times are read beside the program.
      if (i % 32 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return in_a_row == 64;
  }

  // The calls before the capture make it worth a search; the plan comes while it lasts.
  bool run_captured(std::chrono::seconds patience) {
    for (int i = 0; i < 20; ++i) require(call(), "the product");
    require(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS,
            "cuStreamBeginCapture");
    // The graph keeps every call until then.
    const bool is_answered = run_until_answered(patience, 1, std::chrono::milliseconds(100));
    const uint64_t before = vendor_calls();
    for (int i = 0; i < 300; ++i) require(call(), "the product");
    require(vendor_calls() == before, "keeping the library out of the graph");
    CUgraph graph = nullptr;
    require(cuStreamEndCapture(stream_, &graph) == CUDA_SUCCESS, "cuStreamEndCapture");
    CUgraphExec executable = nullptr;
    require(cuGraphInstantiate(&executable, graph, 0) == CUDA_SUCCESS, "cuGraphInstantiate");
    std::vector<char> zeros(c_->bytes);
    require(cuMemcpyHtoD(c_->address, zeros.data(), c_->bytes) == CUDA_SUCCESS, "cuMemcpyHtoD");
    require(cuGraphLaunch(executable, stream_) == CUDA_SUCCESS, "cuGraphLaunch");
    return is_answered;
  }

  bool is_right() const {
    require(cuStreamSynchronize(stream_) == CUDA_SUCCESS, "cuStreamSynchronize");
    std::vector<char> host(c_->bytes);
    require(cuMemcpyDtoH(host.data(), c_->address, c_->bytes) == CUDA_SUCCESS, "cuMemcpyDtoH");
    const int64_t n = size_;
    for (int64_t at = 0; at < n * n * batch_; ++at) {
      const int64_t base = at / (n * n) * n * n, i = at % n, j = at % (n * n) / n;
      double sum = 0;
      for (int64_t l = 0; l < n; ++l) sum += element(base + i + l * n) * element(base + l + j * n);
      if (bias_ != nullptr) sum = std::max(sum + element(i), 0.0);
      const double is = read(host.data() + static_cast<size_t>(at) * c_bytes_);
      // Sums are exact; half floats are not.
      const double off = c_bytes_ == 2 ? 0.001 * (sum < 0 ? -sum : sum) : 0;
      if (!(is - sum <= off && sum - is <= off)) {
        std::fprintf(stderr, "cublas_guest: element %ld is %g and not %g\n", at, is, sum);
        return false;
      }
    }
    return true;
  }

  bool call() {
    const float one = 1, zero = 0;
    const double wide_one = 1, wide_zero = 0;
    const int n = size_;
    const long long stride = static_cast<long long>(n) * n;
    if (is_lt_) return multiply_by_lt();
    if (how_ == "sgemm") {
      return cublasSgemm_v2(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, as<float>(a_), n,
                            as<float>(b_), n, &zero, as<float>(c_), n) == CUBLAS_STATUS_SUCCESS;
    }
    if (how_ == "dgemm") {
      return cublasDgemm_v2(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &wide_one, as<double>(a_),
                            n, as<double>(b_), n, &wide_zero, as<double>(c_),
                            n) == CUBLAS_STATUS_SUCCESS;
    }
    if (how_ == "batched") {
      return cublasSgemmStridedBatched(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                                       as<float>(a_), n, stride, as<float>(b_), n, stride, &zero,
                                       as<float>(c_), n, stride, batch_) == CUBLAS_STATUS_SUCCESS;
    }
    return cublasGemmEx(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a_->data(), CUDA_R_16F, n,
                        b_->data(), CUDA_R_16F, n, &zero, c_->data(), CUDA_R_32F, n,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
  }

 private:
  template <typename T>
  static T* as(const std::unique_ptr<Matrix>& matrix) {
    return static_cast<T*>(matrix->data());
  }

  double read(const char* from) const {
    uint16_t half;
    float single;
    double wide;
    if (c_bytes_ == 2) return std::memcpy(&half, from, 2), triode::f16_to_float(half);
    if (c_bytes_ == 4) return std::memcpy(&single, from, 4), single;
    return std::memcpy(&wide, from, 8), wide;
  }

  uint64_t vendor_calls() const {
    return is_lt_ ? cublasLtStandInCalls() : cublasStandInCalls(handle_);
  }

  void describe() {
    const auto n = static_cast<uint64_t>(size_);
    require(cublasLtCreate(&lt_) == CUBLAS_STATUS_SUCCESS, "cublasLtCreate");
    require(
        cublasLtMatmulDescCreate(&desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS,
        "cublasLtMatmulDescCreate");
    require(cublasLtMatrixLayoutCreate(&layout_, CUDA_R_16F, n, n, size_) == CUBLAS_STATUS_SUCCESS,
            "cublasLtMatrixLayoutCreate");
    if (how_ != "lt_relu") return;
    bias_ = std::make_unique<Matrix>(size_, c_bytes_);
    describe(CUBLASLT_MATMUL_DESC_EPILOGUE, cublasLtEpilogue_t{CUBLASLT_EPILOGUE_RELU_BIAS});
    describe(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_->data());
  }

  template <typename T>
  void describe(cublasLtMatmulDescAttributes_t which, const T& value) {
    require(
        cublasLtMatmulDescSetAttribute(desc_, which, &value, sizeof value) == CUBLAS_STATUS_SUCCESS,
        "cublasLtMatmulDescSetAttribute");
  }

  bool multiply_by_lt() {
    const float one = 1, zero = 0;
    return cublasLtMatmul(lt_, desc_, &one, a_->data(), layout_, b_->data(), layout_, &zero,
                          c_->data(), layout_, c_->data(), layout_, nullptr, nullptr, 0,
                          stream_) == CUBLAS_STATUS_SUCCESS;
  }

  const std::string how_;
  const int size_;
  int batch_ = 1;
  bool is_lt_ = false;
  size_t operand_bytes_ = 2, c_bytes_ = 4;
  CUstream stream_ = nullptr;
  cublasHandle_t handle_ = nullptr;
  cublasLtHandle_t lt_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t layout_ = nullptr;
  std::unique_ptr<Matrix> a_, b_, c_, bias_;
};

constexpr std::chrono::seconds kPatience(200);
constexpr int kManyCalls = 3000;
constexpr std::chrono::milliseconds kPause(5);

void run_until_input_ends(Guest& guest) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char byte;
  do {
    require(guest.call(), "the product");
    std::this_thread::sleep_for(kPause);
  } while (poll(&input, 1, 0) == 0 || read(STDIN_FILENO, &byte, 1) > 0);
}

// Whether the program hears of it at each call from then on, as it would without Triode.
bool hears_of_a_fault(Guest& guest) {
  setenv("TRIODE_VGPU_FAULTS", "cuLaunchKernel=700", 1);
  return !guest.call() && !guest.call();
}

void print(const char* fact, int device, bool value) {
  const std::string suffix = device == 0 ? "" : "_" + std::to_string(device);
  std::printf("%s%s=%d\n", fact, suffix.c_str(), value ? 1 : 0);
}

// The facts of one device, with a name of their own for the second.
void run_on(int device, const std::string& how, int size) {
  CUcontext context = nullptr;
  require(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS, "cuDevicePrimaryCtxRetain");
  require(cuCtxSetCurrent(context) == CUDA_SUCCESS, "cuCtxSetCurrent");
  Guest guest(how, size);
  if (how == "vendor") {
    run_until_input_ends(guest);
  } else {
    print(
        "is_answered", device,
        how == "capture" ? guest.run_captured(kPatience) : guest.run_until_answered(kPatience, 20));
  }
  if (how == "drift") {
    setenv("TRIODE_VGPU_VENDOR_MS", "0.0001", 1);
    print("is_withdrawn", device, guest.run_until_the_library_is_asked(kManyCalls));
  }
  if (how == "steady") {
    print("is_withdrawn", device, guest.run_until_the_library_is_asked(kManyCalls));
  }
  print("is_right", device, guest.is_right());
  if (how == "lost") print("hears_of_it", device, hears_of_a_fault(guest));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  require(cuInit(0) == CUDA_SUCCESS, "cuInit");
  run_on(0, arguments[1], std::atoi(arguments[2]));
  if (std::getenv("TWO_DEVICES") != nullptr) run_on(1, arguments[1], std::atoi(arguments[2]));
}
