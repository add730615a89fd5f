// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include "cache/exchange/export_losses.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/timings_csv.h"
#include "cache/exchange/timings_extra.h"
#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;

std::string strides(int64_t ld, bool is_transposed) {
  const std::string text = std::to_string(ld);
  return is_transposed ? "1," + text : text + ",1";
}

std::string problem_fields(const Problem& p) {
  const auto type = [](DType t) { return std::string(torch_name(t)); };
  const bool is_float = p.a_type == DType::kF32 || p.a_type == DType::kTF32;
  const char* tf32 = !is_float ? "not_float_32" : p.a_type == DType::kTF32 ? "True" : "False";
  return std::to_string(p.m) + "," + std::to_string(p.n) + "," + std::to_string(p.k) + "," +
         type(p.a_type) + "," + type(p.b_type) + "," + strides(p.lda, p.a_transposed) + "," +
         strides(p.ldb, p.b_transposed) + "," + tf32;
}

// A field may hold anything but what would make two of it.
bool is_field(std::string_view text) {
  return text.find_first_of(",\"\r\n") == std::string_view::npos;
}

// Empty if the table has no place for the row; `reason` then says why.
std::string line_of(const ExchangeRow& row, std::string& reason) {
  if (const auto kept = row.extra.find(kTimingsLine); kept != row.extra.end()) return kept->second;
  const bool is_vendors = row.config.family == "vendor";
  if (row.problem.op != Op::kMm || !is_field(row.target.device)) {
    reason = "problems other than mm: the table has no place for them";
  } else if (!is_vendors && row.config.family != "triton") {
    reason = "configs of other kernels than Triton's mm and the vendor's";
  } else if (row.outcome.ok() && row.measurement.count == 0) {
    reason = "configs without a time";
  }
  if (!reason.empty()) return {};
  std::string line = row.target.device + ",triode," + problem_fields(row.problem) + "," +
                     (is_vendors ? "extern_mm" : "triton");
  for (const char* name : {"block_m", "block_n", "block_k", "num_stages", "num_warps"}) {
    const int64_t value = row.config.number_or(name, 0);
    if (value == 0 && !is_vendors) {
      reason = "configs without " + std::string(name);
      return {};
    }
    line += is_vendors ? "," : "," + std::to_string(value);
  }
  const Measurement& m = row.measurement;
  if (!row.outcome.ok()) return line + ",1,1,,,";
  const double median = m.median_ns / kNsPerMs;
  const double least = m.min_ns / kNsPerMs;
  return line + "," + std::to_string(m.count) + ",0," + python_number(median) + "," +
         python_number(least) + "," +
         python_number(std::max(median, least + 2 * m.spread * median));
}

// Whether the file that the rows came from ended its lines as Windows does.
bool has_returns(const ExchangeTable& table) {
  if (table.rows.empty()) return false;
  const Extra& extra = table.rows.front().extra;
  const auto has_return = [&](const char* name) {
    const auto line = extra.find(name);
    return line != extra.end() && line->second.ends_with('\r');
  };
  return has_return(kTimingsLine) || has_return(kFullSpaceLine);
}

}  // namespace

std::string write_timings(const ExchangeTable& table, DropList& dropped) {
  const bool is_full =
      !table.rows.empty() &&
      std::all_of(table.rows.begin(), table.rows.end(),
                  [](const ExchangeRow& row) { return row.extra.contains(kFullSpaceLine); });
  std::string text(is_full ? kFullSpaceHeader : kTimingsHeader);
  text += has_returns(table) ? "\r\n" : "\n";
  for (const ExchangeRow& row : table.rows) {
    std::string reason;
    const std::string line = is_full ? row.extra.at(kFullSpaceLine) : line_of(row, reason);
    if (!reason.empty()) {
      dropped.add(reason, describe(row));
      continue;
    }
    note_losses(row, {"the table of timings", "csv.", true}, dropped);
    text += line + "\n";
  }
  return text;
}

}  // namespace triode::exchange
