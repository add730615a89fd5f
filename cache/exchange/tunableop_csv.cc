// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/tunableop_csv.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cache/exchange/csv_reader.h"
#include "cache/exchange/export_losses.h"
#include "cache/exchange/tunableop_problem.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::string_view kFamily = "tunableop";

// Names in ExchangeRow::extra.
constexpr const char* kSignature = "tunableop.signature";
constexpr const char* kParameters = "tunableop.parameters";
constexpr const char* kTime = "tunableop.time";  // as written, if not as we would
constexpr const char* kBlas = "tunableop.blas";  // the BLAS call, which PyTorch adds on request

// As C++ streams print a double, which is what PyTorch does.
std::string stream_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

class TunableopReader {
 public:
  TunableopReader(const SourceFile& file, const ImportOptions& options)
      : lines_(file), options_(options) {}

  Result<ExchangeTable> read() {
    while (TRIODE_TRY(lines_.next())) {
      TRIODE_TRY(lines_.line().starts_with("Validator,") ? read_validator() : read_result());
    }
    if (toolchain_.empty()) {
      return lines_.error(
          "no line starts with \"Validator,\": this is not a TunableOp results file");
    }
    if (device_.empty()) {
      return lines_.error("the file does not name its device; give it with --device");
    }
    for (ExchangeRow& row : table_.rows) {
      row.target.device = device_;
      row.target.toolchain = toolchain_;
    }
    return std::move(table_);
  }

 private:
  Status read_validator() {
    const std::vector<std::string_view> fields = lines_.fields(3);
    const bool is_right = fields.size() == 3 && !fields[1].empty() && !fields[2].empty() &&
                          fields[1].find_first_of("=;") == std::string_view::npos &&
                          fields[2].find(';') == std::string_view::npos;
    if (!is_right) return lines_.error("expected \"Validator,NAME,VALUE\"");
    if (fields[1] == "GCN_ARCH_NAME") device_ = fields[2];
    toolchain_ +=
        (toolchain_.empty() ? "" : ";") + std::string(fields[1]) + "=" + std::string(fields[2]);
    return {};
  }

  Status read_result() {
    const std::vector<std::string_view> fields = lines_.fields(5);
    if (fields.size() < 3) return lines_.error("expected operation, parameters, solution and time");
    ExchangeRow row;
    std::string reason;
    const Result<std::optional<Problem>> problem =
        problem_of_tunableop(fields[0], fields[1], reason);
    if (!problem.ok()) return lines_.error(problem.status().message());
    if (fields[2].empty()) return lines_.error("the solution has no name");
    row.config.family = kFamily;
    row.config.set("solution", std::string(fields[2]));
    row.extra[kSignature] = fields[0];
    row.extra[kParameters] = fields[1];
    if (fields.size() > 3) {
      const double ms = TRIODE_TRY(csv_positive(lines_, fields[3], "the time"));
      row.measurement = {ms * kNsPerMs, ms * kNsPerMs, 0, 1};
      if (stream_number(row.measurement.median_ns / kNsPerMs) != fields[3]) {
        row.extra[kTime] = fields[3];
      }
    }
    if (fields.size() > 4) row.extra[kBlas] = fields[4];
    if (!problem->has_value()) {
      table_.dropped.add(reason, lines_.line());
      return {};
    }
    row.problem = **problem;
    table_.rows.push_back(std::move(row));
    return {};
  }

  CsvReader lines_;
  const ImportOptions& options_;
  std::string device_ = options_.device;
  std::string toolchain_;
  ExchangeTable table_;
};

std::string validator_lines(std::string_view toolchain) {
  std::string lines;
  while (!toolchain.empty()) {
    const size_t end = std::min(toolchain.find(';'), toolchain.size());
    const std::string_view entry = toolchain.substr(0, end);
    const size_t equals = std::min(entry.find('='), entry.size());
    lines += "Validator," + std::string(entry.substr(0, equals)) + "," +
             std::string(entry.substr(std::min(equals + 1, entry.size()))) + "\n";
    toolchain.remove_prefix(std::min(end + 1, toolchain.size()));
  }
  return lines;
}

std::string line_of(const ExchangeRow& row) {
  const ParameterValue* solution = row.config.find("solution");
  std::string line = row.extra.at(kSignature) + "," + row.extra.at(kParameters) + "," +
                     std::get<std::string>(*solution);
  const auto time = row.extra.find(kTime);
  if (row.measurement.count > 0) {
    line += "," + (time != row.extra.end() ? time->second
                                           : stream_number(row.measurement.median_ns / kNsPerMs));
  }
  if (const auto blas = row.extra.find(kBlas); blas != row.extra.end()) line += "," + blas->second;
  return line + "\n";
}

bool is_tunableops(const ExchangeRow& row) {
  const ParameterValue* solution = row.config.find("solution");
  return row.config.family == kFamily && solution != nullptr &&
         std::holds_alternative<std::string>(*solution) && row.extra.contains(kSignature) &&
         row.extra.contains(kParameters);
}

}  // namespace

Result<ExchangeTable> read_tunableop(const SourceFile& file, const ImportOptions& options) {
  return TunableopReader(file, options).read();
}

std::string write_tunableop(const ExchangeTable& table, DropList& dropped) {
  std::optional<std::string> toolchain;
  std::string lines;
  for (const ExchangeRow& row : table.rows) {
    if (!is_tunableops(row)) {
      dropped.add(
          "configs that are no solution of a vendor's library: TunableOp has no place for them",
          describe(row));
      continue;
    }
    if (!toolchain.has_value()) toolchain = row.target.toolchain;
    if (*toolchain != row.target.toolchain) {
      dropped.add(
          "rows of other validators: a TunableOp file is for one set; narrow the export "
          "with --toolchain",
          row.target.toolchain);
      continue;
    }
    note_losses(row, {"TunableOp", "tunableop.", false, true}, dropped);
    lines += line_of(row);
  }
  return validator_lines(toolchain.value_or("")) + lines;
}

}  // namespace triode::exchange
