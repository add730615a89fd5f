// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/triton_autotune.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cache/exchange/export_losses.h"
#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/node_reader.h"
#include "cache/exchange/ordered_groups.h"
#include "cache/exchange/torch_names.h"
#include "cache/exchange/triton_parameters.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::string_view kFileEnd = ".autotune.json";

// Names in ExchangeRow::extra: JSON, as it stood in the file.
constexpr const char* kKey = "triton.key";
constexpr const char* kConfig = "triton.config";
constexpr const char* kTimes = "triton.times";

class TritonReader {
 public:
  TritonReader(const SourceFile& file, const ImportOptions& options)
      : reader_(file), options_(options) {}

  Result<ExchangeTable> read(const Node& root) {
    TRIODE_TRY(reader_.expect(root, Node::Kind::kObject, "an autotune file"));
    TRIODE_TRY(reader_.only(root, {"key", "configs_timings"}));
    const Node* key = TRIODE_TRY(reader_.member(root, "key", Node::Kind::kArray));
    const Node* timings = TRIODE_TRY(reader_.member(root, "configs_timings", Node::Kind::kArray));
    if (options_.device.empty()) {
      return reader_.error(root,
                           "Triton does not write which device it ran on; give it with --device");
    }
    ExchangeRow row;
    row.target.device = options_.device;
    row.target.toolchain = options_.toolchain.empty() ? "triton" : options_.toolchain;
    const Result<Problem> problem = read_key(*key);
    if (!problem.ok() && options_.is_found) {
      // Whatever else was autotuned lies in the same folder.
      table_.dropped.add("autotune files whose key is not of a matmul that Triode has",
                         reader_.file().name());
      return std::move(table_);
    }
    row.problem = TRIODE_TRY(problem);
    row.extra[kKey] = write_json(*key);
    for (const Node& pair : timings->items) TRIODE_TRY(read_pair(pair, row));
    return std::move(table_);
  }

 private:
  Result<Problem> read_key(const Node& key) const {
    std::array<int64_t, 3> sizes{};
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i >= key.items.size() || !key.items[i].is(Node::Kind::kInteger)) {
        return reader_.error(key,
                             "the key must start with m, n and k: @triton.autotune(key=[\"M\", "
                             "\"N\", \"K\"], ...)");
      }
      sizes[i] = TRIODE_TRY(reader_.whole(key.items[i], "a size in the key", 1, INT32_MAX));
    }
    std::vector<DType> types;
    for (const Node& item : key.items) {
      if (!item.is(Node::Kind::kText)) continue;
      const std::string_view name = item.text;
      if (!name.starts_with("torch.")) continue;
      const std::optional<DType> type = dtype_of_torch(name.substr(6));
      if (!type.has_value()) {
        return reader_.error(
            item, "the type " + item.text.substr(0, 40) + " is one that Triode does not have");
      }
      types.push_back(*type);
    }
    const DType a = types.empty() ? options_.dtype : types[0];
    const DType b = types.size() > 1 ? types[1] : a;
    const DType c = types.size() > 2 ? types[2] : a;
    const Problem problem = torch_problem(Op::kMm, 1, sizes[0], sizes[1], sizes[2], a, b, c);
    if (const Status fault = problem.validate(); !fault.ok()) {
      return reader_.error(key, fault.message());
    }
    return problem;
  }

  Status read_pair(const Node& pair, ExchangeRow row) {
    TRIODE_TRY(reader_.expect(pair, Node::Kind::kArray, "a config with its times"));
    if (pair.items.size() != 2) return reader_.error(pair, "expected a config and its times");
    TRIODE_TRY(read_config(pair.items[0], row));
    TRIODE_TRY(read_times(pair.items[1], row));
    table_.rows.push_back(std::move(row));
    return {};
  }

  Status read_config(const Node& node, ExchangeRow& row) const {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a config"));
    const Node* arguments = TRIODE_TRY(reader_.member(node, "kwargs", Node::Kind::kObject));
    row.config.family = "triton";
    for (const Node* part : {arguments, &node}) {
      for (size_t i = 0; i < part->items.size(); ++i) {
        if (part->names[i] == "kwargs" && part == &node) continue;
        const std::string name = common_name(part->names[i]);
        if (row.config.find(name) != nullptr) {
          return reader_.error(part->items[i], "\"" + part->names[i] + "\" is set twice");
        }
        const ParameterValue value = TRIODE_TRY(reader_.parameter(part->items[i], part->names[i]));
        // Triton writes null for what is not set; a parameter that is not there says the same.
        if (!std::holds_alternative<std::monostate>(value)) row.config.set(name, value);
      }
    }
    row.extra[kConfig] = write_json(node);
    return {};
  }

  Status read_times(const Node& node, ExchangeRow& row) const {
    std::vector<double> ms;
    const auto take = [&](const Node& item) -> Status {
      if (!item.is_number() || item.real <= 0 ||
          (item.real >= kMostFigure && std::isfinite(item.real))) {
        return reader_.error(item, "a time must be a number above zero, or Infinity");
      }
      ms.push_back(item.real);
      return {};
    };
    if (node.is(Node::Kind::kArray)) {
      for (const Node& item : node.items) TRIODE_TRY(take(item));
      if (ms.empty()) return reader_.error(node, "expected at least one time");
    } else {
      TRIODE_TRY(take(node));
    }
    row.extra[kTimes] = write_json(node);
    if (!std::all_of(ms.begin(), ms.end(), [](double t) { return std::isfinite(t); })) {
      row.outcome = {OutcomeKind::kLaunchFailed, "Triton could not compile or launch it"};
      return {};
    }
    const auto [least, most] = std::minmax_element(ms.begin(), ms.end());
    row.measurement = {ms[0] * kNsPerMs, *least * kNsPerMs, (*most - *least) / 2 / ms[0], 1};
    return {};
  }

  NodeReader reader_;
  const ImportOptions& options_;
  ExchangeTable table_;
};

