// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/timings_csv.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/exchange/csv_reader.h"
#include "cache/exchange/timings_extra.h"
#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;

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

struct ConfigColumn {
  const char* name;
  size_t position;
};

using Fields = std::vector<std::string_view>;

class TimingsReader {
 public:
  TimingsReader(const SourceFile& file, const ImportOptions& options)
      : lines_(file, LineEnds::kAnyKind), options_(options) {}

  Result<ExchangeTable> read() {
    if (!TRIODE_TRY(lines_.next())) return lines_.error("the file is empty");
    const bool is_full = lines_.line() == kFullSpaceHeader;
    if (!is_full && lines_.line() != kTimingsHeader) {
      return lines_.error("the first line is neither of the headers known here:\n  " +
                          std::string(kTimingsHeader) + "\n  " + std::string(kFullSpaceHeader));
    }
    if (is_full && options_.device.empty()) {
      return lines_.error("the file does not name its device; give it with --device");
    }
    while (TRIODE_TRY(lines_.next())) {
      const Fields fields = lines_.fields();
      const size_t wanted = is_full ? size_t{kFullCount} : size_t{kTimedCount};
      if (fields.size() != wanted) {
        return lines_.error("expected " + std::to_string(wanted) + " fields, found " +
                            std::to_string(fields.size()));
      }
      ExchangeRow row;
      row.target.toolchain = options_.toolchain.empty() ? "csv" : options_.toolchain;
      row.extra[is_full ? kFullSpaceLine : kTimingsLine] = lines_.line_with_return();
      TRIODE_TRY(is_full ? read_full(fields, row) : read_timed(fields, row));
      if (const Status fault = row.problem.validate(); !fault.ok()) {
        return lines_.error(fault.message());
      }
      table_.rows.push_back(std::move(row));
    }
    return std::move(table_);
  }

 private:
  Result<int64_t> size(std::string_view text, std::string_view name) const {
    return csv_whole(lines_, text, name, 1, INT32_MAX);
  }

  template <size_t kCount>
  Status read_config(const Fields& fields, const std::array<ConfigColumn, kCount>& columns,
                     ExchangeRow& row) const {
    row.config.family = "triton";
    for (const ConfigColumn& column : columns) {
      row.config.set(column.name, TRIODE_TRY(size(fields[column.position], column.name)));
    }
    return {};
  }

  Status read_timed(const Fields& fields, ExchangeRow& row) const {
    if (fields[kDevice].empty()) return lines_.error("no device");
    row.target.device = fields[kDevice];
    row.problem = TRIODE_TRY(read_problem(fields));
    if (fields[kKind] == "triton") {
      TRIODE_TRY(read_config(fields,
                             std::array<ConfigColumn, 5>{{{"block_m", kBlockM},
                                                          {"block_n", kBlockN},
                                                          {"block_k", kBlockK},
                                                          {"num_stages", kStages},
                                                          {"num_warps", kWarps}}},
                             row));
    } else if (fields[kKind] == "extern_mm") {
      row.config.family = "vendor";
      row.config.set("name", std::string(fields[kKind]));
    } else {
      return lines_.error("the kind is \"" + std::string(fields[kKind].substr(0, 40)) +
                          "\"; expected triton or extern_mm");
    }
    return read_times(fields, row);
  }

  Status read_times(const Fields& fields, ExchangeRow& row) const {
    const int64_t repeats = TRIODE_TRY(csv_whole(lines_, fields[kRepeats], "nreps", 1, INT32_MAX));
    TRIODE_TRY(csv_whole(lines_, fields[kNotFinite], "n_nonfinite", 0, INT32_MAX));
    if (fields[kMedian].empty() && fields[kLeast].empty() && fields[kGreatest].empty()) {
      row.outcome = {OutcomeKind::kLaunchFailed, "no finite time"};
      return {};
    }
    const double median = TRIODE_TRY(csv_positive(lines_, fields[kMedian], "med_ms"));
    const double least = TRIODE_TRY(csv_positive(lines_, fields[kLeast], "min_ms"));
    const double greatest = TRIODE_TRY(csv_positive(lines_, fields[kGreatest], "max_ms"));
    if (least > median || median > greatest) {
      return lines_.error("min_ms, med_ms and max_ms are not in order");
    }
    // The quartiles are not known; half of the whole range is the most they can be apart.
    row.measurement = {median * kNsPerMs, least * kNsPerMs, (greatest - least) / 2 / median,
                       static_cast<int32_t>(repeats)};
    return {};
  }

  Result<Problem> read_problem(const Fields& fields) const {
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
    Problem problem = torch_problem(Op::kMm, 1, m, n, k, *a_type, *b_type, *a_type);
    const auto a = layout_of(m, k, TRIODE_TRY(size(fields[kARow], "sa0")),
                             TRIODE_TRY(size(fields[kAColumn], "sa1")));
    const auto b = layout_of(k, n, TRIODE_TRY(size(fields[kBRow], "sb0")),
                             TRIODE_TRY(size(fields[kBColumn], "sb1")));
    if (!a.has_value() || !b.has_value()) {
      return lines_.error("strides that are not those of a matrix");
    }
    problem.a_transposed = a->is_transposed;
    problem.lda = a->leading_dimension;
    problem.b_transposed = b->is_transposed;
    problem.ldb = b->leading_dimension;
    return problem;
  }

  Status read_full(const Fields& fields, ExchangeRow& row) const {
    row.target.device = options_.device;
    row.problem = torch_problem(
        Op::kMm, 1, TRIODE_TRY(size(fields[kFullM], "m")), TRIODE_TRY(size(fields[kFullN], "n")),
        TRIODE_TRY(size(fields[kFullK], "k")), DType::kF16, DType::kF16, DType::kF16);
    TRIODE_TRY(read_config(fields,
                           std::array<ConfigColumn, 6>{{{"block_m", kFullBlockM},
                                                        {"block_n", kFullBlockN},
                                                        {"block_k", kFullBlockK},
                                                        {"group_m", kFullGroupM},
                                                        {"num_stages", kFullStages},
                                                        {"num_warps", kFullWarps}}},
                           row));
    const int64_t ok = TRIODE_TRY(csv_whole(lines_, fields[kFullOk], "ok", 0, 1));
    if (!fields[kFullCompile].empty()) {
      TRIODE_TRY(csv_positive(lines_, fields[kFullCompile], "compile_s"));
    }
    if (ok == 0) {
      if (!fields[kFullMs].empty()) return lines_.error("a failed config with a time");
      row.outcome = {OutcomeKind::kLaunchFailed, "did not compile or run"};
      return {};
    }
    const double ms = TRIODE_TRY(csv_positive(lines_, fields[kFullMs], "ms"));
    row.measurement = {ms * kNsPerMs, ms * kNsPerMs, 0, 1};
    return {};
  }

  CsvReader lines_;
  const ImportOptions& options_;
  ExchangeTable table_;
};

}  // namespace

Result<ExchangeTable> read_timings(const SourceFile& file, const ImportOptions& options) {
  return TimingsReader(file, options).read();
}

}  // namespace triode::exchange
