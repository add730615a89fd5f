// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/enum_names.h"
#include "core/error_text.h"
#include "core/problem.h"
#include "core/problem_fault.h"
#include "core/problem_layout.h"
#include "core/token_reader.h"

namespace triode {
namespace {

constexpr EnumNames<Op, 3> kOps = {"an op", {"mm", "bmm", "addmm"}};
constexpr EnumNames<Epilogue, 8> kEpilogues = {
    "an epilogue", {"none", "bias", "relu", "gelu", "silu", "bias-relu", "bias-gelu", "bias-silu"}};
constexpr EnumNames<ScalarClass, 4> kScalars = {"a scalar class", {"0", "1", "-1", "other"}};

constexpr std::string_view kLdTight = "ld-tight";
constexpr std::string_view kLdAligned = "ld-aligned";
constexpr std::string_view kTransposes = "nn, nt, tn or tt";

// What may follow the transposes. A position in kOptionNames.
enum class Option : uint8_t { kLd, kStrides, kAlign, kEpilogue, kAlpha, kBeta, kThreads };
constexpr std::array<std::string_view, 7> kOptionNames = {"ld",    "strides", "align",  "epilogue",
                                                          "alpha", "beta",    "threads"};

void append_option(Option option, std::string_view value, std::string& out) {
  out += ' ';
  out += kOptionNames[static_cast<size_t>(option)];
  out += '=';
  out += value;
}

std::string joined(const PerOperand& numbers) {
  return std::to_string(numbers[0]) + ',' + std::to_string(numbers[1]) + ',' +
         std::to_string(numbers[2]);
}

void append_dtypes(const Problem& problem, std::string& out) {
  out += to_string(problem.a_type);
  const bool one_type = problem.b_type == problem.a_type && problem.c_type == problem.a_type &&
                        problem.accumulator == default_accumulator(problem.a_type);
  if (one_type) return;
  for (const DType dtype : {problem.b_type, problem.c_type, problem.accumulator}) {
    out += ',';
    out += to_string(dtype);
  }
}

void append_sizes(const Problem& problem, std::string& out) {
  if (problem.op == Op::kBmm) out += std::to_string(problem.batch) + 'x';
  out +=
      std::to_string(problem.m) + 'x' + std::to_string(problem.n) + 'x' + std::to_string(problem.k);
}

void append_layout(const Problem& problem, std::string& out) {
  const PerOperand lds = leading_dimensions(problem);
  if (lds == aligned_leading_dimensions(problem)) {
    out += ' ';
    out += kLdAligned;
  } else if (lds != stored_columns(problem)) {
    append_option(Option::kLd, joined(lds), out);
  }
  const PerOperand strides = batch_strides(problem);
  if (strides != default_batch_strides(problem)) {
    append_option(Option::kStrides, joined(strides), out);
  }
}

// Reads one problem. Everything it points at lives in the text.
class ProblemParser {
 public:
  explicit ProblemParser(std::string_view text) : reader_("problem text", text) {}

  Result<Problem> parse();

 private:
  Status read_op();
  Status read_dtypes();
  Status read_sizes();
  Status read_transposes();
  Status read_option(const Token& token);
  Status read_value(Option option, const Token& value);
  Status check() const;

  Result<Token> expect(std::string_view what);
  Result<PerOperand> three_numbers(const Token& value) const;
  Result<int32_t> small_number(const Token& value) const;
  template <typename Enum, size_t kCount>
  Result<Enum> word(const EnumNames<Enum, kCount>& names, const Token& token) const;

  std::optional<Token>& given(Option option) { return given_[static_cast<size_t>(option)]; }
  const Token& part_token(ProblemPart part) const;

