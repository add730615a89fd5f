// SPDX-License-Identifier: Apache-2.0
#include "tests/cache/filled_cache.h"

#include <rocksdb/db.h>

#include <cstdlib>
#include <iostream>
#include <vector>

#include "cache/database.h"
#include "cache/key_codec.h"
#include "cache/salvage.h"

namespace triode {
namespace {

void require(bool is_ok, const std::string& text) {
  if (is_ok) return;
  std::cerr << "the test's cache: " << text << std::endl;
  std::abort();
}

}  // namespace

KeyedTrial numbered_trial(int64_t number) {
  const int64_t problem = number / 100;
  KeyedTrial trial;
  trial.key = {.device = "some cpu|avx2|8|32768|1048576|0",
               .problem = to_string(Problem::mm(DType::kF32, 1 + problem, 64, 64)),
               .config = "number=" + std::to_string(number),
               .validity = {.toolchain = "emitter 1", .driver = {}, .generator = {}, .source = {}}};
  // Times that do not compress, so that a few thousand trials make several blocks.
  const double time = 1000.0 + static_cast<double>(number * 7919 % 104729) / 7.0;
  trial.record = {{}, {time, time * 0.97, 0.01, 5}, 1'800'000'000 + number};
  return trial;
}

void put_numbered(Cache& cache, int64_t begin, int64_t end) {
  std::vector<KeyedTrial> trials;
  for (int64_t number = begin; number < end; ++number) trials.push_back(numbered_trial(number));
  const Status status = cache.measurements().append(trials);
  require(status.ok(), status.message());
}

void flush(const Cache& cache) {
  const Database& database = cache.database();
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (size_t i = 0; i < kFamilyCount; ++i) {
    families.push_back(database.family(static_cast<Family>(i)));
  }
  require(database.rocksdb().Flush({}, families).ok(), "cannot flush");
}

std::set<int64_t> numbers_in(const Cache& cache) {
  std::set<int64_t> numbers;
  SalvageVisitor visitor;
  visitor.record = [&](std::string_view bytes, std::string_view) -> Status {
    SampleKey key;
    TRIODE_TRY(decode_sample_key(bytes, key));
    numbers.insert(std::atoll(key.config.c_str() + std::string("number=").size()));
    return {};
  };
  visitor.gap = [](const std::string&, const std::string&) {};
  const Status status = walk_readable(cache.database(), Family::kMeasurements, visitor);
  require(status.ok(), status.message());
  return numbers;
}

}  // namespace triode
