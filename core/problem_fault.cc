// SPDX-License-Identifier: Apache-2.0
#include "core/problem_fault.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "core/problem_layout.h"

namespace triode {
namespace {

using Fault = std::optional<ProblemFault>;

constexpr std::array<std::string_view, 3> kOperands = {"a", "b", "c"};

std::string is(std::string_view name, int64_t value) {
  return std::string(name) + " is " + std::to_string(value);
}

Fault fault_of_sizes(const Problem& problem) {
  const std::array<std::pair<std::string_view, int64_t>, 4> sizes = {
      {{"batch", problem.batch}, {"m", problem.m}, {"n", problem.n}, {"k", problem.k}}};
  for (const auto& [name, size] : sizes) {
    if (size < 0) {
      return ProblemFault{ProblemPart::kSizes, is(name, size) + "; sizes are not negative"};
    }
  }
  if (problem.op != Op::kBmm && problem.batch != 1) {
    return ProblemFault{ProblemPart::kSizes, is("batch", problem.batch) + ", but " +
                                                 std::string(to_string(problem.op)) +
                                                 " has a batch of 1; bmm takes any"};
  }
  return std::nullopt;
}

Fault fault_of_leading_dimensions(const Problem& problem) {
  const PerOperand lds = leading_dimensions(problem);
  const PerOperand columns = stored_columns(problem);
  for (size_t i = 0; i < lds.size(); ++i) {
    if (lds[i] < columns[i]) {
      return ProblemFault{ProblemPart::kLeadingDimensions,
                          is("ld" + std::string(kOperands[i]), lds[i]) + ", but a stored row of " +
                              std::string(kOperands[i]) + " has " + std::to_string(columns[i]) +
                              " elements; expected at least that"};
    }
  }
  return std::nullopt;
}

Fault fault_of_strides(const Problem& problem) {
  const PerOperand strides = batch_strides(problem);
  for (size_t i = 0; i < strides.size(); ++i) {
    const std::string name = std::string(kOperands[i]) + "_batch_stride";
    if (strides[i] < 0) {
      return ProblemFault{ProblemPart::kStrides,
                          is(name, strides[i]) + "; strides are not negative"};
    }
    // A number that nothing reads would make two keys of one call.
    if (problem.op != Op::kBmm && strides[i] != 0) {
      return ProblemFault{ProblemPart::kStrides, is(name, strides[i]) + ", but " +
                                                     std::string(to_string(problem.op)) +
                                                     " has no batch; expected 0"};
    }
  }
  if (problem.batch > 1 && problem.m > 0 && problem.n > 0 && problem.c_batch_stride == 0) {
    return ProblemFault{
        ProblemPart::kStrides,
        "c_batch_stride is 0, so that all results fall on the same memory; expected "
        "at least 1"};
  }
  return std::nullopt;
}

// Everything an executor computes from these numbers is an offset inside an operand, so an operand
// whose bytes can be counted in 64 bits is one whose offsets can.
Fault fault_of_extent(const Problem& problem) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const PerOperand rows = stored_rows(problem);
  const PerOperand lds = leading_dimensions(problem);
  const PerOperand strides = batch_strides(problem);
  const PerOperand bytes = element_bytes(problem);
  const int64_t steps = std::max<int64_t>(problem.batch - 1, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const __int128 elements =
        static_cast<__int128>(steps) * strides[i] + static_cast<__int128>(rows[i]) * lds[i];
    if (elements > kMost / bytes[i]) {
      return ProblemFault{ProblemPart::kSizes, "operand " + std::string(kOperands[i]) +
                                                   " spans more than " + std::to_string(kMost) +
                                                   " bytes; expected smaller sizes or strides"};
    }
  }
  return std::nullopt;
}

Fault fault_of_alignment(const Problem& problem) {
  const int32_t alignment = problem.alignment_bytes;
  if (alignment >= 1 && alignment <= kCacheLineBytes &&
      std::has_single_bit(static_cast<uint32_t>(alignment))) {
    return std::nullopt;
  }
  return ProblemFault{ProblemPart::kAlignment,
                      is("alignment", alignment) + " bytes; expected 1, 2, 4, 8, 16, 32 or 64"};
}

Fault fault_of_threads(const Problem& problem) {
  if (problem.threads >= 1) return std::nullopt;
  return ProblemFault{ProblemPart::kThreads,
                      is("threads", problem.threads) + "; expected at least 1"};
}

}  // namespace

std::optional<ProblemFault> find_fault(const Problem& problem) {
  // The extent comes after the parts it multiplies: it needs them not to be negative.
  for (const auto find : {fault_of_sizes, fault_of_leading_dimensions, fault_of_strides,
                          fault_of_extent, fault_of_alignment, fault_of_threads}) {
    if (Fault fault = find(problem)) return fault;
  }
  return std::nullopt;
}

}  // namespace triode
