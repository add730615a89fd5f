// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/exported_file.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

enum class ExchangeFormat : uint8_t {
  kDiodeDataset,
  kDiodeDatasetMsgpack,
  kDiodeTable,
  kDiodeTableMsgpack,
  kTunableOp,
  kVllm,
  kTritonAutotune,
  kKernelTuner,
  kInductor,
  kTimingsCsv,
};

struct FormatRow {
  ExchangeFormat format;
  std::string_view name;     // "diode-dataset": on the command line, and TrialRecord::origin
  std::string_view about;    // one line for help
  bool may_be_many = false;  // an export may write several files
  // Has room for one time of a config: trials of one key are to be folded before they are written.
  bool has_one_time = false;
};

// Every format, each once, in declaration order.
std::span<const FormatRow> format_rows();

std::string_view to_string(ExchangeFormat format);
Result<ExchangeFormat> parse_exchange_format(std::string_view name);

// Which format a file seems to be of, by its name and beginning. kInvalidArgument, with the formats
// there are, if it is none of them.
Result<ExchangeFormat> detect_format(const SourceFile& file);

// The format whose marks a file bears in its name or at its beginning, which is enough of it: for
// files that nobody named, and stricter than detect_format. Empty: it is none of them.
std::optional<ExchangeFormat> claimed_format(const SourceFile& file);

// Reads a whole file or, on an error, nothing.
Result<ExchangeTable> read_exchange(ExchangeFormat format, const SourceFile& file,
                                    const ImportOptions& options);

// The files that hold the rows in this format, at least one for formats of a single file. What they
// cannot hold is added to `dropped`.
Result<std::vector<ExportedFile>> write_exchange(ExchangeFormat format, const ExchangeTable& table,
                                                 DropList& dropped);

}  // namespace triode::exchange
