// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/exchange_format.h"

#include <array>
#include <optional>
#include <utility>

#include "cache/exchange/diode_file.h"
#include "cache/exchange/inductor_table.h"
#include "cache/exchange/kernel_tuner_cache.h"
#include "cache/exchange/timings_csv.h"
#include "cache/exchange/timings_reader.h"
#include "cache/exchange/triton_autotune.h"
#include "cache/exchange/tunableop_csv.h"
#include "cache/exchange/vllm_json.h"

namespace triode::exchange {
namespace {

constexpr std::array<FormatRow, 10> kRows{{
    {ExchangeFormat::kDiodeDataset, "diode-dataset",
     "torch-diode Dataset, JSON: configs with times"},
    {ExchangeFormat::kDiodeDatasetMsgpack, "diode-dataset-msgpack", "the same as msgpack"},
    {ExchangeFormat::kDiodeTable, "diode-table", "torch-diode Table, JSON: configs in order"},
    {ExchangeFormat::kDiodeTableMsgpack, "diode-table-msgpack", "the same as msgpack"},
    {ExchangeFormat::kTunableOp, "tunableop", "PyTorch TunableOp results, CSV"},
    {ExchangeFormat::kVllm, "vllm", "tuned configs of vLLM or SGLang, JSON", true},
    {ExchangeFormat::kTritonAutotune, "triton-autotune", "Triton's KERNEL.autotune.json", true,
     true},
    {ExchangeFormat::kKernelTuner, "kernel-tuner", "Kernel Tuner cache, JSON", true, true},
    {ExchangeFormat::kInductor, "inductor", "Inductor lookup table, JSON"},
    {ExchangeFormat::kTimingsCsv, "timings-csv", "tables of GPU timings, CSV, also .gz"},
}};

std::string all_names() {
  std::string names;
  for (const FormatRow& row : kRows) {
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

// Of a file, where the names of its first fields are.
constexpr size_t kBeginningBytes = size_t{1} << 16;

// By the first letters of a JSON text; empty: no format's names are there.
std::optional<ExchangeFormat> format_of_json(std::string_view beginning) {
  const auto has = [&](std::string_view word) {
    return beginning.find(word) != std::string_view::npos;
  };
  if (has("\"configs_timings\"")) return ExchangeFormat::kTritonAutotune;
  if (has("\"tune_params_keys\"")) return ExchangeFormat::kKernelTuner;
  if (has("((torch.")) return ExchangeFormat::kInductor;
  if (!has("\"hardware\"")) return std::nullopt;
  return has("\"timed_configs\"") ? ExchangeFormat::kDiodeDataset : ExchangeFormat::kDiodeTable;
}

// The object at its beginning; empty if it is no JSON that a format here could be.
std::string_view beginning_of_json(std::string_view bytes) {
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || bytes[first] != '{') return {};
  return bytes.substr(first, kBeginningBytes);
}

std::vector<ExportedFile> one_file(std::string name, std::string bytes) {
  std::vector<ExportedFile> files;
  files.push_back({std::move(name), std::move(bytes)});
  return files;
}

}  // namespace

std::span<const FormatRow> format_rows() {
  return kRows;
}

std::string_view to_string(ExchangeFormat format) {
  return kRows[static_cast<size_t>(format)].name;
}

Result<ExchangeFormat> parse_exchange_format(std::string_view name) {
  for (const FormatRow& row : kRows) {
    if (row.name == name) return row.format;
  }
  return invalid_argument("\"" + std::string(name.substr(0, 60)) + "\" is no format; there are " +
                          all_names());
}

Result<ExchangeFormat> detect_format(const SourceFile& file) {
  const std::string name = file.base_name();
  const std::string_view bytes = file.bytes();
  if (name.ends_with(".autotune.json")) return ExchangeFormat::kTritonAutotune;
  if (name.find("device_name=") != std::string::npos) return ExchangeFormat::kVllm;
  if (bytes.starts_with("Validator,")) return ExchangeFormat::kTunableOp;
  if (name.ends_with(".csv")) return ExchangeFormat::kTimingsCsv;
  if (name.ends_with(".msgpack")) return ExchangeFormat::kDiodeDatasetMsgpack;
  if (const std::string_view json = beginning_of_json(bytes); !json.empty()) {
    return format_of_json(json).value_or(ExchangeFormat::kDiodeDataset);
  }
  return file.error("the format cannot be told; say it with --format: " + all_names());
}

std::optional<ExchangeFormat> claimed_format(const SourceFile& file) {
  const std::string name = file.base_name();
  const std::string_view bytes = file.bytes();
  if (name.ends_with(".autotune.json")) return ExchangeFormat::kTritonAutotune;
  if (name.ends_with(".json") && name.find("device_name=") != std::string::npos) {
    return ExchangeFormat::kVllm;
  }
  if (bytes.starts_with("Validator,")) return ExchangeFormat::kTunableOp;
  if (TimingsReader(file).read_header().ok()) return ExchangeFormat::kTimingsCsv;
  if (name.ends_with(".msgpack")) {
    const bool is_diode = bytes.substr(0, kBeginningBytes).find("hardware") != std::string::npos;
    return is_diode ? std::optional(ExchangeFormat::kDiodeDatasetMsgpack) : std::nullopt;
  }
  return format_of_json(beginning_of_json(bytes));
}

Result<ExchangeTable> read_exchange(ExchangeFormat format, const SourceFile& file,
                                    const ImportOptions& options) {
  switch (format) {
    case ExchangeFormat::kDiodeDataset:
    case ExchangeFormat::kDiodeTable:
      return read_diode(file, DiodeEncoding::kJson);
    case ExchangeFormat::kDiodeDatasetMsgpack:
    case ExchangeFormat::kDiodeTableMsgpack:
      return read_diode(file, DiodeEncoding::kMsgpack);
    case ExchangeFormat::kTunableOp:
      return read_tunableop(file, options);
    case ExchangeFormat::kVllm:
      return read_vllm(file, options);
    case ExchangeFormat::kTritonAutotune:
      return read_triton_autotune(file, options);
    case ExchangeFormat::kKernelTuner:
      return read_kernel_tuner(file, options);
    case ExchangeFormat::kInductor:
      return read_inductor(file, options);
    case ExchangeFormat::kTimingsCsv:
      return read_timings(file, options);
  }
  return internal_error("no such format");
}

Result<std::vector<ExportedFile>> write_exchange(ExchangeFormat format, const ExchangeTable& table,
                                                 DropList& dropped) {
  const auto diode = [&](DiodeKind kind, DiodeEncoding encoding,
                         std::string name) -> Result<std::vector<ExportedFile>> {
    return one_file(std::move(name), TRIODE_TRY(write_diode(table, kind, encoding, dropped)));
  };
  switch (format) {
    case ExchangeFormat::kDiodeDataset:
      return diode(DiodeKind::kDataset, DiodeEncoding::kJson, "dataset.json");
    case ExchangeFormat::kDiodeDatasetMsgpack:
      return diode(DiodeKind::kDataset, DiodeEncoding::kMsgpack, "dataset.msgpack");
    case ExchangeFormat::kDiodeTable:
      return diode(DiodeKind::kTable, DiodeEncoding::kJson, "table.json");
    case ExchangeFormat::kDiodeTableMsgpack:
      return diode(DiodeKind::kTable, DiodeEncoding::kMsgpack, "table.msgpack");
    case ExchangeFormat::kTunableOp:
      return one_file("tunableop_results.csv", write_tunableop(table, dropped));
    case ExchangeFormat::kVllm:
      return write_vllm(table, dropped);
    case ExchangeFormat::kTritonAutotune:
      return write_triton_autotune(table, dropped);
    case ExchangeFormat::kKernelTuner:
      return write_kernel_tuner(table, dropped);
    case ExchangeFormat::kInductor:
      return one_file("lookup_table.json", write_inductor(table, dropped));
    case ExchangeFormat::kTimingsCsv:
      return one_file("timings.csv", write_timings(table, dropped));
  }
  return internal_error("no such format");
}

}  // namespace triode::exchange
