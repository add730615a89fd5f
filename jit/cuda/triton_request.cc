// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/triton_request.h"

#include <limits>
#include <string_view>
#include <utility>

#include "core/dtype.h"
#include "jit/cuda/triton_space.h"

namespace triode::cuda {
namespace {

// What Triton calls divisible: bytes for pointers, values for integers.
constexpr int64_t kDivisibility = 16;

// The piece of c that a block of the reduction adds up, and its warps: eight elements a thread,
// whole rows of 512 bytes at a time. It waits for memory whatever they are.
constexpr int kReduceM = 8;
constexpr int kReduceN = 128;
constexpr int kReduceWarps = 4;

// The bias is not among them: Problem::alignment_bytes does not speak of it.
std::string divisible_names(const Problem& problem) {
  std::string names = problem.alignment_bytes >= kDivisibility ? "a b c workspace" : "workspace";
  const std::pair<const char*, int64_t> sizes[] = {{"m", problem.m},
                                                   {"n", problem.n},
                                                   {"k", problem.k},
                                                   {"lda", problem.lda},
                                                   {"ldb", problem.ldb},
                                                   {"ldc", problem.ldc},
                                                   {"a_stride", problem.a_batch_stride},
                                                   {"b_stride", problem.b_batch_stride},
                                                   {"c_stride", problem.c_batch_stride}};
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

std::string_view activation_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::kRelu:
    case Epilogue::kBiasRelu:
      return "relu";
    case Epilogue::kGelu:
    case Epilogue::kBiasGelu:
      return "gelu";
    case Epilogue::kSilu:
    case Epilogue::kBiasSilu:
      return "silu";
    case Epilogue::kNone:
    case Epilogue::kBias:
      break;
  }
  return "none";
}

bool has_bias(Epilogue epilogue) {
  return epilogue == Epilogue::kBias || epilogue == Epilogue::kBiasRelu ||
         epilogue == Epilogue::kBiasGelu || epilogue == Epilogue::kBiasSilu;
}

// Types, transposes, scalars and what is added.
std::string problem_lines(const Problem& problem) {
  return line("operand_type", to_string(problem.a_type)) +
         line("c_type", to_string(problem.c_type)) + line("a_transposed", problem.a_transposed) +
         line("b_transposed", problem.b_transposed) + line("batched", problem.op == Op::kBmm) +
         line("scales", problem.alpha != ScalarClass::kOne) +
         line("reads_c", problem.beta != ScalarClass::kZero) +
         line("has_bias", has_bias(problem.epilogue)) +
         line("activation", activation_of(problem.epilogue)) +
         line("divisible", divisible_names(problem));
}

std::string config_lines(const TritonConfig& choice) {
  return line("block_m", choice.block_m) + line("block_n", choice.block_n) +
         line("block_k", choice.block_k) + line("group_m", choice.group_m) +
         line("num_stages", choice.stages) + line("num_warps", choice.warps) +
         line("split_k", choice.split_k) + line("persistent", choice.is_persistent) +
         line("tma", choice.uses_tma);
}

// Blocks are numbered in 31 bits.
Status check_grid(const Problem& problem, const TritonConfig& choice) {
  const __int128 rows = (problem.m + choice.block_m - 1) / choice.block_m;
  const __int128 columns = (problem.n + choice.block_n - 1) / choice.block_n;
  if (rows * columns * problem.batch * choice.split_k <= std::numeric_limits<int32_t>::max()) {
    return {};
  }
  return unsupported("\"" + to_string(problem) + "\" has more than 2^31 pieces; use larger blocks");
}

}  // namespace

Result<std::string> triton_request(const Problem& problem, const Config& config,
                                   const std::string& arch) {
  TRIODE_TRY(check_triton_problem(problem));
  const TritonConfig choice = triton_config(config);
  TRIODE_TRY(check_grid(problem, choice));
  std::string request = line("arch", arch) + problem_lines(problem) +
                        line("even_k", problem.k % choice.block_k == 0) + config_lines(choice);
  if (choice.split_k > 1) {
    request += line("reduce_m", kReduceM) + line("reduce_n", kReduceN) +
               line("reduce_warps", kReduceWarps);
  }
  return request;
}

std::string triton_toolchain_request(const std::string& arch) {
  return line("arch", arch) + line("describe", 1);
}

}  // namespace triode::cuda
