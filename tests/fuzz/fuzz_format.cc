// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace triode::exchange {
namespace {

// Not an assertion: release builds are fuzzed, too.
void promise(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

void check_rows(const ExchangeTable& table) {
  for (const ExchangeRow& row : table.rows) {
    promise(row.problem.validate().ok(), "a valid problem");
    promise(std::isfinite(row.measurement.median_ns) && row.measurement.median_ns >= 0 &&
                std::isfinite(row.measurement.min_ns) && row.measurement.min_ns >= 0 &&
                row.measurement.spread >= 0 && row.measurement.count >= 0,
            "finite times");
    const Result<ForeignConfig> config = parse_foreign_config(to_string(row.config));
    promise(config.ok() && *config == row.config, "a config that reads as it prints");
  }
}

}  // namespace

void fuzz_format(ExchangeFormat format, const char* file_name, const uint8_t* data, size_t size) {
  ImportOptions options;
  options.device = "a device";
  options.moe_k = 64;
  const SourceFile file(file_name, std::string(reinterpret_cast<const char*>(data), size));
  const Result<ExchangeTable> table = read_exchange(format, file, options);
  if (!table.ok()) {
    promise(table.status().code() == StatusCode::kInvalidArgument, "a wrong file, and no more");
    promise(!table.status().message().empty(), "a message");
    return;
  }
  check_rows(*table);
  DropList dropped;
  const auto written = write_exchange(format, *table, dropped);
  promise(written.ok(), "what was read can be written");
  size_t rows = 0;
  for (const ExportedFile& again : *written) {
    const std::string name = format == ExchangeFormat::kVllm ? again.name : file_name;
    const auto read = read_exchange(format, SourceFile(name, again.bytes), options);
    // A file without any rows may lack what its reader asks for.
    promise(read.ok() || table->rows.empty(), "what was written can be read");
    if (read.ok()) rows += read->rows.size();
  }
  const auto missing = static_cast<int64_t>(table->rows.size()) - static_cast<int64_t>(rows);
  promise(missing >= 0 && missing <= dropped.count(), "as many rows, or a list of the others");
}

}  // namespace triode::exchange
