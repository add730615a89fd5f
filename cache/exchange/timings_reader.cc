// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/timings_reader.h"

#include <optional>
#include <string>

#include "cache/exchange/timings_extra.h"
#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

// Positions in the lines.
enum Timed : size_t {
  kDevice,
  kDataset,
  kM,
  kN,
  kK,
  kAType,
  kBType,
  kARow,
  kAColumn,
  kBRow,
  kBColumn,
  kTf32,
  kKind,
  kBlockM,
  kBlockN,
  kBlockK,
  kStages,
  kWarps,
  kRepeats,
  kNotFinite,
  kMedian,
  kLeast,
  kGreatest,
  kTimedCount
};
enum Full : size_t {
  kFullM,
  kFullN,
  kFullK,
  kFullBlockM,
  kFullBlockN,
  kFullBlockK,
  kFullGroupM,
  kFullStages,
  kFullWarps,
  kFullOk,
  kFullMs,
  kFullCompile,
  kFullCount
};

// Of each of kTimingsParameters; the longer table has no group_m.
constexpr size_t kNoColumn = SIZE_MAX;
using Columns = std::array<size_t, kTimingsParameters.size()>;
constexpr Columns kTimedColumns = {kBlockM, kBlockN, kBlockK, kNoColumn, kStages, kWarps};
constexpr Columns kFullColumns = {kFullBlockM, kFullBlockN, kFullBlockK,
                                  kFullGroupM, kFullStages, kFullWarps};

}  // namespace

Status TimingsReader::read_header() {
  if (!TRIODE_TRY(lines_.next())) return lines_.error("the file is empty");
  is_full_space_ = lines_.line() == kFullSpaceHeader;
  if (is_full_space_ || lines_.line() == kTimingsHeader) return {};
  return lines_.error("the first line is neither of the headers known here:\n  " +
                      std::string(kTimingsHeader) + "\n  " + std::string(kFullSpaceHeader));
}

Result<bool> TimingsReader::next() {
  if (!TRIODE_TRY(lines_.next())) return false;
  const Fields fields = lines_.fields();
  const size_t wanted = is_full_space_ ? size_t{kFullCount} : size_t{kTimedCount};
  if (fields.size() != wanted) {
    return lines_.error("expected " + std::to_string(wanted) + " fields, found " +
                        std::to_string(fields.size()));
  }
  row_ = {};
  row_.line = lines_.line_with_return();
  TRIODE_TRY(is_full_space_ ? read_full(fields) : read_timed(fields));
  if (const Status fault = row_.problem.validate(); !fault.ok()) {
    return lines_.error(fault.message());
  }
  if (row_.is_vendors) return true;
  const Columns& columns = is_full_space_ ? kFullColumns : kTimedColumns;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == kNoColumn) continue;
    row_.config[i] =
        static_cast<int32_t>(TRIODE_TRY(size(fields[columns[i]], kTimingsParameters[i])));
  }
  return true;
}

Result<int64_t> TimingsReader::size(std::string_view text, std::string_view name) const {
  return csv_whole(lines_, text, name, 1, INT32_MAX);
}

Status TimingsReader::read_timed(const Fields& fields) {
  if (fields[kDevice].empty()) return lines_.error("no device");
  row_.device = fields[kDevice];
  row_.dataset = fields[kDataset];
  TRIODE_TRY(read_problem(fields));
  row_.is_vendors = fields[kKind] == "extern_mm";
  if (!row_.is_vendors && fields[kKind] != "triton") {
    return lines_.error("the kind is \"" + std::string(fields[kKind].substr(0, 40)) +
                        "\"; expected triton or extern_mm");
  }
  return read_times(fields);
}

Status TimingsReader::read_times(const Fields& fields) {
  row_.repeats =
      static_cast<int32_t>(TRIODE_TRY(csv_whole(lines_, fields[kRepeats], "nreps", 1, INT32_MAX)));
  TRIODE_TRY(csv_whole(lines_, fields[kNotFinite], "n_nonfinite", 0, INT32_MAX));
  row_.has_failed = fields[kMedian].empty() && fields[kLeast].empty() && fields[kGreatest].empty();
  if (row_.has_failed) return {};
  row_.median_ms = TRIODE_TRY(csv_positive(lines_, fields[kMedian], "med_ms"));
  row_.least_ms = TRIODE_TRY(csv_positive(lines_, fields[kLeast], "min_ms"));
  row_.greatest_ms = TRIODE_TRY(csv_positive(lines_, fields[kGreatest], "max_ms"));
  if (row_.least_ms <= row_.median_ms && row_.median_ms <= row_.greatest_ms) return {};
  return lines_.error("min_ms, med_ms and max_ms are not in order");
}

Status TimingsReader::read_problem(const Fields& fields) {
  const int64_t m = TRIODE_TRY(size(fields[kM], "m"));
  const int64_t n = TRIODE_TRY(size(fields[kN], "n"));
  const int64_t k = TRIODE_TRY(size(fields[kK], "k"));
  std::optional<DType> a_type = dtype_of_torch(fields[kAType]);
  std::optional<DType> b_type = dtype_of_torch(fields[kBType]);
  if (!a_type.has_value() || !b_type.has_value()) {
    return lines_.error("a type that Triode does not have");
  }
  const bool is_float = *a_type == DType::kF32;
  if (fields[kTf32] != (is_float ? "False" : "not_float_32") && fields[kTf32] != "True") {
    return lines_.error("tf32 must be True, False or not_float_32");
  }
  if (is_float && fields[kTf32] == "True") a_type = b_type = DType::kTF32;
  const auto a = layout_of(m, k, TRIODE_TRY(size(fields[kARow], "sa0")),
                           TRIODE_TRY(size(fields[kAColumn], "sa1")));
  const auto b = layout_of(k, n, TRIODE_TRY(size(fields[kBRow], "sb0")),
                           TRIODE_TRY(size(fields[kBColumn], "sb1")));
  if (!a.has_value() || !b.has_value()) {
    return lines_.error("strides that are not those of a matrix");
  }
  row_.problem = torch_problem(Op::kMm, 1, m, n, k, *a_type, *b_type, *a_type);
  row_.problem.a_transposed = a->is_transposed;
  row_.problem.lda = a->leading_dimension;
  row_.problem.b_transposed = b->is_transposed;
  row_.problem.ldb = b->leading_dimension;
  return {};
}

Status TimingsReader::read_full(const Fields& fields) {
  row_.problem = torch_problem(
      Op::kMm, 1, TRIODE_TRY(size(fields[kFullM], "m")), TRIODE_TRY(size(fields[kFullN], "n")),
      TRIODE_TRY(size(fields[kFullK], "k")), DType::kF16, DType::kF16, DType::kF16);
  const int64_t ok = TRIODE_TRY(csv_whole(lines_, fields[kFullOk], "ok", 0, 1));
  if (!fields[kFullCompile].empty()) {
    TRIODE_TRY(csv_positive(lines_, fields[kFullCompile], "compile_s"));
  }
  row_.has_failed = ok == 0;
  if (row_.has_failed) {
    return fields[kFullMs].empty() ? Status() : lines_.error("a failed config with a time");
  }
  row_.median_ms = TRIODE_TRY(csv_positive(lines_, fields[kFullMs], "ms"));
  row_.least_ms = row_.greatest_ms = row_.median_ms;
  return {};
}

}  // namespace triode::exchange
