// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/gpu_operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "core/problem_layout.h"
#include "core/random.h"
#include "runtime/device/typed_element.h"

namespace triode::tuner {
namespace {

// Before and after each operand: as much as a kernel's widest block of a row may reach too far.
constexpr size_t kMarginBytes = 4096;
constexpr std::byte kPattern{0xa5};  // in c, where nothing may be written
constexpr std::byte kNan{0xff};      // a NaN in every type

// Half the distance between 1 and the next number.
double rounding_of(DType type) {
  switch (type) {
    case DType::kF64:
      return 0x1p-53;
    case DType::kF16:
      return 0x1p-11;
    case DType::kBF16:
      return 0x1p-8;
    default:
      return 0x1p-24;
  }
}

// Of operands that are cut to ten bits before they are multiplied.
constexpr double kTf32Rounding = 0x1p-10;

// What the least number of a type is, below which results may be flushed.
double least_of(DType type) {
  return type == DType::kF16 ? 0x1p-14 : type == DType::kF64 ? 0x1p-1022 : 0x1p-126;
}

constexpr double kOtherAlpha = 0.75;
constexpr double kOtherBeta = -0.5;

// Whether every sum of a call's terms is exact on kEighths, in whatever order they are added and
// rounded: all are multiples of one step, and none is beyond what the accumulator counts in such
// steps. Not so where a function of the sum follows, or for types of fewer bits than eighths have,
// whose sums a GPU may keep shorter.
bool sums_of_eighths_are_exact(const Problem& problem) {
  constexpr double kStep = 1.0 / 256;  // a quarter of the product of two eighths, for alpha
  const bool is_sum = problem.epilogue == Epilogue::kNone || problem.epilogue == Epilogue::kBias ||
                      problem.epilogue == Epilogue::kBiasRelu;
  const bool holds_eighths = problem.a_type != DType::kF8E4M3 && problem.b_type != DType::kF8E4M3;
  const double largest = static_cast<double>(problem.k) + 2;  // with c and the bias
  return is_sum && holds_eighths && largest / kStep <= 1 / rounding_of(problem.accumulator);
}

double draw(GpuOperands::Contents contents, Random& random) {
  if (contents == GpuOperands::Contents::kEighths) {
    // Never zero: a product that is left out must be missed.
    const double step = static_cast<double>(random.below(16)) - 8;
    return (step < 0 ? step : step + 1) / 8;
  }
  const double fraction = 1 + static_cast<double>(random.below(1 << 20)) * 0x1p-20;
  const int exponent = static_cast<int>(random.below(13)) - 6;
  return std::ldexp(random.below(2) == 0 ? fraction : -fraction, exponent);
}

double scalar_of(ScalarClass kind, double other) {
  switch (kind) {
    case ScalarClass::kZero:
      return 0;
    case ScalarClass::kOne:
      return 1;
    case ScalarClass::kMinusOne:
      return -1;
    case ScalarClass::kOther:
      break;
  }
  return other;
}

bool adds_bias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kBiasRelu ||
         epilogue == Epilogue::kBiasGelu || epilogue == Epilogue::kBiasSilu;
}

// How one operand lies between its margins.
struct Shape {
  int64_t rows, columns, ld, batch, stride;
  DType type;

  size_t operand_bytes() const {
    const int64_t elements = (batch - 1) * stride + (rows - 1) * ld + columns;
    return static_cast<size_t>(elements * size_bytes(type));
  }
  size_t buffer_bytes() const { return operand_bytes() + 2 * kMarginBytes; }
  size_t offset(int64_t index, int64_t row, int64_t column) const {
    return kMarginBytes +
           static_cast<size_t>((index * stride + row * ld + column) * size_bytes(type));
  }
  // Calls visit(offset) for each element, in the order of memory.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (int64_t index = 0; index < batch; ++index) {
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < columns; ++column) visit(offset(index, row, column));
      }
    }
  }
};

Shape shape_of(const Problem& problem, size_t operand) {
  const DType types[] = {problem.a_type, problem.b_type, problem.c_type};
  const int64_t stride = batch_strides(problem)[operand];
  // The same matrix in each product of the batch.
  const bool repeats = problem.batch > 1 && stride == 0;
  return {stored_rows(problem)[operand],
          stored_columns(problem)[operand],
          leading_dimensions(problem)[operand],
          repeats ? 1 : problem.batch,
          stride,
          types[operand]};
}

Shape bias_shape(const Problem& problem) {
  return {1, problem.n, problem.n, 1, 0, problem.c_type};
}

std::vector<std::byte> drawn(const Shape& shape, std::byte filler, GpuOperands::Contents contents,
                             Random& random) {
  std::vector<std::byte> bytes(shape.buffer_bytes(), filler);
  shape.for_each([&](size_t at) { store_element(&bytes[at], shape.type, draw(contents, random)); });
  return bytes;
}

std::vector<std::byte> magnitudes_of(std::vector<std::byte> bytes, const Shape& shape) {
  shape.for_each([&](size_t at) {
    store_element(&bytes[at], shape.type, std::fabs(load_element(&bytes[at], shape.type)));
  });
  return bytes;
}

Result<CudaBuffer> place(CudaDevice& device, const std::vector<std::byte>& bytes) {
  CudaBuffer buffer = TRIODE_TRY(device.allocate(bytes.size()));
  TRIODE_TRY(buffer.upload(bytes.data()));
  return buffer;
}

