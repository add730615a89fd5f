// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/tunableop_problem.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace triode::exchange {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('_', start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// The types of a signature, which may have '_' inside: "Float8_e4m3fn_Float8_e4m3fn_BFloat16".
constexpr std::array<std::pair<std::string_view, DType>, 6> kTypes{{
    {"Float8_e4m3fn", DType::kF8E4M3},
    {"BFloat16", DType::kBF16},
    {"float", DType::kF32},
    {"double", DType::kF64},
    {"Half", DType::kF16},
    {"tf32", DType::kTF32},
}};

struct Signature {
  bool has_bias = false;
  bool is_batched = false;
  std::vector<DType> types;  // empty: one that Triode does not have
};

std::vector<DType> read_types(std::string_view text) {
  std::vector<DType> types;
  while (!text.empty()) {
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) {
      return text == type.first || text.starts_with(std::string(type.first) + "_");
    });
    if (found == kTypes.end()) return {};
    types.push_back(found->second);
    text.remove_prefix(std::min(found->first.size() + 1, text.size()));
  }
  return types;
}

// The signature without its operation and its last part, the transposes in capitals.
Result<Signature> read_signature(std::string_view text) {
  constexpr std::array<std::string_view, 4> kOperations = {
      "GemmTunableOp_", "GemmAndBiasTunableOp_", "GemmStridedBatchedTunableOp_",
      "ScaledGemmTunableOp_"};
  const auto operation =
      std::find_if(kOperations.begin(), kOperations.end(),
                   [&](std::string_view start) { return text.starts_with(start); });
  const size_t last = text.rfind('_');
  const std::string_view transposes = text.substr(last + 1);
  const bool has_transposes =
      transposes.size() == 2 && transposes.find_first_not_of("NT") == std::string_view::npos;
  if (operation == kOperations.end() || !has_transposes || last <= operation->size()) {
    return invalid_argument("\"" + std::string(text.substr(0, 80)) +
                            "\" is not the signature of a TunableOp");
  }
  Signature signature;
  signature.has_bias = *operation == kOperations[1];
  signature.is_batched = *operation == kOperations[2];
  signature.types = read_types(text.substr(operation->size(), last - operation->size()));
  return signature;
}

// The parameters, part by part.
class Parameters {
 public:
  explicit Parameters(std::string_view text) : text_(text), parts_(split(text)) {}

  bool at_end() const { return next_ == parts_.size(); }
  bool take(std::string_view word) {
    if (at_end() || parts_[next_] != word) return false;
    ++next_;
    return true;
  }
  std::string_view take_any() { return at_end() ? std::string_view() : parts_[next_++]; }
  Result<int64_t> number() {
    int64_t value = 0;
    const std::string_view part = take_any();
    const auto answer = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || answer.ec != std::errc() || answer.ptr != part.data() + part.size() ||
        value < 0 || value > std::numeric_limits<int32_t>::max()) {
      return fault();
    }
    return value;
  }
  Status fault() const {
    return invalid_argument("\"" + std::string(text_.substr(0, 120)) +
                            "\" are not the parameters of a TunableOp");
  }

 private:
  std::string_view text_;
  std::vector<std::string_view> parts_;
  size_t next_ = 0;
};

void set_batch_strides(Problem& problem) {
  problem.a_batch_stride = problem.lda * (problem.a_transposed ? problem.k : problem.m);
  problem.b_batch_stride = problem.ldb * (problem.b_transposed ? problem.n : problem.k);
  problem.c_batch_stride = problem.ldc * problem.m;
}

// Sizes and leading dimensions, still in column-major terms.
Status read_sizes(Parameters& parameters, Problem& problem) {
  const std::string_view transposes = parameters.take_any();
  if (transposes.size() != 2 || transposes.find_first_not_of("nt") != std::string_view::npos) {
    return parameters.fault();
  }
  problem.a_transposed = transposes[0] == 't';
  problem.b_transposed = transposes[1] == 't';
  problem.m = TRIODE_TRY(parameters.number());
  problem.n = TRIODE_TRY(parameters.number());
  problem.k = TRIODE_TRY(parameters.number());
  if (parameters.take("B")) problem.batch = TRIODE_TRY(parameters.number());
  problem = from_column_major(problem);
  problem.make_tight();
  problem = from_column_major(problem);
  if (!parameters.take("ld")) return {};
  problem.lda = TRIODE_TRY(parameters.number());
  problem.ldb = TRIODE_TRY(parameters.number());
  problem.ldc = TRIODE_TRY(parameters.number());
  return {};
}

}  // namespace

Result<std::optional<Problem>> problem_of_tunableop(std::string_view signature_text,
                                                    std::string_view parameters_text,
                                                    std::string& reason) {
  const Signature signature = TRIODE_TRY(read_signature(signature_text));
  if (parameters_text.find('*') != std::string_view::npos) {
    reason = "a wildcard for a size: Triode keeps exact problems";
    return std::optional<Problem>();
  }
  Parameters parameters(parameters_text);
  Problem problem;
  problem.op = signature.is_batched ? Op::kBmm : Op::kMm;
  TRIODE_TRY(read_sizes(parameters, problem));
  bool has_bias = signature.has_bias;
  if (parameters.take("rw")) {
    TRIODE_TRY(parameters.number());
    if (!parameters.take("bias")) return parameters.fault();
    has_bias = parameters.take_any() != "None";
  }
  if (!parameters.at_end()) return parameters.fault();
  if (signature.types.empty() || signature.types.size() == 2 || signature.types.size() > 3) {
    reason = "a type that Triode does not have";
    return std::optional<Problem>();
  }
  problem.a_type = signature.types[0];
  problem.b_type = signature.types.size() == 3 ? signature.types[1] : problem.a_type;
  problem.c_type = signature.types.back();
  problem.accumulator = Problem::mm(problem.a_type, 1, 1, 1).accumulator;
  problem = from_column_major(problem);
  if (problem.op == Op::kBmm) set_batch_strides(problem);
  if (has_bias) {
    problem.op = Op::kAddmm;
    problem.epilogue = Epilogue::kBias;
  }
  TRIODE_TRY(problem.validate());
  return std::optional<Problem>(problem);
}

}  // namespace triode::exchange
