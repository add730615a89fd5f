// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/inductor_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/exchange/export_losses.h"
#include "cache/exchange/inductor_key.h"
#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/node_reader.h"
#include "cache/exchange/ordered_groups.h"
#include "cache/exchange/triton_parameters.h"

namespace triode::exchange {
namespace {

// Names in ExchangeRow::extra, as they stood in the file.
constexpr const char* kKey = "inductor.key";
constexpr const char* kEntry = "inductor.entry";  // JSON
constexpr std::string_view kTemplate = "template_id";
constexpr std::string_view kAnyDevice = "any";

std::string family_of(std::string_view template_id) {
  if (template_id == "triton::mm" || template_id == "triton::bmm") return "triton";
  return template_id.starts_with("aten::") ? "vendor" : "inductor";
}

Result<ExchangeRow> read_entry(const NodeReader& reader, const Node& entry,
                               const ExchangeRow& start) {
  TRIODE_TRY(reader.expect(entry, Node::Kind::kObject, "an entry"));
  const std::string template_id = TRIODE_TRY(reader.text(entry, kTemplate));
  ExchangeRow row = start;
  row.config.family = family_of(template_id);
  row.extra[kEntry] = write_json(entry);
  for (size_t i = 0; i < entry.items.size(); ++i) {
    const std::string& name = entry.names[i];
    const ParameterValue value = TRIODE_TRY(reader.parameter(entry.items[i], name));
    const bool is_implied = (name == kTemplate && row.config.family == "triton") ||
                            entry.items[i].is(Node::Kind::kNull);
    if (!is_implied) row.config.set(common_name(name), value);
  }
  return row;
}

// What Inductor's mm template needs to be told.
Result<Node> entry_of(const ExchangeRow& row) {
  if (const auto kept = row.extra.find(kEntry); kept != row.extra.end()) {
    return read_json(SourceFile("kept JSON", kept->second));
  }
  Node entry = Node::object();
  if (row.config.family == "vendor") {
    entry.add(kTemplate,
              Node::of(std::string_view("aten::" + std::string(to_string(row.problem.op)))));
    return entry;
  }
  if (row.config.family != "triton") return unsupported("configs of other kernels than Inductor's");
  entry.add(kTemplate, Node::of(row.problem.op == Op::kBmm ? "triton::bmm" : "triton::mm"));
  constexpr std::array<std::string_view, 8> kOthers = {
      "ACC_TYPE", "ALLOW_TF32",           "EVEN_K",       "USE_FAST_ACCUM",
      "group_m",  "matrix_instr_nonkdim", "waves_per_eu", "kpack"};
  for (const std::string_view name : {"block_m", "block_n", "block_k", "num_stages", "num_warps"}) {
    const ParameterValue* value = row.config.find(name);
    if (value == nullptr) return unsupported("configs without " + std::string(name));
    entry.add(tools_name(name, BlockNames::kBlock), node_of(*value));
  }
  for (const std::string_view name : kOthers) {
    const ParameterValue* value = row.config.find(name);
    if (value != nullptr) entry.add(tools_name(name, BlockNames::kBlock), node_of(*value));
  }
  return entry;
}

Result<std::string> key_of(const ExchangeRow& row) {
  if (const auto kept = row.extra.find(kKey); kept != row.extra.end()) return kept->second;
  return inductor_key(row.target.device == kAnyDevice ? "" : row.target.device, row.problem);
}

struct Choice {
  double median_ns;  // infinite if it was not timed: it then stands behind those that were
  Node entry;
};

}  // namespace

Result<ExchangeTable> read_inductor(const SourceFile& file, const ImportOptions& options) {
  const Node root = TRIODE_TRY(read_json(file));
  const NodeReader reader(file);
  TRIODE_TRY(reader.expect(root, Node::Kind::kObject, "a lookup table"));
  ExchangeTable table;
  for (size_t i = 0; i < root.items.size(); ++i) {
    const Node& list = root.items[i];
    const Result<InductorKey> key = parse_inductor_key(root.names[i]);
    if (!key.ok()) return reader.error(list, key.status().message());
    TRIODE_TRY(reader.expect(list, Node::Kind::kArray, "the choices of a key"));
    ExchangeRow start;
    start.target.device = !key->device.empty()      ? key->device
                          : !options.device.empty() ? options.device
                                                    : std::string(kAnyDevice);
    start.target.toolchain = options.toolchain.empty() ? "inductor" : options.toolchain;
    start.extra[kKey] = root.names[i];
    if (key->problem.has_value()) start.problem = *key->problem;
    if (list.items.empty()) table.dropped.add("a key without any choices", root.names[i]);
    for (const Node& entry : list.items) {
      ExchangeRow row = TRIODE_TRY(read_entry(reader, entry, start));
      if (key->problem.has_value()) {
        table.rows.push_back(std::move(row));
      } else {
        table.dropped.add(key->reason, root.names[i]);
      }
    }
  }
  return table;
}

std::string write_inductor(const ExchangeTable& table, DropList& dropped) {
  OrderedGroups<std::vector<Choice>> keys;
  for (const ExchangeRow& row : table.rows) {
    if (!row.outcome.ok()) {
      dropped.add("configs that failed: a lookup table names what may be chosen", describe(row));
      continue;
    }
    Result<std::string> key = key_of(row);
    Result<Node> entry = entry_of(row);
    if (!key.ok() || !entry.ok()) {
      dropped.add((entry.ok() ? key.status() : entry.status()).message(), describe(row));
      continue;
    }
    note_losses(row, {"a lookup table", "inductor."}, dropped);
    if (row.measurement.count > 0) {
      dropped.add("times: a lookup table has the order of the choices alone", describe(row));
    }
    const bool is_timed = row.measurement.count > 0;
    keys.at(*key).push_back(
        {is_timed ? row.measurement.median_ns : std::numeric_limits<double>::infinity(),
         std::move(entry).take()});
  }
  Node root = Node::object();
  for (const auto& [key, unsorted] : keys) {
    std::vector<Choice> choices = unsorted;
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.median_ns < b.median_ns; });
    Node& list = root.add(key, Node::array());
    for (Choice& choice : choices) list.add(std::move(choice.entry));
  }
  return write_json(root, 2) + "\n";
}

}  // namespace triode::exchange
