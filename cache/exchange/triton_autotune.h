// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/exported_file.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// What @triton.autotune(cache_results=True) leaves beside its kernels, KERNEL.autotune.json: the
// tuning key of one call, and every config with its times (median, 20th and 80th percentile) in
// milliseconds; Infinity for a config that did not run. The key must start with m, n and k, as
// key=["M", "N", "K"] gives it, and end in the operands' types. The device is not in the file:
// ImportOptions::device must be given. Configs are of the family "triton".
Result<ExchangeTable> read_triton_autotune(const SourceFile& file, const ImportOptions& options);

// One file per device and problem, as Triton writes it: the same bytes for what was read from one.
// Configs of other kernels are dropped.
std::vector<ExportedFile> write_triton_autotune(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
