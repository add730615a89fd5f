// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/plan_file_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "core/crc32.h"

namespace triode {
namespace {

constexpr std::string_view kMagic = "triode-plans ";
constexpr uint64_t kVersion = 1;
constexpr std::string_view kTargetWord = "target ";
constexpr size_t kFields = 7;
constexpr size_t kDigestDigits = 16;
constexpr size_t kChecksumDigits = 8;

// Longest shortest text of a double: "-2.2250738585072014e-308".
constexpr size_t kMaxDoubleChars = 24;

void append_hex(uint64_t value, size_t digits, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (size_t i = digits; i-- > 0;) out += kHex[(value >> (4 * i)) & 15];
}

void append_double(double value, std::string& out) {
  std::array<char, kMaxDoubleChars> chars;
  const auto [end, error] = std::to_chars(chars.data(), chars.data() + chars.size(), value);
  if (error == std::errc()) out.append(chars.data(), end);
}

// The number that is the whole text; empty for anything else.
template <typename Number, typename... Format>
std::optional<Number> parse_number(std::string_view text, Format... format) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, format...);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_digest(std::string_view text) {
  const bool is_lower_hex = text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (text.size() != kDigestDigits || !is_lower_hex) return std::nullopt;
  return parse_number<uint64_t>(text, 16);
}

bool is_sound(double number) {
  return std::isfinite(number) && number >= 0;
}

bool is_sound(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

// A device may have any name; Target::fingerprint() leaves only line ends out.
bool is_sound_target(std::string_view text) {
  return !text.empty() && text.find('\n') == std::string_view::npos &&
         text.find('\0') == std::string_view::npos;
}

// What is wrong with a plan, beside its problem; empty if nothing is.
std::string_view fault_of(const StoredPlan& plan) {
  if (!is_sound(plan.config)) return "the config is empty or holds control characters";
  if (!is_sound(plan.vendor)) return "the vendor is empty or holds control characters";
  if (!is_sound(plan.speedup)) return "the speedup is not a finite number from 0 up";
  if (!is_sound(plan.vendor_ns)) return "the vendor's time is not a finite number from 0 up";
  if (!is_sound(plan.plan_ns)) return "the plan's time is not a finite number from 0 up";
  return {};
}

void append_plan(const StoredPlan& plan, std::string& out) {
  for (const std::string& text : {to_string(plan.problem), plan.config, plan.vendor}) {
    out += text;
    out += '\t';
  }
  append_hex(plan.code_digest, kDigestDigits, out);
  for (const double number : {plan.speedup, plan.vendor_ns, plan.plan_ns}) {
    out += '\t';
    append_double(number, out);
  }
  out += '\n';
}

Status append_section(const PlanSection& section, std::string& out) {
  out += kTargetWord;
  out += section.target;
  out += '\n';
  std::unordered_set<std::string> identities;
  for (const StoredPlan& plan : section.plans) {
    TRIODE_TRY(plan.problem.validate());
    const std::string name = "the plan for '" + to_string(plan.problem) + "' cannot be kept: ";
    if (const std::string_view fault = fault_of(plan); !fault.empty()) {
      return invalid_argument(name + std::string(fault));
    }
    if (!identities.insert(identity_of(plan)).second) {
      return invalid_argument(name + "there is another for this problem and vendor");
    }
    append_plan(plan, out);
  }
  return {};
}

std::string header_for(std::string_view body) {
  std::string header = std::string(kMagic) + std::to_string(kVersion) + ' ';
  append_hex(crc32(body), kChecksumDigits, header);
  return header + ' ' + std::to_string(body.size());
}

// Reads one file. Everything it points at lives in the bytes.
class PlanFileParser {
 public:
  PlanFileParser(std::string_view bytes, std::string_view path) : bytes_(bytes), path_(path) {}

  Result<PlanFile> parse();

 private:
  Status check_header(std::string_view header) const;
  Status check_version(std::string_view header) const;
  Result<std::string_view> next_line();
  Status read_target(std::string_view name);
  Status read_plan(std::string_view line);
  Result<StoredPlan> plan_of(const std::array<std::string_view, kFields>& fields) const;
  Status damaged(std::string_view what) const;
  std::string place() const {
    return "plan file " + std::string(path_) + ", line " + std::to_string(line_) + ": ";
  }

  std::string_view bytes_;  // what is not read yet
  std::string_view path_;
  size_t line_ = 0;  // the one read last; the first is 1
  PlanFile file_;
  std::unordered_set<std::string> targets_;
  std::unordered_set<std::string> identities_;  // of the section being read
};

Status PlanFileParser::damaged(std::string_view what) const {
  return corrupt(place() + std::string(what) +
                 ". The file is damaged and none of it is used: restore a copy, or delete it and "
                 "let Triode find the plans again.");
}

Result<PlanFile> PlanFileParser::parse() {
  const std::string_view header = TRIODE_TRY(next_line());
  TRIODE_TRY(check_header(header));
  while (!bytes_.empty()) {
    const std::string_view line = TRIODE_TRY(next_line());
    if (line.starts_with(kTargetWord)) {
      TRIODE_TRY(read_target(line.substr(kTargetWord.size())));
    } else {
      TRIODE_TRY(read_plan(line));
    }
  }
  return std::move(file_);
}

Result<std::string_view> PlanFileParser::next_line() {
  ++line_;
  const size_t end = bytes_.find('\n');
  if (end == std::string_view::npos) return damaged("the line has no end");
  const std::string_view line = bytes_.substr(0, end);
  // Text that passes would end early in whatever takes it for a C string.
  if (line.find('\0') != std::string_view::npos) return damaged("the line holds a NUL byte");
  bytes_.remove_prefix(end + 1);
  return line;
}

Status PlanFileParser::check_version(std::string_view header) const {
  const std::string_view rest = header.substr(kMagic.size());
  const std::string_view text = rest.substr(0, rest.find(' '));
  const std::optional<uint64_t> version = parse_number<uint64_t>(text);
  if (!version || *version == 0) return damaged("the header has no version");
  if (*version > kVersion) {
    return unsupported(place() + "the file has format " + std::to_string(*version) +
                       ", of a newer Triode; this one reads up to " + std::to_string(kVersion) +
                       ". Update Triode, or use another file.");
  }
  return {};
}

Status PlanFileParser::check_header(std::string_view header) const {
  if (!header.starts_with(kMagic)) return damaged("the header of a plan file is missing");
  TRIODE_TRY(check_version(header));
  if (header == header_for(bytes_)) return {};
  const std::optional<uint64_t> size = parse_number<uint64_t>(header.substr(header.rfind(' ') + 1));
  if (size && *size != bytes_.size()) {
    return damaged("the header names " + std::to_string(*size) + " bytes, and " +
                   std::to_string(bytes_.size()) + " follow");
  }
  return damaged("the checksum does not match");
}

Status PlanFileParser::read_target(std::string_view name) {
  if (!is_sound_target(name)) return damaged("the target is empty");
  if (!targets_.emplace(name).second) return damaged("the target has a section above already");
  file_.sections.push_back({std::string(name), {}});
  identities_.clear();
  return {};
}

Status PlanFileParser::read_plan(std::string_view line) {
  if (file_.sections.empty()) return damaged("there is no target line above");
  std::array<std::string_view, kFields> fields;
  for (size_t i = 0; i < kFields; ++i) {
    const size_t end = line.find('\t');
    if ((end == std::string_view::npos) != (i + 1 == kFields)) {
      return damaged("a plan has " + std::to_string(kFields) + " fields, separated by tabs");
    }
    fields[i] = line.substr(0, end);
    line.remove_prefix(std::min(line.size(), fields[i].size() + 1));
  }
  StoredPlan plan = TRIODE_TRY(plan_of(fields));
  if (!identities_.insert(identity_of(plan)).second) {
    return damaged("there is a plan for this problem and vendor above already");
  }
  file_.sections.back().plans.push_back(std::move(plan));
  return {};
}

Result<StoredPlan> PlanFileParser::plan_of(
    const std::array<std::string_view, kFields>& fields) const {
  const Result<Problem> problem = parse_problem(fields[0]);
  if (!problem.ok()) return damaged(problem.status().message());
  const std::optional<uint64_t> digest = parse_digest(fields[3]);
  if (!digest) return damaged("the digest is not 16 hexadecimal digits");
  const std::optional<double> speedup = parse_number<double>(fields[4]);
  const std::optional<double> vendor_ns = parse_number<double>(fields[5]);
  const std::optional<double> plan_ns = parse_number<double>(fields[6]);
  if (!speedup || !vendor_ns || !plan_ns) return damaged("speedup or times are not numbers");
  StoredPlan plan{
      *problem, std::string(fields[1]), std::string(fields[2]), *digest, *speedup, *vendor_ns,
      *plan_ns};
  if (const std::string_view fault = fault_of(plan); !fault.empty()) return damaged(fault);
  return plan;
}

}  // namespace

std::string identity_of(const StoredPlan& plan) {
  return to_string(plan.problem) + '\t' + plan.vendor;
}

Result<std::string> format_plan_file(const PlanFile& file) {
  std::string body;
  std::unordered_set<std::string_view> targets;
  for (const PlanSection& section : file.sections) {
    if (!is_sound_target(section.target)) {
      return invalid_argument("a section's target is empty, or holds a line end or a NUL byte");
    }
    if (!targets.insert(section.target).second) {
      return invalid_argument("two sections are for the target " + section.target);
    }
    TRIODE_TRY(append_section(section, body));
  }
  std::string text = header_for(body) + '\n' + body;
  if (text.size() > kMaxPlanFileBytes) {
    return resource_exhausted("a plan file may have " + std::to_string(kMaxPlanFileBytes) +
                              " bytes, and these plans take " + std::to_string(text.size()));
  }
  return text;
}

Result<PlanFile> parse_plan_file(std::string_view bytes, std::string_view path) {
  return PlanFileParser(bytes, path).parse();
}

}  // namespace triode
