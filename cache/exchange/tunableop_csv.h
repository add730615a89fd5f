// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cache/exchange/exchange_table.h"
#include "cache/exchange/import_options.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// PyTorch TunableOp's results file: validators, then one line per problem with the solution that
// won and its mean time in milliseconds. The validators become the toolchain; GCN_ARCH_NAME is the
// device, else ImportOptions::device must be given. Configs are of the family "tunableop": a
// solution of a vendor's library, by name.
Result<ExchangeTable> read_tunableop(const SourceFile& file, const ImportOptions& options);

// Writes the rows of that family: the same lines in the same order. A file is for one set of
// validators; rows of others, and every other kind of config, are dropped.
std::string write_tunableop(const ExchangeTable& table, DropList& dropped);

}  // namespace triode::exchange
