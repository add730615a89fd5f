// SPDX-License-Identifier: Apache-2.0
#include "cache/record_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <msgpack.hpp>

#include "core/crc32.h"
#include "tests/core/status_matchers.h"

namespace triode {
namespace {

using ::testing::HasSubstr;

TrialRecord some_record() {
  return {{OutcomeKind::kOk, ""}, {1234.5, 1200.25, 0.0125, 15}, 1'800'000'000};
}

auto is_damaged() {
  return FailsWith(StatusCode::kCorrupt, HasSubstr("damaged"));
}

// A value around any payload, with a checksum that fits it.
std::string envelope(uint32_t version, const msgpack::sbuffer& payload) {
  msgpack::sbuffer buffer;
  msgpack::packer packer(buffer);
  packer.pack_array(3);
  packer.pack(version);
  packer.pack(crc32({payload.data(), payload.size()}));
  packer.pack_bin(static_cast<uint32_t>(payload.size()));
  packer.pack_bin_body(payload.data(), static_cast<uint32_t>(payload.size()));
  return {buffer.data(), buffer.size()};
}

// The fields of some_record() with a median of our choice, and one field nobody knows.
msgpack::sbuffer payload_with(double median_ns) {
  msgpack::sbuffer buffer;
  msgpack::packer packer(buffer);
  packer.pack_map(7);
  packer.pack("outcome").pack("ok");
  packer.pack("clock_mhz").pack_array(2).pack(3000).pack(3100);
  packer.pack("median_ns").pack(median_ns);
  packer.pack("min_ns").pack(1200.25);
  packer.pack("spread").pack(0.0125);
  packer.pack("count").pack(15);
  packer.pack("when").pack(1'800'000'000);
  return buffer;
}

TEST(RecordCodec, ReadsWhatItWrote) {
  const std::string bytes = encode_record(some_record()).take();
  EXPECT_EQ(decode_record(bytes).take(), some_record());
}

TEST(RecordCodec, KeepsEveryOutcomeWithItsReason) {
  for (int kind = 0; kind <= static_cast<int>(OutcomeKind::kUnstable); ++kind) {
    TrialRecord record = some_record();
    record.outcome = {static_cast<OutcomeKind>(kind), "because of \n \xff and \"quotes\""};
    EXPECT_EQ(decode_record(encode_record(record).take()).take(), record);
  }
}

TEST(RecordCodec, KeepsExtremes) {
  TrialRecord record = some_record();
  record.measurement = {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                        std::numeric_limits<double>::infinity(),
                        std::numeric_limits<int32_t>::max()};
  record.when_unix_s = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(decode_record(encode_record(record).take()).take(), record);
}

TEST(RecordCodec, KeepsALongReason) {
  TrialRecord record = some_record();
  record.outcome = {OutcomeKind::kCompileFailed, std::string(100'000, 'x')};
  EXPECT_EQ(decode_record(encode_record(record).take()).take(), record);
}

TEST(RecordCodec, RefusesToWriteTimesThatCannotBeRanked) {
  for (const double bad :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    TrialRecord record = some_record();
    record.measurement.median_ns = bad;
    EXPECT_THAT(encode_record(record), FailsWith(StatusCode::kInvalidArgument, HasSubstr("times")));
  }
}

TEST(RecordCodec, NoticesEveryFlippedBit) {
  const std::string good = encode_record(some_record()).take();
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(decode_record(bad), is_damaged()) << "bit " << bit;
  }
}

TEST(RecordCodec, NoticesMissingAndExtraBytes) {
  const std::string good = encode_record(some_record()).take();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(decode_record(good.substr(0, size)), is_damaged()) << size;
  }
  EXPECT_THAT(decode_record(good + 'x'), is_damaged());
}

TEST(RecordCodec, KeepsFieldsItDoesNotKnowThroughARewrite) {
  TrialRecord record = decode_record(envelope(1, payload_with(1234.5))).take();
  EXPECT_EQ(record.unknown_count, 1);
  record.measurement.median_ns = 99;
  const TrialRecord again = decode_record(encode_record(record).take()).take();
  EXPECT_EQ(again, record);
  msgpack::sbuffer field;
  msgpack::packer(field).pack("clock_mhz").pack_array(2).pack(3000).pack(3100);
  EXPECT_EQ(again.unknown, std::string(field.data(), field.size()));
}

TEST(RecordCodec, KeepsEveryField) {
  TrialRecord record = some_record();
  record.vendor = VendorTime{4321.0, 3.5, 0.25};
  record.clocks = Clocks{2600, 1215};
  record.trials = 3;
  record.origin = "kernel-tuner";
  record.extra = {{"times", "[1, 2]"}, {"", std::string("\0\xff", 2)}};
  EXPECT_EQ(decode_record(encode_record(record).take()).take(), record);
}

TEST(RecordCodec, KeepsTimesToTheLastBit) {
  for (const double value :
       {0.0, 0.1, 0.5, 1e-300, 1e300, 2147483648.0, 16777217.0, 3.0, 1e9 / 3}) {
    TrialRecord record = some_record();
    record.measurement.median_ns = value;
    EXPECT_EQ(decode_record(encode_record(record).take()).take(), record) << value;
  }
}

TEST(RecordCodec, RefusesAnotherVersion) {
  EXPECT_THAT(decode_record(envelope(2, payload_with(1234.5))), is_damaged());
}

TEST(RecordCodec, RefusesTimesThatCannotBeRankedEvenWithARightChecksum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(decode_record(envelope(1, payload_with(nan))), is_damaged());
}

TEST(RecordCodec, RefusesAPayloadWithoutItsFields) {
  msgpack::sbuffer empty_map;
  msgpack::packer(empty_map).pack_map(0);
  EXPECT_THAT(decode_record(envelope(1, empty_map)), is_damaged());
}

TEST(RecordCodec, AllocatesNothingForSizesThatHostileBytesClaim) {
  EXPECT_THAT(decode_record("\xdd\xff\xff\xff\xff"), is_damaged());  // an array
  EXPECT_THAT(decode_record("\xdf\xff\xff\xff\xff"), is_damaged());  // a map
  EXPECT_THAT(decode_record("\xc6\xff\xff\xff\xff"), is_damaged());  // bytes
  EXPECT_THAT(decode_record(std::string(100'000, static_cast<char>(0x91))), is_damaged());  // deep
}

}  // namespace
}  // namespace triode
