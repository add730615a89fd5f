// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstring>

#include "tests/virtual_gpu/block_state.h"
#include "tests/virtual_gpu/decoder.h"
#include "tests/virtual_gpu/lane_values.h"

namespace triode::vgpu {
namespace {

using Kind = ValueType::Kind;

// ldmatrix and stmatrix: 8 x 8 matrices of 16-bit elements, whose rows the lanes name; each lane
// gets (gives) two elements of a row, or of a column if transposed.
// Registers: base, one for each matrix. mode: how many, is transposed.
template <bool kStores>
void transfer_matrices(Warp& warp, const Instruction& in, uint32_t) {
  for (uint32_t matrix = 0; matrix < in.mode[0]; ++matrix) {
    std::array<std::byte*, 8> rows;
    for (int i = 0; i < 8; ++i) {
      const int lane = static_cast<int>(matrix) * 8 + i;
      const uint64_t address = warp.get(in.registers[0], lane) + static_cast<uint64_t>(in.offset);
      rows[static_cast<size_t>(i)] = warp.touch(StateSpace::kShared, address, 16,
                                                kStores ? Access::kWrite : Access::kRead, lane);
    }
    uint32_t* values = warp.lanes<uint32_t>(in.registers[1 + matrix]);
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < 2; ++i) {
        const int along = lane % 4 * 2 + i;
        const int row = in.mode[1] != 0 ? along : lane / 4;
        const int column = in.mode[1] != 0 ? lane / 4 : along;
        std::byte* element = rows[static_cast<size_t>(row)] + 2 * column;
        std::byte* half = reinterpret_cast<std::byte*>(&values[lane]) + 2 * i;
        std::memcpy(kStores ? element : half, kStores ? half : element, 2);
      }
    }
  }
}

// How many elements of an operand one 32-bit register holds, and their values.
struct F16Elements {
  static constexpr int kCount = 2;
  static float get(uint32_t bits, int i) {
    return f16_to_float(static_cast<uint16_t>(bits >> (16 * i)));
  }
};
struct Bf16Elements {
  static constexpr int kCount = 2;
  static float get(uint32_t bits, int i) {
    return bf16_to_float(static_cast<uint16_t>(bits >> (16 * i)));
  }
};
struct Tf32Elements {
  static constexpr int kCount = 1;
  static float get(uint32_t bits, int) { return tf32_to_float(bits); }
};

// The three matrices of one mma.sync.m16n8kX, gathered from the registers of the warp.
// One rule of layout serves every element size. With g = lane / 4, t = lane % 4 and E elements in a
// register: element i of a's register r is (row g + 8 (r % 2), k = E t + i + 4 E (r / 2)), of b's
// register r (k = E t + i + 4 E r, column g); c and d hold (row g + 8 (j / 2), column 2 t + j % 2).
template <typename Elements>
class Mma {
 public:
  Mma(Warp& warp, const Instruction& in) : warp_(warp), in_(in) {}

  void run() {
    const Register* d = in_.registers.data();
    const Register* a = d + 4;
    const Register* b = a + in_.mode[0];
    const Register* c = b + in_.mode[0] / 2;
    gather(a, b);
    transfer_sums(c, [](float& sum, uint32_t& bits) { sum = std::bit_cast<float>(bits); });
    multiply(static_cast<int>(in_.mode[0]) / 2 * 4 * kE);
    transfer_sums(d, [](float& sum, uint32_t& bits) { bits = std::bit_cast<uint32_t>(sum); });
  }

 private:
  static constexpr int kE = Elements::kCount;
  static constexpr int kMostK = 8 * kE;

  void gather(const Register* a, const Register* b) {
    for (int r = 0; r < static_cast<int>(in_.mode[0]); ++r) {
      const uint32_t* bits = warp_.lanes<uint32_t>(a[r]);
      for (int l = 0; l < kLanes; ++l) {
        for (int i = 0; i < kE; ++i) {
          a_[l / 4 + 8 * (r % 2)][l % 4 * kE + i + r / 2 * 4 * kE] = Elements::get(bits[l], i);
        }
      }
    }
    for (int r = 0; r < static_cast<int>(in_.mode[0]) / 2; ++r) {
      const uint32_t* bits = warp_.lanes<uint32_t>(b[r]);
      for (int l = 0; l < kLanes; ++l) {
        for (int i = 0; i < kE; ++i)
          b_[l % 4 * kE + i + r * 4 * kE][l / 4] = Elements::get(bits[l], i);
      }
    }
  }

