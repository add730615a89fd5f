// SPDX-License-Identifier: Apache-2.0
#include "cache/msgpack_bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <msgpack.hpp>
#include <random>
#include <vector>

namespace triode {
namespace {

template <typename Value>
std::string packed_by_library(const Value& value) {
  msgpack::sbuffer buffer;
  msgpack::packer(buffer).pack(value);
  return {buffer.data(), buffer.size()};
}

// Values near every power of two, where heads change.
std::vector<int64_t> edges() {
  std::vector<int64_t> values = {0, std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::max()};
  for (int bit = 0; bit < 63; ++bit) {
    for (const int64_t off : {-1, 0, 1}) {
      values.push_back((int64_t{1} << bit) + off);
      values.push_back(-(int64_t{1} << bit) + off);
    }
  }
  return values;
}

TEST(MsgpackBytes, WritesWholeNumbersAsTheLibraryDoesAndReadsThem) {
  for (const int64_t value : edges()) {
    std::string packed;
    pack_signed(value, packed);
    EXPECT_EQ(packed, packed_by_library(value)) << value;
    std::string_view bytes = packed;
    EXPECT_EQ(take_signed(bytes), value);
    EXPECT_TRUE(bytes.empty());
  }
  std::string most;
  pack_unsigned(std::numeric_limits<uint64_t>::max(), most);
  EXPECT_EQ(most, packed_by_library(std::numeric_limits<uint64_t>::max()));
  std::string_view bytes = most;
  EXPECT_EQ(take_signed(bytes), std::nullopt);
  EXPECT_EQ(take_unsigned(bytes), std::numeric_limits<uint64_t>::max());
}

TEST(MsgpackBytes, ReadsBackEveryRealNumber) {
  std::mt19937_64 random(1);
  std::vector<double> values = {0.1,
                                0.5,
                                -2.25,
                                1e300,
                                1e-300,
                                18446744073709551616.0,
                                std::numeric_limits<double>::infinity()};
  for (const int64_t value : edges()) values.push_back(static_cast<double>(value));
  for (int i = 0; i < 1000; ++i) values.push_back(std::lognormal_distribution<>(9, 5)(random));
  for (const double value : values) {
    std::string packed;
    pack_real(value, packed);
    std::string_view bytes = packed;
    EXPECT_EQ(take_real(bytes), value);
    EXPECT_TRUE(bytes.empty());
    EXPECT_EQ(msgpack::unpack(packed.data(), packed.size())->as<double>(), value);
  }
}

TEST(MsgpackBytes, WritesTextsAsTheLibraryDoesAndReadsThem) {
  for (const size_t size : {0, 1, 31, 32, 255, 256, 65535, 65536}) {
    const std::string text(size, 'x');
    std::string packed;
    pack_text(text, packed);
    EXPECT_EQ(packed, packed_by_library(text));
    std::string_view bytes = packed;
    EXPECT_EQ(take_text(bytes), text);
    std::string_view cut = std::string_view(packed).substr(0, packed.size() - 1);
    EXPECT_EQ(take_text(cut), std::nullopt);
    packed.clear();
    pack_bytes(text, packed);
    bytes = packed;
    EXPECT_EQ(take_text(bytes), text);
  }
}

TEST(MsgpackBytes, PassesOverWhatTheLibraryWrites) {
  for (const size_t size : {0, 15, 16, 70'000}) {
    const std::vector<std::vector<std::string>> nested(size, {"a", std::string(40, 'b')});
    const std::map<std::string, std::vector<double>> map = {{"x", std::vector<double>(size, 0.1)}};
    for (const std::string& packed : {packed_by_library(nested), packed_by_library(map)}) {
      std::string_view bytes = packed;
      EXPECT_EQ(take_value(bytes, 3), packed);
      EXPECT_TRUE(bytes.empty());
      bytes = std::string_view(packed).substr(0, packed.size() - 1);
      EXPECT_EQ(take_value(bytes, 3), std::nullopt);
    }
  }
  std::string_view deep = "\x91\x91\x91\x01";
  EXPECT_EQ(take_value(deep, 3), std::nullopt);
  EXPECT_TRUE(take_value(deep, 4).has_value());
}

TEST(MsgpackBytes, AgreesWithTheLibraryOnRandomBytes) {
  std::mt19937_64 random(2);
  // What is greater cannot be there, and the library would allocate what is claimed.
  const msgpack::unpack_limit limit(100, 100, 100, 100, 100, 100);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(1 + random() % 24, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    size_t end = 0;
    try {
      msgpack::unpack(bytes.data(), bytes.size(), end, nullptr, nullptr, limit);
    } catch (const std::exception&) {
      end = 0;
    }
    std::string_view rest = bytes;
    const auto value = take_value(rest, 100);
    EXPECT_EQ(value.has_value() ? value->size() : 0, end) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace triode
