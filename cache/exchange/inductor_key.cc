// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/inductor_key.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

struct Input {
  std::string_view type;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

// Reads what Python prints for the tuple of inputs.
class KeyParser {
 public:
  explicit KeyParser(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  bool read_input(Input& input) {
    if (!take("(torch.")) return false;
    const size_t end = text_.find(',', position_);
    if (end == std::string_view::npos) return false;
    input.type = text_.substr(position_, end - position_);
    position_ = end;
    return take(", ") && read_list(input.sizes) && take(", ") && read_list(input.strides) &&
           take(")") && input.sizes.size() == input.strides.size();
  }

  bool read_inputs(std::vector<Input>& inputs) {
    if (!take("(")) return false;
    do {
      if (inputs.size() == kMostInputs || !read_input(inputs.emplace_back())) return false;
    } while (take(", "));
    return take(")");
  }

  std::string_view rest() const { return text_.substr(position_); }

 private:
  static constexpr size_t kMostInputs = 8;
  static constexpr size_t kMostDimensions = 8;

  bool read_list(std::vector<int64_t>& numbers) {
    if (!take("[")) return false;
    do {
      int64_t number = 0;
      const char* start = text_.data() + position_;
      const auto answer = std::from_chars(start, text_.data() + text_.size(), number);
      if (answer.ec != std::errc() || number < 0 || number > INT32_MAX ||
          numbers.size() == kMostDimensions) {
        return false;
      }
      position_ += static_cast<size_t>(answer.ptr - start);
      numbers.push_back(number);
    } while (take(", "));
    return take("]");
  }

  std::string_view text_;
  size_t position_ = 0;
};

// The last two dimensions of an input, and its batch stride.
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  OperandLayout layout;
  int64_t batch = 1;
  int64_t batch_stride = 0;
};

std::optional<Matrix> matrix_of(const Input& input, size_t dimensions) {
  if (input.sizes.size() != dimensions) return std::nullopt;
  const size_t last = dimensions - 1;
  Matrix matrix;
  matrix.rows = input.sizes[last - 1];
  matrix.columns = input.sizes[last];
  const std::optional<OperandLayout> layout =
      layout_of(matrix.rows, matrix.columns, input.strides[last - 1], input.strides[last]);
  if (!layout.has_value()) return std::nullopt;
  matrix.layout = *layout;
  if (dimensions == 3) {
    matrix.batch = input.sizes[0];
    matrix.batch_stride = input.strides[0];
  }
  return matrix;
}

std::optional<Problem> problem_of(Op op, const std::vector<Input>& inputs, std::string& reason) {
  const size_t count = op == Op::kAddmm ? 3 : 2;
  const size_t dimensions = op == Op::kBmm ? 3 : 2;
  const auto refuse = [&](const std::string& why) {
    reason = why;
    return std::nullopt;
  };
  if (inputs.size() != count) return refuse("an operation with other inputs than its matrices");
  const std::optional<Matrix> a = matrix_of(inputs[count - 2], dimensions);
  const std::optional<Matrix> b = matrix_of(inputs[count - 1], dimensions);
  if (!a.has_value() || !b.has_value() || a->columns != b->rows || a->batch != b->batch) {
    return refuse("operands whose strides are not those of a matmul library's");
  }
  const auto a_type = dtype_of_torch(inputs[count - 2].type);
  const auto b_type = dtype_of_torch(inputs[count - 1].type);
  if (!a_type.has_value() || !b_type.has_value()) return refuse("a type that Triode does not have");
  Problem problem =
      torch_problem(op, a->batch, a->rows, b->columns, a->columns, *a_type, *b_type, *a_type);
  problem.a_transposed = a->layout.is_transposed;
  problem.b_transposed = b->layout.is_transposed;
  problem.lda = a->layout.leading_dimension;
  problem.ldb = b->layout.leading_dimension;
  if (op == Op::kBmm) {
    problem.a_batch_stride = a->batch_stride;
    problem.b_batch_stride = b->batch_stride;
  }
  if (!problem.validate().ok()) return refuse("a problem that no library could compute");
  return problem;
}

std::string list_text(const std::vector<int64_t>& numbers) {
  std::string text = "[";
  for (const int64_t number : numbers) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
  }
  return text + "]";
}

std::string input_text(DType type, const std::vector<int64_t>& sizes,
                       const std::vector<int64_t>& strides) {
  return "(torch." + std::string(torch_name(type)) + ", " + list_text(sizes) + ", " +
         list_text(strides) + ")";
}

std::string operand_text(const Problem& problem, DType type, int64_t rows, int64_t columns,
                         bool is_transposed, int64_t ld, int64_t batch_stride) {
  std::vector<int64_t> sizes = {rows, columns};
  std::vector<int64_t> strides = {ld, 1};
  if (is_transposed) std::swap(strides[0], strides[1]);
  if (problem.op == Op::kBmm) {
    sizes.insert(sizes.begin(), problem.batch);
    strides.insert(strides.begin(), batch_stride);
  }
  return input_text(type, sizes, strides);
}

}  // namespace

Result<InductorKey> parse_inductor_key(std::string_view text) {
  const auto fault = [&] {
    return invalid_argument("\"" + std::string(text.substr(0, 80)) +
                            "\" is no key of an Inductor lookup table, "
                            "[DEVICE+]((torch.TYPE, [SIZES], [STRIDES]), ...)+OPERATION");
  };
  InductorKey key;
  // A device's name may have a '+' inside: gfx942:sramecc+:xnack-.
  const size_t start = text.find("((torch.");
  if (start == std::string_view::npos) return fault();
  if (start > 0) {
    if (start < 2 || text[start - 1] != '+') return fault();
    key.device = text.substr(0, start - 1);
  }
  KeyParser parser(text.substr(start));
  std::vector<Input> inputs;
  if (!parser.read_inputs(inputs) || !parser.take("+")) return fault();
  const std::string_view rest = parser.rest();
  const size_t plus = rest.rfind('+');
  const std::string_view name = plus == std::string_view::npos ? rest : rest.substr(plus + 1);
  const std::string_view scalars = plus == std::string_view::npos ? "" : rest.substr(0, plus);
  if (name.empty() ||
      (plus != std::string_view::npos && scalars.find('=') == std::string_view::npos)) {
    return fault();
  }
  const std::optional<Op> op = op_of_aten(name);
  if (!op.has_value()) {
    key.reason = "operation " + std::string(name.substr(0, 40)) + ": Triode does not have it";
  } else if (!scalars.empty() && scalars != "alpha=1&beta=1") {
    key.reason = "scalars other than alpha=1 and beta=1";
  } else {
    key.problem = problem_of(*op, inputs, key.reason);
  }
  return key;
}

Result<std::string> inductor_key(const std::string& device, const Problem& p) {
  std::string inputs =
      operand_text(p, p.a_type, p.m, p.k, p.a_transposed, p.lda, p.a_batch_stride) + ", " +
      operand_text(p, p.b_type, p.k, p.n, p.b_transposed, p.ldb, p.b_batch_stride);
  std::string scalars;
  if (p.op == Op::kAddmm) {
    inputs = input_text(p.a_type, {p.m, p.n}, {0, 1}) + ", " + inputs;
    scalars = "+alpha=1&beta=1";
  }
  if (inputs.find("torch.?") != std::string::npos) return unsupported("a type torch does not have");
  return (device.empty() ? "" : device + "+") + "(" + inputs + ")" + scalars + "+" +
         std::string(to_string(p.op));
}

}  // namespace triode::exchange
