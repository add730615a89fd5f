// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// Two tables of matmul timings on GPUs, which cache/exchange/timings_reader.h describes. One that
// names no device needs ImportOptions::device.
Result<ExchangeTable> read_timings(const SourceFile& file, const ImportOptions& options);

// The first of the two for rows that came from it, and for Triton's and the vendor's timings from
// elsewhere; the second if all rows came from it. What was read comes out as the same bytes.
std::string write_timings(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
