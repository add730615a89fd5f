// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/exported_file.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// A tuned file of vLLM or SGLang: the best config, without a time, for some values of m. Device, n,
// k and types stand in the file's name,
//   N=2048,K=512,device_name=NVIDIA_H200,dtype=fp8_w8a8,block_shape=[128,128].json
// The block-quantised product (N and K) becomes configs of the family "vllm-w8a8"; a mixture of
// experts (E and N, no K) becomes "vllm-moe", a bmm over the experts, if ImportOptions::moe_k is
// given, and else is dropped.
Result<ExchangeTable> read_vllm(const SourceFile& file, const ImportOptions& options);

// Writes the rows of those families, each into a file of the name it came from: the same values in
// the same order. Other rows are dropped: their configs are for other kernels.
std::vector<ExportedFile> write_vllm(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
