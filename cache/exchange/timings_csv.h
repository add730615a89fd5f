// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// Two tables of matmul timings on GPUs, by their header lines.
//
// "device,dataset,m,n,k,...": what Inductor's autotuner timed, Triton's mm template and the
// vendor's kernel ("extern_mm"), median, least and greatest time in milliseconds; no time: it
// failed.
//
// "m,n,k,block_m,...,ok,ms,compile_s": the whole space of a Triton kernel for square fp16 products.
// It names no device: ImportOptions::device must be given.
Result<ExchangeTable> read_timings(const SourceFile& file, const ImportOptions& options);

// The first of the two for rows that came from it, and for Triton's and the vendor's timings from
// elsewhere; the second if all rows came from it. What was read comes out as the same bytes.
std::string write_timings(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