void* operand_in(const CudaBuffer& buffer) {
  return static_cast<std::byte*>(buffer.data()) + kMarginBytes;
}

}  // namespace

Result<std::unique_ptr<GpuOperands>> GpuOperands::make(CudaDevice& device, const Problem& problem,
                                                       Contents contents, uint64_t seed,
                                                       const Vendor& vendor) {
  std::unique_ptr<GpuOperands> made(new GpuOperands(problem));
  TRIODE_TRY(made->fill(device, contents, seed));
  TRIODE_TRY(made->find_expected(device, vendor));
  return made;
}

Status GpuOperands::fill(CudaDevice& device, Contents contents, uint64_t seed) {
  Random random(seed);
  is_exact_ = contents == Contents::kEighths && sums_of_eighths_are_exact(problem_);
  a_bytes_ = drawn(shape_of(problem_, 0), kNan, contents, random);
  b_bytes_ = drawn(shape_of(problem_, 1), kNan, contents, random);
  c_bytes_ = drawn(shape_of(problem_, 2), kPattern, contents, random);
  a_ = TRIODE_TRY(place(device, a_bytes_));
  b_ = TRIODE_TRY(place(device, b_bytes_));
  c_ = TRIODE_TRY(place(device, c_bytes_));
  operands_.a = operand_in(a_);
  operands_.b = operand_in(b_);
  operands_.c = operand_in(c_);
  operands_.alpha = scalar_of(problem_.alpha, kOtherAlpha);
  operands_.beta = scalar_of(problem_.beta, kOtherBeta);
  if (!adds_bias(problem_.epilogue)) return {};
  bias_bytes_ = drawn(bias_shape(problem_), kNan, contents, random);
  bias_ = TRIODE_TRY(place(device, bias_bytes_));
  operands_.bias = operand_in(bias_);
  return {};
}

Status GpuOperands::find_expected(CudaDevice& device, const Vendor& vendor) {
  const Shape c = shape_of(problem_, 2);
  expected_.resize(c_bytes_.size());
  TRIODE_TRY(vendor(operands_));
  TRIODE_TRY(c_.download(expected_.data()));

  const CudaBuffer a_sizes =
      TRIODE_TRY(place(device, magnitudes_of(a_bytes_, shape_of(problem_, 0))));
  const CudaBuffer b_sizes =
      TRIODE_TRY(place(device, magnitudes_of(b_bytes_, shape_of(problem_, 1))));
  TRIODE_TRY(c_.upload(magnitudes_of(c_bytes_, c).data()));
  Operands sizes = operands_;
  sizes.a = operand_in(a_sizes);
  sizes.b = operand_in(b_sizes);
  sizes.alpha = std::fabs(sizes.alpha);
  sizes.beta = std::fabs(sizes.beta);
  CudaBuffer bias_sizes;
  if (sizes.bias != nullptr) {
    bias_sizes = TRIODE_TRY(place(device, magnitudes_of(bias_bytes_, bias_shape(problem_))));
    sizes.bias = operand_in(bias_sizes);
  }
  TRIODE_TRY(vendor(sizes));
  std::vector<std::byte> sums(c_bytes_.size());
  TRIODE_TRY(c_.download(sums.data()));
  magnitudes_.clear();
  c.for_each([&](size_t at) { magnitudes_.push_back(load_element(&sums[at], c.type)); });
  return reset_c();
}

Status GpuOperands::reset_c() const {
  return c_.upload(c_bytes_.data());
}

double GpuOperands::tolerance(double magnitude, double expected) const {
  const double eps =
      problem_.a_type == DType::kTF32 ? kTf32Rounding : rounding_of(problem_.accumulator);
  const double terms = static_cast<double>(problem_.k) + 4;
  // Operands of tf32 are off once each, whatever the length; sums add f32's own.
  const double rounded = problem_.a_type == DType::kTF32
                             ? 4 * eps + 2 * terms * rounding_of(DType::kF32)
                             : 2 * terms * eps;
  const double sums = is_exact_ ? 0 : rounded;
  // Both were rounded to c's type.
  return sums * magnitude + 4 * rounding_of(problem_.c_type) * std::fabs(expected) +
         2 * least_of(problem_.c_type);
}

Result<Outcome> GpuOperands::check() const {
  std::vector<std::byte> found(c_bytes_.size());
  TRIODE_TRY(c_.download(found.data()));
  const Shape c = shape_of(problem_, 2);
  std::string wrong;
  size_t element = 0;
  std::vector<std::byte> between = c_bytes_;  // what may not be changed, once elements are the same
  c.for_each([&](size_t at) {
    const double is = load_element(&found[at], c.type),
                 should = load_element(&expected_[at], c.type);
    const double off = std::fabs(is - should);
    // No sum of such numbers is not a number.
    if (is != should && !(off <= tolerance(magnitudes_[element], should)) && wrong.empty()) {
      wrong = "element " + std::to_string(element) + " is " + std::to_string(is) +
              ", and the vendor has " + std::to_string(should);
    }
    ++element;
    std::memcpy(&between[at], &found[at], static_cast<size_t>(size_bytes(c.type)));
  });
  if (wrong.empty() && between != found) wrong = "it wrote outside of c";
  if (wrong.empty()) return Outcome{};
  return Outcome{OutcomeKind::kWrongResult, wrong};
}

}  // namespace triode::tuner
