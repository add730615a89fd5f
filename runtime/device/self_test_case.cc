// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/self_test_case.h"

#include <optional>

#include "core/random.h"
#include "core/space.h"
#include "jit/cuda/nvrtc_gemm_space.h"

namespace triode {
namespace {

constexpr int32_t kLeastTmaCapability = 90;
constexpr uint64_t kSeed = 1;
// The ranges are asked once all parameters are drawn, so most draws of a narrow one fail. Some
// microseconds each.
constexpr int kAttempts = 100'000;

bool is_triton_type(DType type) {
  return type != DType::kF64;
}
bool is_nvrtc_type(DType type) {
  return type != DType::kTF32 && type != DType::kF8E4M3;
}
bool is_16_bit(DType type) {
  return type == DType::kF16 || type == DType::kBF16;
}

// With c in f32 where it can be, so that sums come out as they are; `keeps_type` rounds to 16 bits.
Problem product(DType type, int64_t m, int64_t n, int64_t k, int transposes, bool keeps_type) {
  Problem problem = Problem::mm(type, m, n, k, transposes % 2 != 0, transposes / 2 != 0);
  const bool rounds = keeps_type && is_16_bit(type);
  if (type != DType::kF64 && !rounds) problem.c_type = DType::kF32;
  return problem;
}

Problem batched(Problem problem, int64_t batch) {
  problem.op = Op::kBmm;
  problem.batch = batch;
  problem.make_tight();
  return problem;
}

Problem with_gaps(Problem problem) {
  problem.lda += 3;
  problem.ldb += 5;
  problem.ldc += 2;
  return problem;
}

SelfTestCase triton_case(const char* what, const Problem& problem, int split_most = 1,
                         int is_persistent = 0, int uses_tma = 0) {
  SelfTestCase made;
  made.kind = std::string("triton ") + what + ' ' + std::string(to_string(problem.a_type));
  made.problem = problem;
  made.is_triton = true;
  made.ranges = {{"split_k", split_most > 1 ? 2 : 1, split_most},
                 {"persistent", is_persistent, is_persistent},
                 {"tma", uses_tma, uses_tma}};
  return made;
}

SelfTestCase nvrtc_case(const char* what, const Problem& problem) {
  SelfTestCase made;
  made.kind = std::string("nvrtc ") + what + ' ' + std::string(to_string(problem.a_type));
  made.problem = problem;
  return made;
}

SelfTestCase scaled(SelfTestCase made) {
  made.problem.alpha = made.problem.beta = ScalarClass::kOther;
  made.alpha = 0.5;
  made.beta = 2;
  return made;
}

SelfTestCase in_blocks(SelfTestCase made, int32_t least, int32_t most) {
  made.ranges.push_back({"block_m", least, most});
  made.ranges.push_back({"block_n", least, most});
  return made;
}

// Of a square that has more blocks of that side than there are multiprocessors.
int64_t side_of(int64_t block, const cuda::BlockLimits& limits) {
  int64_t blocks = 1;
  while (blocks * blocks <= limits.multiprocessors) ++blocks;
  return blocks * block;
}

Result<Space> space_of(const SelfTestCase& wanted, const cuda::BlockLimits& limits) {
  Space space = TRIODE_TRY(wanted.is_triton ? cuda::triton_space(wanted.problem, limits)
                                            : cuda::nvrtc_gemm_space(wanted.problem, limits));
  for (const SelfTestCase::Range& range : wanted.ranges) {
    const std::optional<size_t> position = space.position_of(range.parameter);
    if (!position) return internal_error("the space has no " + range.parameter);
    space.add_rule("another kind of kernel", [at = *position, range](const Config& config) {
      return config[at] >= range.least && config[at] <= range.most;
    });
  }
  return space;
}

}  // namespace

std::vector<SelfTestCase> triton_cases(DType type, const cuda::BlockLimits& limits) {
  if (!is_triton_type(type)) return {};
  std::vector<SelfTestCase> cases;
  for (const int transposes : {0, 1, 2, 3}) {
    const Problem odd = product(type, 129, 67, 83, transposes, transposes == 3);
    cases.push_back(triton_case("mm", transposes % 2 == 0 ? odd : with_gaps(odd)));
    cases.push_back(triton_case("mm", product(type, 128, 96, 64, transposes, transposes == 0)));
  }
  cases.push_back(scaled(triton_case("mm", product(type, 65, 97, 51, 2, true))));
  for (const Epilogue epilogue :
       {Epilogue::kBias, Epilogue::kBiasRelu, Epilogue::kBiasGelu, Epilogue::kSilu}) {
    Problem problem = product(type, 70, 61, 45, 0, epilogue == Epilogue::kBiasRelu);
    problem.op = Op::kAddmm;
    problem.epilogue = epilogue;
    cases.push_back(triton_case("addmm", problem));
  }
  cases.push_back(triton_case("bmm", batched(product(type, 35, 69, 75, 1, false), 3)));
  cases.push_back(triton_case("split-k", product(type, 67, 45, 530, 2, true), 4));
  const int64_t side = side_of(32, limits);
  cases.push_back(in_blocks(
      triton_case("persistent", product(type, side + 5, side + 3, 75, 0, false), 1, 1), 16, 32));
  if (limits.capability < kLeastTmaCapability || type == DType::kF32) return cases;
  for (const int transposes : {0, 1, 2, 3}) {
    const Problem problem = product(type, side + 16, side, 80, transposes, true);
    cases.push_back(in_blocks(triton_case("tma", problem, 1, 1, 1), 16, 32));
  }
  // The wide multipliers want 64 rows.
  const int64_t wide_side = side_of(64, limits);
  SelfTestCase wide = triton_case("tma", product(type, wide_side, wide_side, 80, 2, true), 1, 1, 1);
  wide.ranges.push_back({"num_warps", 4, 8});
  cases.push_back(in_blocks(wide, 64, 64));
  return cases;
}

std::vector<SelfTestCase> nvrtc_cases(DType type) {
  if (!is_nvrtc_type(type)) return {};
  std::vector<SelfTestCase> cases;
  for (const int transposes : {0, 1, 2, 3}) {
    const Problem odd = product(type, 129, 67, 83, transposes, transposes == 3);
    cases.push_back(nvrtc_case("mm", transposes % 2 == 0 ? odd : with_gaps(odd)));
  }
  cases.push_back(nvrtc_case("mm", product(type, 128, 96, 64, 0, true)));
  cases.push_back(scaled(nvrtc_case("mm", product(type, 65, 97, 51, 2, true))));
  cases.push_back(nvrtc_case("bmm", batched(product(type, 35, 69, 75, 1, false), 3)));
  return cases;
}

std::vector<SelfTestCase> timed_cases(DType type, int64_t size) {
  const Problem problem = product(type, size, size, size, 0, true);
  std::vector<SelfTestCase> cases;
  if (is_triton_type(type)) {
    SelfTestCase timed = triton_case("time", problem);
    // In full f32 not on tensor cores: registers are scarcer.
    const std::string tile =
        type == DType::kF32 ? "block_m=64 block_n=64" : "block_m=128 block_n=128";
    // Where that is legal; else any.
    if (size >= 1024) {
      timed.config =
          tile + " block_k=32 group_m=8 num_stages=3 num_warps=8 split_k=1 persistent=0 tma=0";
    }
    cases.push_back(timed);
  }
  if (is_nvrtc_type(type)) cases.push_back(nvrtc_case("time", problem));
  return cases;
}

SelfTestCase small_case(bool is_triton) {
  const Problem problem = Problem::mm(DType::kF32, 20, 20, 9);
  // A small block: most of a large one would be idle.
  return in_blocks(is_triton ? triton_case("small", problem) : nvrtc_case("small", problem), 16,
                   32);
}

Result<std::vector<SelfTestConfig>> configs_of(const SelfTestCase& wanted,
                                               const cuda::BlockLimits& limits, int count) {
  const Space space = TRIODE_TRY(space_of(wanted, limits));
  if (!wanted.config.empty()) {
    return std::vector{SelfTestConfig{TRIODE_TRY(space.parse(wanted.config)), wanted.config}};
  }
  std::vector<SelfTestConfig> configs;
  Random random(kSeed);
  for (int i = 0; i < count; ++i) {
    const std::optional<Config> config = space.sample(random, kAttempts);
    if (!config) return unsupported("no config of " + wanted.kind + " is legal");
    configs.push_back({*config, space.to_string(*config)});
  }
  return configs;
}

}  // namespace triode
