// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/export_losses.h"

#include <algorithm>

namespace triode::exchange {

void note_losses(const ExchangeRow& row, const FormatPlaces& places, DropList& dropped) {
  const auto note = [&](std::string_view what) {
    dropped.add(std::string(what) + ": " + std::string(places.name) + " has no place for it",
                describe(row));
  };
  const Measurement& m = row.measurement;
  if (!places.has_spread && (m.count > 1 || m.spread > 0)) {
    note("least time, spread and number of samples");
  }
  if (!places.has_toolchain && !row.target.driver.empty()) note("driver");
  if (!places.has_when && row.when_unix_s != 0) note("time of the trial");
  if (row.target.cores > 0 || row.target.l2_bytes > 0) note("cores and cache sizes of the device");
  const bool is_other_tools = std::any_of(row.extra.begin(), row.extra.end(), [&](const auto& e) {
    return e.first.find('.') != std::string::npos && !e.first.starts_with(places.prefix);
  });
  if (is_other_tools) note("fields of the tool that the row was imported from");
}

std::string describe(const ExchangeRow& row) {
  return to_string(row.problem) + ", " + to_string(row.config);
}

}  // namespace triode::exchange
