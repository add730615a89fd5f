// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/filter_options.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace triode::cache_tool {
namespace {

bool read_size(std::string_view text, int64_t& size) {
  const char* end = text.data() + text.size();
  const auto answer = std::from_chars(text.data(), end, size);
  return answer.ec == std::errc() && answer.ptr == end && size >= 0;
}

// "64", "64..", "..4096" or "64..4096".
Result<SizeRange> read_range(const Arguments& arguments, std::string_view name) {
  SizeRange range;
  const std::optional<std::string> text = arguments.value(name);
  if (!text.has_value()) return range;
  const size_t dots = text->find("..");
  bool is_right = !text->empty() && *text != "..";
  if (dots == std::string::npos) {
    is_right = is_right && read_size(*text, range.least);
    range.most = range.least;
  } else {
    const std::string_view least = std::string_view(*text).substr(0, dots);
    const std::string_view most = std::string_view(*text).substr(dots + 2);
    is_right = is_right && (least.empty() || read_size(least, range.least)) &&
               (most.empty() || read_size(most, range.most));
  }
  if (!is_right || range.least > range.most) {
    return invalid_argument(std::string(name) + ": '" + *text +
                            "' is no size and no range like 64..4096, 64.. or ..4096");
  }
  return range;
}

Status in_option(std::string_view name, const Status& status) {
  return invalid_argument(std::string(name) + ": " + status.message());
}

Result<Op> parse_op(const std::string& text) {
  for (const Op op : {Op::kMm, Op::kBmm, Op::kAddmm}) {
    if (to_string(op) == text) return op;
  }
  return invalid_argument("'" + text + "' is none of: mm, bmm, addmm");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

Result<TrialFilter> read_filter(const Arguments& arguments) {
  TrialFilter filter;
  filter.device = arguments.value_or("--target", "");
  filter.toolchain = arguments.value_or("--toolchain", "");
  filter.origin = arguments.value("--origin");
  if (filter.origin == "triode") filter.origin = "";
  filter.m = TRIODE_TRY(read_range(arguments, "--m"));
  filter.n = TRIODE_TRY(read_range(arguments, "--n"));
  filter.k = TRIODE_TRY(read_range(arguments, "--k"));
  if (const auto text = arguments.value("--op"); text.has_value()) {
    const Result<Op> op = parse_op(*text);
    if (!op.ok()) return in_option("--op", op.status());
    filter.op = *op;
  }
  if (const auto text = arguments.value("--dtype"); text.has_value()) {
    const Result<DType> dtype = parse_dtype(*text);
    if (!dtype.ok()) return in_option("--dtype", dtype.status());
    filter.dtype = *dtype;
  }
  if (const auto text = arguments.value("--outcome"); text.has_value()) {
    const Result<OutcomeKind> outcome = parse_outcome_kind(*text);
    if (!outcome.ok()) return in_option("--outcome", outcome.status());
    filter.outcome = *outcome;
  }
  return filter;
}

bool matches(const TrialFilter& filter, const std::string& device, const std::string& problem,
             const std::string& toolchain, OutcomeKind outcome, const std::string& origin) {
  if (!matches_device(filter, device) || !contains(toolchain, filter.toolchain)) return false;
  if (filter.outcome.has_value() && *filter.outcome != outcome) return false;
  if (filter.origin.has_value() && *filter.origin != origin) return false;
  const Result<Problem> parsed = parse_problem(problem);
  return parsed.ok() && matches_problem(filter, *parsed);
}

}  // namespace triode::cache_tool
