// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_answer.h"

#include <charconv>
#include <map>
#include <string_view>
#include <utility>

#include "jit/cuda/cubin.h"

namespace triode::cuda {
namespace {

constexpr std::string_view kError = "error=";
constexpr std::string_view kUnavailable = "unavailable=";
constexpr size_t kFramesOfFunction = 3;
constexpr uint32_t kMostFunctions = 2;  // the matmul and its reduction

using Lines = std::map<std::string, std::string, std::less<>>;

Lines read_lines(std::string_view text) {
  Lines values;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view each = text.substr(0, end);
    if (const size_t equals = each.find('='); equals != std::string_view::npos) {
      values[std::string(each.substr(0, equals))] = each.substr(equals + 1);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

Result<std::string> read_text(const Lines& values, std::string_view name) {
  const auto found = values.find(name);
  if (found != values.end()) return found->second;
  return unavailable("the Triton worker's answer lacks \"" + std::string(name) + "\"");
}

Result<uint32_t> read_number(const Lines& values, std::string_view name) {
  const std::string text = TRIODE_TRY(read_text(values, name));
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return unavailable("the Triton worker's answer has no number for \"" + std::string(name) + "\"");
}

// Triton appends two parameters of its own to those that the source has.
Result<std::vector<TritonRole>> read_roles(const Lines& values) {
  const std::string names = TRIODE_TRY(read_text(values, "parameters"));
  std::vector<TritonRole> roles;
  std::string_view left = names;
  while (!left.empty()) {
    const size_t end = std::min(left.find(' '), left.size());
    roles.push_back(TRIODE_TRY(parse_triton_role(left.substr(0, end))));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  roles.push_back(TritonRole::kGlobalScratch);
  roles.push_back(TritonRole::kProfileScratch);
  return roles;
}

uint32_t expected_bytes(TritonRole role) {
  switch (role) {
    case TritonRole::kBatch:
    case TritonRole::kM:
    case TritonRole::kN:
    case TritonRole::kK:
    case TritonRole::kAlpha:
    case TritonRole::kBeta:
      return 4;
    default:
      return 8;
  }
}

// Names come from the compiler's first form of the kernel, places from its last: they must agree.
Status read_parameters(const Lines& values, const CubinFunction& cubin, TritonFunction& function) {
  const std::vector<TritonRole> roles = TRIODE_TRY(read_roles(values));
  if (roles.size() != cubin.parameters.size()) {
    return unavailable("Triton's kernel has " + std::to_string(cubin.parameters.size()) +
                       " parameters, of which the worker named " + std::to_string(roles.size()));
  }
  for (size_t i = 0; i < roles.size(); ++i) {
    const CubinParameter& place = cubin.parameters[i];
    if (place.bytes != expected_bytes(roles[i])) {
      return unavailable("Triton's kernel has " + std::to_string(place.bytes) + " bytes for \"" +
                         std::string(to_string(roles[i])) + "\"");
    }
    function.parameters.push_back({roles[i], place.offset, place.bytes});
  }
  return {};
}

Result<TritonFunction> read_function(const std::string& lines, std::string ptx, std::string cubin) {
  const Lines values = read_lines(lines);
  TritonFunction function;
  function.entry = TRIODE_TRY(read_text(values, "entry"));
  function.threads = TRIODE_TRY(read_number(values, "threads"));
  function.shared_bytes = TRIODE_TRY(read_number(values, "shared_bytes"));
  function.scratch_bytes = TRIODE_TRY(read_number(values, "global_scratch_bytes"));
  function.block_m = static_cast<int32_t>(TRIODE_TRY(read_number(values, "block_m")));
  function.block_n = static_cast<int32_t>(TRIODE_TRY(read_number(values, "block_n")));
  function.splits = static_cast<int32_t>(TRIODE_TRY(read_number(values, "splits")));
  function.is_persistent = TRIODE_TRY(read_number(values, "persistent")) != 0;
  if (TRIODE_TRY(read_number(values, "profile_scratch_bytes")) != 0) {
    return unsupported("Triton's kernel wants memory to profile into, which it is not given");
  }
  if (function.block_m <= 0 || function.block_n <= 0 || function.splits <= 0) {
    return unavailable("the Triton worker's answer has a block of no size");
  }
  const CubinFunction assembled = TRIODE_TRY(read_cubin(cubin, function.entry));
  if (assembled.threads != function.threads) {
    return unavailable("Triton's kernel is assembled for blocks of " +
                       std::to_string(assembled.threads) + " threads, not " +
                       std::to_string(function.threads));
  }
  function.registers = assembled.registers;
  function.spill_bytes = assembled.frame_bytes;
  TRIODE_TRY(read_parameters(values, assembled, function));
  function.ptx = std::move(ptx);
  function.cubin = std::move(cubin);
  return function;
}

// The lines of the first frame, unless it is a refusal.
Result<Lines> read_head(const std::vector<std::string>& frames) {
  if (frames.empty()) return unavailable("the Triton worker answered nothing");
  if (frames[0].starts_with(kError)) {
    return invalid_argument("Triton refused the kernel: " + frames[0].substr(kError.size()));
  }
  if (frames[0].starts_with(kUnavailable)) {
    return unavailable("Triton cannot compile here: " + frames[0].substr(kUnavailable.size()));
  }
  if (frames.size() != 1 + TRIODE_TRY(frames_after(frames[0]))) {
    return unavailable("the Triton worker's answer has another number of frames than it says");
  }
  return read_lines(frames[0]);
}

}  // namespace

Result<size_t> frames_after(const std::string& first) {
  if (first.starts_with(kError) || first.starts_with(kUnavailable)) return size_t{0};
  const uint32_t functions = TRIODE_TRY(read_number(read_lines(first), "functions"));
  if (functions > kMostFunctions) return unavailable("the Triton worker sent what is no answer");
  return functions * kFramesOfFunction;
}

Result<TritonKernel> read_triton_answer(std::vector<std::string> frames) {
  const Lines head = TRIODE_TRY(read_head(frames));
  TritonKernel kernel;
  kernel.toolchain = TRIODE_TRY(read_text(head, "toolchain"));
  for (size_t i = 1; i < frames.size(); i += kFramesOfFunction) {
    kernel.functions.push_back(
        TRIODE_TRY(read_function(frames[i], std::move(frames[i + 1]), std::move(frames[i + 2]))));
  }
  if (kernel.functions.empty()) return unavailable("the Triton worker answered with no kernel");
  return kernel;
}

Result<std::string> read_triton_toolchain(const std::vector<std::string>& frames) {
  const Lines head = TRIODE_TRY(read_head(frames));
  return read_text(head, "toolchain");
}

}  // namespace triode::cuda
