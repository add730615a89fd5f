// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/exported_file.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// Kernel Tuner's cache file: one kernel on one device and problem, each config with its time in
// milliseconds, or the name of the fault. Also one whose tuning was interrupted, which lacks its
// last brackets. The problem is ImportOptions::problem, or what a file of ours says, or a
// problem_size of three numbers. Configs are of the family "kernel_tuner.KERNEL".
Result<ExchangeTable> read_kernel_tuner(const SourceFile& file, const ImportOptions& options);

// One file per device, problem and family, which Kernel Tuner's simulation mode runs on. What it
// wrote itself comes out with the same values. Rows whose parameters differ in name from the first
// one's are dropped.
std::vector<ExportedFile> write_kernel_tuner(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
