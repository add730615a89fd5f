// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cache/exchange/csv_reader.h"
#include "cache/exchange/source_file.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::exchange {

// The parameters of a Triton config in the tables, by Triode's names.
inline constexpr std::array<std::string_view, 6> kTimingsParameters = {
    "block_m", "block_n", "block_k", "group_m", "num_stages", "num_warps"};

// One line of a table of GPU timings. Texts live as long as the file.
struct TimingsRow {
  std::string_view device;   // empty: the table has no such column
  std::string_view dataset;  // likewise
  Problem problem;
  bool is_vendors = false;  // the vendor's kernel; else Triton's, with the config below
  std::array<int32_t, kTimingsParameters.size()> config{};  // 0: the table has no such column
  bool has_failed = false;
  double median_ms = 0;  // the times of one that has not
  double least_ms = 0;
  double greatest_ms = 0;
  int32_t repeats = 1;
  std::string_view line;  // as it stands there, with the carriage return it may have
};

// Goes over the lines of either table, told apart by the first (cache/exchange/timings_extra.h):
//
// "device,dataset,m,n,k,...": what Inductor's autotuner timed, Triton's mm template and the
// vendor's kernel ("extern_mm"), median, least and greatest time in milliseconds; no time: it
// failed.
//
// "m,n,k,block_m,...,ok,ms,compile_s": the whole space of a Triton kernel for fp16 products.
class TimingsReader {
 public:
  // The file must outlive the reader.
  explicit TimingsReader(const SourceFile& file) : lines_(file, LineEnds::kAnyKind) {}

  // Before all else.
  Status read_header();
  bool is_full_space() const { return is_full_space_; }

  // Moves to the next line. False at the end.
  Result<bool> next();
  const TimingsRow& row() const { return row_; }
  Status error(std::string_view message) const { return lines_.error(message); }

 private:
  using Fields = std::vector<std::string_view>;
  Status read_timed(const Fields& fields);
  Status read_times(const Fields& fields);
  Status read_problem(const Fields& fields);
  Status read_full(const Fields& fields);
  Result<int64_t> size(std::string_view text, std::string_view name) const;

  CsvReader lines_;
  bool is_full_space_ = false;
  TimingsRow row_;
};

}  // namespace triode::exchange