  void multiply(int k) {
    for (int row = 0; row < 16; ++row) {
      for (int p = 0; p < k; ++p) {
        for (int column = 0; column < 8; ++column) sums_[row][column] += a_[row][p] * b_[p][column];
      }
    }
  }

  template <typename Transfer>
  void transfer_sums(const Register* registers, Transfer transfer) {
    for (int j = 0; j < 4; ++j) {
      uint32_t* bits = warp_.lanes<uint32_t>(registers[j]);
      for (int l = 0; l < kLanes; ++l)
        transfer(sums_[l / 4 + 8 * (j / 2)][l % 4 * 2 + j % 2], bits[l]);
    }
  }

  Warp& warp_;
  const Instruction& in_;
  float a_[16][kMostK];
  float b_[kMostK][8];
  float sums_[16][8];
};

// Registers: d (4), a, b, c (4). mode[0]: registers of a; b has half as many.
template <typename Elements>
void multiply_matrices(Warp& warp, const Instruction& in, uint32_t) {
  Mma<Elements>(warp, in).run();
  ++warp.block().counts.mmas;
}

void decode_matrices(Decoder& decoder) {
  const bool stores = decoder.statement().words[0] == "stmatrix";
  decoder.require(decoder.has("m8n8") && decoder.type().bits == 16, "m8n8 of 16 bits");
  decoder.instruction.offset = decoder.add_address(stores ? 0 : 1);
  const uint32_t count = decoder.add_vector(stores ? 1 : 0);
  const uint32_t named = decoder.choose({{"x1", 1}, {"x2", 2}, {"x4", 4}});
  if (count != named) decoder.fail("the vector has the wrong number of registers");
  decoder.instruction.mode = {count, decoder.has("trans") ? 1u : 0u, 0, 0};
  decoder.instruction.is_collective = true;
  decoder.execute_with(stores ? transfer_matrices<true> : transfer_matrices<false>);
}

Handler mma_of(Kind kind) {
  switch (kind) {
    case Kind::kF16:
      return multiply_matrices<F16Elements>;
    case Kind::kBf16:
      return multiply_matrices<Bf16Elements>;
    case Kind::kTf32:
      return multiply_matrices<Tf32Elements>;
    default:
      return nullptr;
  }
}

void decode_mma(Decoder& decoder) {
  const auto& types = decoder.types();
  const bool has_shape =
      decoder.has("m16n8k16") || decoder.has("m16n8k8") || decoder.has("m16n8k4");
  decoder.require(has_shape && decoder.has("row") && decoder.has("col"), "m16n8 with row.col");
  decoder.require(
      types.size() == 4 && types[0].kind == Kind::kFloat && types[3].kind == Kind::kFloat,
      "accumulating in f32");
  decoder.require(types[1].kind == types[2].kind, "one type for a and b");
  const uint32_t k = decoder.choose({{"m16n8k16", 16}, {"m16n8k8", 8}, {"m16n8k4", 4}});
  const uint32_t expected = k * static_cast<uint32_t>(types[1].bits) / 64;
  const uint32_t d = decoder.add_vector(0);
  const uint32_t a = decoder.add_vector(1);
  const uint32_t b = decoder.add_vector(2);
  const uint32_t c = decoder.add_vector_source(3, kU32);
  if (d != 4 || c != 4 || a != expected || b != expected / 2 || a < 2 || a > 4) {
    decoder.fail("an operand has the wrong number of registers");
  }
  decoder.instruction.mode[0] = a;
  decoder.instruction.is_collective = true;
  decoder.execute_with(mma_of(types[1].kind));
}

}  // namespace

void add_matrix_instructions(DecodeTable& table) {
  table["ldmatrix"] = decode_matrices;
  table["stmatrix"] = decode_matrices;
  table["mma"] = decode_mma;
}

}  // namespace triode::vgpu
