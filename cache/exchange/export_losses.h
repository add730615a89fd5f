// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <string>
#include <string_view>

#include "cache/exchange/exchange_table.h"

namespace triode::exchange {

// What a format has a place for, for the list of what an export leaves out.
struct FormatPlaces {
  std::string_view name;       // in messages: "a diode dataset"
  std::string_view prefix;     // of its own names in ExchangeRow::extra: "diode."
  bool has_spread = false;     // least time, spread, sample count
  bool has_toolchain = false;  // toolchain and driver
  bool has_when = false;
};

// Adds what of this row the format cannot hold. The row itself is written.
void note_losses(const ExchangeRow& row, const FormatPlaces& places, DropList& dropped);

// "mm f16 32x32x32 nn, triton block_k=16 ...", to name a row.
std::string describe(const ExchangeRow& row);

}  // namespace triode::exchange
