// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// torch-diode's two files. A Dataset holds a time, in milliseconds, for each config of each shape;
// a Table holds the configs of each shape, best first, and no times.
enum class DiodeKind : uint8_t { kDataset, kTable };
enum class DiodeEncoding : uint8_t { kJson, kMsgpack };

// Reads either kind, and the older Dataset whose configs are JSON inside a text (which diode's own
// reader refuses). Rows of shapes that Triode has no problem for are dropped with the reason;
// anything wrong in the file is an error with its place, and nothing is read.
Result<ExchangeTable> read_diode(const SourceFile& file, DiodeEncoding encoding);

// The bytes that diode itself would write: a file that it wrote, read by read_diode and written
// here, is the same to the byte. Adds what the format has no place for to `dropped`.
Result<std::string> write_diode(const ExchangeTable& table, DiodeKind kind, DiodeEncoding encoding,
                                DropList& dropped);

}  // namespace triode::exchange
