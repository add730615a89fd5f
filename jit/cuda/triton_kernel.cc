// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_kernel.h"

#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "core/dtype.h"
#include "jit/cuda/triton_space.h"

namespace triode::cuda {
namespace {

// What Triton calls divisible: bytes for pointers, values for integers.
constexpr int64_t kDivisibility = 16;

bool is_supported(const Problem& problem) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const bool is_plain = problem.op == Op::kMm && problem.epilogue == Epilogue::kNone;
  const bool has_types = problem.a_type == DType::kF16 || problem.a_type == DType::kBF16 ||
                         problem.a_type == DType::kF32 || problem.a_type == DType::kTF32;
  const bool has_c = problem.c_type == problem.a_type || problem.c_type == DType::kF32;
  return is_plain && has_types && has_c && problem.b_type == problem.a_type &&
         problem.accumulator == DType::kF32 && problem.m <= kMost && problem.n <= kMost &&
         problem.k <= kMost;
}

std::string divisible_names(const Problem& problem) {
  std::string names = problem.alignment_bytes >= kDivisibility ? "a b c" : "";
  const std::pair<const char*, int64_t> sizes[] = {{"m", problem.m},     {"n", problem.n},
                                                   {"k", problem.k},     {"lda", problem.lda},
                                                   {"ldb", problem.ldb}, {"ldc", problem.ldc}};
  for (const auto& [name, value] : sizes) {
    if (value % kDivisibility == 0) names += std::string(" ") + name;
  }
  return names;
}

std::string line(std::string_view name, std::string_view value) {
  return std::string(name) + '=' + std::string(value) + '\n';
}

std::string line(std::string_view name, int64_t value) {
  return line(name, std::to_string(value));
}

std::map<std::string, std::string, std::less<>> read_lines(std::string_view text) {
  std::map<std::string, std::string, std::less<>> values;
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

Result<uint32_t> read_number(const std::map<std::string, std::string, std::less<>>& values,
                             std::string_view name) {
  const auto found = values.find(name);
  uint32_t number = 0;
  if (found != values.end()) {
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  return unavailable("the Triton worker's answer lacks the number \"" + std::string(name) + "\"");
}

}  // namespace

Result<std::string> triton_request(const Problem& problem, const Config& config,
                                   const std::string& arch) {
  TRIODE_TRY(problem.validate());
  if (!is_supported(problem)) {
    return unsupported("our Triton matmul does not do \"" + to_string(problem) + "\"");
  }
  const TritonConfig choice = triton_config(config);
  const bool is_even = problem.k % choice.block_k == 0;
  return line("arch", arch) + line("operand_type", to_string(problem.a_type)) +
         line("c_type", to_string(problem.c_type)) + line("a_transposed", problem.a_transposed) +
         line("b_transposed", problem.b_transposed) +
         line("reads_c", problem.beta != ScalarClass::kZero) + line("even_k", is_even) +
         line("divisible", divisible_names(problem)) + line("block_m", choice.block_m) +
         line("block_n", choice.block_n) + line("block_k", choice.block_k) +
         line("group_m", choice.group_m) + line("num_stages", choice.stages) +
         line("num_warps", choice.warps);
}

Result<TritonKernel> read_triton_answer(std::vector<std::string> frames) {
  constexpr std::string_view kError = "error=";
  if (!frames.empty() && frames[0].starts_with(kError)) {
    return invalid_argument("Triton refused the kernel: " + frames[0].substr(kError.size()));
  }
  if (frames.size() != 3) return unavailable("the Triton worker's answer is not of three frames");
  const auto values = read_lines(frames[0]);
  const uint32_t scratch = TRIODE_TRY(read_number(values, "global_scratch_bytes")) +
                           TRIODE_TRY(read_number(values, "profile_scratch_bytes"));
  if (scratch != 0)
    return unsupported("Triton's kernel wants scratch memory, which it is not given");
  TritonKernel kernel;
  kernel.threads = TRIODE_TRY(read_number(values, "threads"));
  kernel.shared_bytes = TRIODE_TRY(read_number(values, "shared_bytes"));
  const auto entry = values.find("entry");
  const auto version = values.find("triton");
  if (entry == values.end() || version == values.end()) {
    return unavailable("the Triton worker's answer lacks the entry or the version");
  }
  kernel.entry = entry->second;
  kernel.toolchain = "triton " + version->second;
  kernel.ptx = std::move(frames[1]);
  kernel.cubin = std::move(frames[2]);
  return kernel;
}

TritonArguments triton_arguments(const Problem& problem) {
  TritonArguments arguments;
  arguments.m = static_cast<int32_t>(problem.m);
  arguments.n = static_cast<int32_t>(problem.n);
  arguments.k = static_cast<int32_t>(problem.k);
  arguments.lda = problem.lda;
  arguments.ldb = problem.ldb;
  arguments.ldc = problem.ldc;
  return arguments;
}

uint32_t triton_grid(const Problem& problem, const Config& config) {
  const TritonConfig choice = triton_config(config);
  const int64_t rows = (problem.m + choice.block_m - 1) / choice.block_m;
  const int64_t columns = (problem.n + choice.block_n - 1) / choice.block_n;
  return static_cast<uint32_t>(rows * columns);
}

}  // namespace triode::cuda