  TokenReader reader_;
  Problem problem_;
  Token sizes_;
  std::array<std::optional<Token>, kOptionNames.size()> given_;  // the whole token of each option
  std::optional<PerOperand> strides_;
};

Result<Problem> ProblemParser::parse() {
  TRIODE_TRY(read_op());
  TRIODE_TRY(read_dtypes());
  TRIODE_TRY(read_sizes());
  TRIODE_TRY(read_transposes());
  set_leading_dimensions(stored_columns(problem_), problem_);
  while (const std::optional<Token> token = reader_.next()) TRIODE_TRY(read_option(*token));
  // Last, because the default depends on the leading dimensions.
  set_batch_strides(strides_.value_or(default_batch_strides(problem_)), problem_);
  TRIODE_TRY(check());
  return problem_;
}

Result<Token> ProblemParser::expect(std::string_view what) {
  if (const std::optional<Token> token = reader_.next()) return *token;
  return reader_.error_at_end("too early; expected " + std::string(what));
}

template <typename Enum, size_t kCount>
Result<Enum> ProblemParser::word(const EnumNames<Enum, kCount>& names, const Token& token) const {
  Result<Enum> value = names.parse(token.text);
  if (!value.ok()) return reader_.error_at(token.column, value.status().message());
  return value;
}

Status ProblemParser::read_op() {
  const Token token = TRIODE_TRY(expect("an op: " + one_of(kOps.names)));
  problem_.op = TRIODE_TRY(word(kOps, token));
  return {};
}

Status ProblemParser::read_dtypes() {
  const Token token = TRIODE_TRY(expect("a type, like f32, or four for a,b,c,accumulator"));
  std::vector<DType> dtypes;
  for (const Token& part : split(token, ',')) {
    const Result<DType> dtype = parse_dtype(part.text);
    if (!dtype.ok()) return reader_.error_at(part.column, dtype.status().message());
    dtypes.push_back(*dtype);
  }
  if (dtypes.size() == 1) {
    dtypes = {dtypes[0], dtypes[0], dtypes[0], default_accumulator(dtypes[0])};
  }
  if (dtypes.size() != 4) {
    return reader_.error_at(token, "has " + std::to_string(dtypes.size()) +
                                       " types; expected one, like f32, or a,b,c,accumulator, like "
                                       "bf16,bf16,f32,f32");
  }
  problem_.a_type = dtypes[0];
  problem_.b_type = dtypes[1];
  problem_.c_type = dtypes[2];
  problem_.accumulator = dtypes[3];
  return {};
}

Status ProblemParser::read_sizes() {
  const bool has_batch = problem_.op == Op::kBmm;
  const std::string wanted = std::string(to_string(problem_.op)) +
                             (has_batch ? " takes batch x m x n x k, like 8x512x512x512"
                                        : " takes m x n x k, like 512x512x512");
  sizes_ = TRIODE_TRY(expect("sizes; " + wanted));
  const std::vector<Token> parts = split(sizes_, 'x');
  std::vector<int64_t> sizes;
  sizes.reserve(parts.size());
  for (const Token& part : parts) {
    sizes.push_back(TRIODE_TRY(reader_.whole_number(part, std::numeric_limits<int64_t>::max())));
  }
  const size_t first = has_batch ? 1 : 0;
  if (sizes.size() != first + 3) {
    const std::string_view noun = sizes.size() == 1 ? " size; " : " sizes; ";
    return reader_.error_at(sizes_,
                            "has " + std::to_string(sizes.size()) + std::string(noun) + wanted);
  }
  if (has_batch) problem_.batch = sizes[0];
  problem_.m = sizes[first];
  problem_.n = sizes[first + 1];
  problem_.k = sizes[first + 2];
  return {};
}

Status ProblemParser::read_transposes() {
  const Token token = TRIODE_TRY(expect("transposes: " + std::string(kTransposes)));
  const auto is_letter = [](char c) { return c == 'n' || c == 't'; };
  if (token.text.size() != 2 || !is_letter(token.text[0]) || !is_letter(token.text[1])) {
    return reader_.error_at(token, "does not say what is transposed; expected " +
                                       std::string(kTransposes) + ", for a then b");
  }
  problem_.a_transposed = token.text[0] == 't';
  problem_.b_transposed = token.text[1] == 't';
  return {};
}

Status ProblemParser::read_option(const Token& token) {
  const bool is_tight = token.text == kLdTight;
  const bool is_aligned = token.text == kLdAligned;
  const Assignment assignment = split_assignment(token);
  const std::string_view name = is_tight || is_aligned ? "ld" : assignment.name.text;
  const auto* const found = std::find(kOptionNames.begin(), kOptionNames.end(), name);
  if (found == kOptionNames.end() || !(is_tight || is_aligned || assignment.value)) {
    return reader_.error_at(token,
                            "is not an option; expected ld-tight, ld-aligned, ld=a,b,c, "
                            "strides=a,b,c, align=, epilogue=, alpha=, beta= or threads=");
  }
  const auto option = static_cast<Option>(found - kOptionNames.begin());
  if (const std::optional<Token>& earlier = given(option)) {
    return reader_.error_at(token, "repeats " + in_quotes(earlier->text) + " of column " +
                                       std::to_string(earlier->column) + "; expected " +
                                       std::string(name) + " once");
  }
  given(option) = token;
  if (is_tight) return {};  // as it already is
  if (is_aligned) {
    set_leading_dimensions(aligned_leading_dimensions(problem_), problem_);
    return {};
  }
  return read_value(option, *assignment.value);
}

Status ProblemParser::read_value(Option option, const Token& value) {
  switch (option) {
    case Option::kLd:
      set_leading_dimensions(TRIODE_TRY(three_numbers(value)), problem_);
      break;
    case Option::kStrides:
      strides_ = TRIODE_TRY(three_numbers(value));
      break;
    case Option::kAlign:
      problem_.alignment_bytes = TRIODE_TRY(small_number(value));
      break;
    case Option::kEpilogue:
      problem_.epilogue = TRIODE_TRY(word(kEpilogues, value));
      break;
    case Option::kAlpha:
      problem_.alpha = TRIODE_TRY(word(kScalars, value));
      break;
    case Option::kBeta:
      problem_.beta = TRIODE_TRY(word(kScalars, value));
      break;
    case Option::kThreads:
      problem_.threads = TRIODE_TRY(small_number(value));
      break;
  }
  return {};
}

Result<PerOperand> ProblemParser::three_numbers(const Token& value) const {
  const std::vector<Token> parts = split(value, ',');
  PerOperand numbers{};
  if (parts.size() != numbers.size()) {
    return reader_.error_at(value, "has " + std::to_string(parts.size()) +
                                       (parts.size() == 1 ? " number" : " numbers") +
                                       "; expected three, for a,b,c");
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = TRIODE_TRY(reader_.whole_number(parts[i], std::numeric_limits<int64_t>::max()));
  }
  return numbers;
}

Result<int32_t> ProblemParser::small_number(const Token& value) const {
  const int64_t number =
      TRIODE_TRY(reader_.whole_number(value, std::numeric_limits<int32_t>::max()));
  return static_cast<int32_t>(number);
}

// The token a fault is about. What was not given has its default, and then only the sizes can be at
// fault for it.
const Token& ProblemParser::part_token(ProblemPart part) const {
  const auto given_or_sizes = [this](Option option) -> const Token& {
    const std::optional<Token>& token = given_[static_cast<size_t>(option)];
    return token ? *token : sizes_;
  };
  switch (part) {
    case ProblemPart::kSizes:
      break;
    case ProblemPart::kLeadingDimensions:
      return given_or_sizes(Option::kLd);
    case ProblemPart::kStrides:
      return given_or_sizes(Option::kStrides);
    case ProblemPart::kAlignment:
      return given_or_sizes(Option::kAlign);
    case ProblemPart::kThreads:
      return given_or_sizes(Option::kThreads);
  }
  return sizes_;
}

Status ProblemParser::check() const {
  const std::optional<ProblemFault> fault = find_fault(problem_);
  if (!fault) return {};
  const Token& token = part_token(fault->part);
  return reader_.error_at(token, "is not possible: " + fault->message);
}

}  // namespace

std::string_view to_string(Op op) {
  return kOps.name_of(op);
}
std::string_view to_string(Epilogue epilogue) {
  return kEpilogues.name_of(epilogue);
}
std::string_view to_string(ScalarClass scalar) {
  return kScalars.name_of(scalar);
}

std::string to_string(const Problem& problem) {
  const Problem defaults;
  std::string out(to_string(problem.op));
  out += ' ';
  append_dtypes(problem, out);
  out += ' ';
  append_sizes(problem, out);
  out += problem.a_transposed ? " t" : " n";
  out += problem.b_transposed ? 't' : 'n';
  append_layout(problem, out);
  if (problem.alignment_bytes != defaults.alignment_bytes) {
    append_option(Option::kAlign, std::to_string(problem.alignment_bytes), out);
  }
  if (problem.epilogue != defaults.epilogue) {
    append_option(Option::kEpilogue, to_string(problem.epilogue), out);
  }
  if (problem.alpha != defaults.alpha) append_option(Option::kAlpha, to_string(problem.alpha), out);
  if (problem.beta != defaults.beta) append_option(Option::kBeta, to_string(problem.beta), out);
  if (problem.threads != defaults.threads) {
    append_option(Option::kThreads, std::to_string(problem.threads), out);
  }
  return out;
}

Result<Problem> parse_problem(std::string_view text) {
  return ProblemParser(text).parse();
}

}  // namespace triode