// A JSON text that was kept; it came from a document, so it reads as one.
Node kept_node(const std::string& json) {
  const SourceFile file("kept JSON", json);
  Result<Node> node = read_json(file, JsonDialect::kInfinity);
  return node.ok() ? std::move(node).take() : Node::null();
}

Node key_node(const ExchangeRow& row) {
  if (const auto kept = row.extra.find(kKey); kept != row.extra.end()) {
    return kept_node(kept->second);
  }
  const Problem& p = row.problem;
  Node key = Node::array();
  for (const int64_t size : {p.m, p.n, p.k}) key.add(Node::of(size));
  for (const DType type : {p.a_type, p.b_type, p.c_type}) {
    key.add(Node::of(std::string_view("torch." + std::string(torch_name(type)))));
  }
  return key;
}

// In the order of triton.Config's own fields.
Node config_node(const ExchangeRow& row) {
  if (const auto kept = row.extra.find(kConfig); kept != row.extra.end()) {
    return kept_node(kept->second);
  }
  constexpr std::array<std::string_view, 5> kOwn = {"num_warps", "num_ctas", "num_stages",
                                                    "maxnreg", "ir_override"};
  Node arguments = Node::object();
  for (const auto& [name, value] : row.config.parameters) {
    if (std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end()) {
      arguments.add(tools_name(name, BlockNames::kBlockSize), node_of(value));
    }
  }
  Node node = Node::object();
  node.add("kwargs", std::move(arguments));
  for (const std::string_view name :
       {"num_warps", "num_ctas", "num_stages", "maxnreg", "pre_hook", "ir_override"}) {
    const ParameterValue* value = row.config.find(name);
    const bool is_count = name == "num_ctas" && value == nullptr;
    node.add(name, is_count ? Node::of(1) : value == nullptr ? Node::null() : node_of(*value));
  }
  return node;
}

Node times_node(const ExchangeRow& row) {
  const auto kept = row.extra.find(kTimes);
  if (kept != row.extra.end() && row.trials == 1) return kept_node(kept->second);
  const double median = row.outcome.ok() ? row.measurement.median_ns / kNsPerMs
                                         : std::numeric_limits<double>::infinity();
  const double half = row.outcome.ok() ? median * row.measurement.spread : 0;
  Node times = Node::array();
  for (const double time : {median, median - half, median + half}) times.add(Node::of(time));
  return times;
}

bool is_for_triton(const ExchangeRow& row) {
  if (row.extra.contains(kConfig)) return true;
  return row.config.family == "triton" && row.config.find("num_warps") != nullptr &&
         row.config.find("num_stages") != nullptr;
}

}  // namespace

Result<ExchangeTable> read_triton_autotune(const SourceFile& file, const ImportOptions& options) {
  const Node root = TRIODE_TRY(read_json(file, JsonDialect::kInfinity));
  return TritonReader(file, options).read(root);
}

std::vector<ExportedFile> write_triton_autotune(const ExchangeTable& table, DropList& dropped) {
  struct File {
    Node key;
    std::vector<const ExchangeRow*> rows;
    std::unordered_map<std::string, size_t> places;  // of the rows, by their configs
  };
  OrderedGroups<File> files;
  for (const ExchangeRow& row : table.rows) {
    if (!is_for_triton(row)) {
      dropped.add("configs of other kernels than Triton's", describe(row));
      continue;
    }
    if (row.outcome.ok() && row.measurement.count == 0) {
      dropped.add("configs without a time: Triton's autotuner keeps timed ones", describe(row));
      continue;
    }
    note_losses(row, {"a Triton autotune file", "triton.", true}, dropped);
    File& file = files.at(row.target.device + "," + to_string(row.problem));
    if (file.rows.empty()) file.key = key_node(row);
    const auto [place, is_new] =
        file.places.emplace(write_json(config_node(row)), file.rows.size());
    if (is_new) {
      file.rows.push_back(&row);
      continue;
    }
    dropped.add("times of a config with other toolchains: Triton keeps one, here the least",
                describe(row));
    if (is_better(row, *file.rows[place->second])) file.rows[place->second] = &row;
  }
  std::vector<ExportedFile> written;
  for (const auto& [name, file] : files) {
    Node root = Node::object();
    root.add("key", file.key);
    Node& pairs = root.add("configs_timings", Node::array());
    for (const ExchangeRow* row : file.rows) {
      Node pair = Node::array();
      pair.add(config_node(*row));
      pair.add(times_node(*row));
      pairs.add(std::move(pair));
    }
    written.push_back({name + std::string(kFileEnd), write_json(root)});
  }
  return written;
}

}  // namespace triode::exchange
