// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// torch._inductor.config.lookup_table.table as JSON: for the inputs of a call, by device or for
// any, the template choices to autotune among, no times. Triton's mm template becomes the family
// "triton", aten's kernel "vendor", other templates "inductor". Keys without a device are stored
// for ImportOptions::device, else for the device "any".
Result<ExchangeTable> read_inductor(const SourceFile& file, const ImportOptions& options);

// The same entries for what came from a table; for other rows what Inductor's mm template takes,
// timed ones best first. Configs that failed, and those of other kernels, are dropped.
std::string write_inductor(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
