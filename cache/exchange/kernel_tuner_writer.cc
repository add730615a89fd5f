// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cache/exchange/export_losses.h"
#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/kernel_tuner_cache.h"
#include "cache/exchange/kernel_tuner_extra.h"
#include "cache/exchange/node_reader.h"
#include "cache/exchange/ordered_groups.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;

// As Python's str prints a value: what Kernel Tuner's keys are made of.
struct PythonText {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return python_number(value); }
  std::string operator()(const std::string& value) const { return value; }
};

Node kept_node(const std::string& json) {
  const SourceFile file("kept JSON", json);
  Result<Node> node = read_json(file);
  return node.ok() ? std::move(node).take() : Node::object();
}

std::string key_of(const ExchangeRow& row) {
  if (const auto kept = row.extra.find(kKernelTunerKey); kept != row.extra.end()) {
    return kept->second;
  }
  std::string key;
  for (const auto& parameter : row.config.parameters) {
    key += (key.empty() ? "" : ",") + std::visit(PythonText{}, parameter.value);
  }
  return key;
}

std::string fault_of(OutcomeKind kind) {
  return kind == OutcomeKind::kCompileFailed ? "CompilationFailedConfig" : "RuntimeFailedConfig";
}

// With the fields that Kernel Tuner's schema asks for; it did not compile or check anything here.
Node entry_of(const ExchangeRow& row) {
  const auto kept = row.extra.find(kKernelTunerEntry);
  if (kept != row.extra.end() && row.trials == 1) return kept_node(kept->second);
  Node entry = Node::object();
  for (const auto& parameter : row.config.parameters) {
    entry.add(parameter.name, node_of(parameter.value));
  }
  if (row.outcome.ok()) {
    entry.add("time", Node::of(row.measurement.median_ns / kNsPerMs));
  } else {
    entry.add("time", Node::of(std::string_view(fault_of(row.outcome.kind))));
    entry.add("__error__", Node::of(std::string_view(fault_of(row.outcome.kind))));
  }
  for (const char* field :
       {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"}) {
    entry.add(field, Node::of(0));
  }
  return entry;
}

struct CacheFile {
  std::vector<const ExchangeRow*> rows;
  std::unordered_map<std::string, size_t> places;  // of the rows, by their keys
  const ExchangeRow* header = nullptr;             // the row that has the file's own
};

bool has_same_names(const ForeignConfig& a, const ForeignConfig& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name; });
}

// Every value that a parameter has, in the order they came up.
Node values_of(const CacheFile& file, size_t parameter) {
  Node values = Node::array();
  std::vector<const ParameterValue*> seen;
  for (const ExchangeRow* row : file.rows) {
    const ParameterValue& value = row->config.parameters[parameter].value;
    if (std::none_of(seen.begin(), seen.end(), [&](const auto* s) { return *s == value; })) {
      seen.push_back(&value);
      values.add(node_of(value));
    }
  }
  return values;
}

Node header_of(const CacheFile& file) {
  if (file.header != nullptr) return kept_node(file.header->extra.at(kKernelTunerHeader));
  const ExchangeRow& first = *file.rows.front();
  const Problem& problem = first.problem;
  Node size = Node::array();
  for (const int64_t s : {problem.m, problem.n, problem.k}) size.add(Node::of(s));
  Node names = Node::array();
  Node values = Node::object();
  for (size_t i = 0; i < first.config.parameters.size(); ++i) {
    const std::string& name = first.config.parameters[i].name;
    names.add(Node::of(std::string_view(name)));
    values.add(name, values_of(file, i));
  }
  Node ours = Node::object();
  ours.add("problem", Node::of(std::string_view(to_string(problem))));
  ours.add("toolchain", Node::of(std::string_view(first.target.toolchain)));
  Node header = Node::object();
  header.add("schema_version", Node::of("1.1.0"));
  header.add("device_name", Node::of(std::string_view(first.target.device)));
  const std::string kernel = first.config.family.empty() ? "triode" : first.config.family;
  header.add("kernel_name", Node::of(std::string_view(kernel)));
  header.add("problem_size", std::move(size));
  header.add("tune_params_keys", std::move(names));
  header.add("tune_params", std::move(values));
  header.add("objective", Node::of("time"));
  header.add("triode", std::move(ours));
  header.add("cache", Node::object());
  return header;
}

// Kernel Tuner's own layout: the header with a line for each value and no indentation, then a line
// for each config.
std::string text_of(const CacheFile& file) {
  const std::string indented = write_json(header_of(file), 1);
  std::string text;
  bool is_line_start = false;
  for (const char c : indented) {
    if (c == ' ' && is_line_start) continue;
    is_line_start = c == '\n';
    text += c;
  }
  text.resize(text.size() - 3);  // "}\n}": the cache, and the whole
  for (const ExchangeRow* row : file.rows) {
    text += "\n" + json_text(key_of(*row)) + ": " + write_json(entry_of(*row)) + ",";
  }
  if (!file.rows.empty()) text.pop_back();
  return text + "}\n}";
}

}  // namespace

std::string kernel_tuner_family(std::string_view kernel) {
  const bool is_word = !kernel.empty() && kernel.size() <= 100 &&
                       std::all_of(kernel.begin(), kernel.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
                       });
  return is_word ? "kernel_tuner." + std::string(kernel) : "kernel_tuner";
}

std::vector<ExportedFile> write_kernel_tuner(const ExchangeTable& table, DropList& dropped) {
  OrderedGroups<CacheFile> files;
  for (const ExchangeRow& row : table.rows) {
    if (row.outcome.ok() && row.measurement.count == 0) {
      dropped.add("configs without a time: Kernel Tuner keeps timed ones", describe(row));
      continue;
    }
    CacheFile& file =
        files.at(row.target.device + "," + to_string(row.problem) + "," + row.config.family);
    if (!file.rows.empty() && !has_same_names(file.rows.front()->config, row.config)) {
      dropped.add("configs with other parameters than the first of their kernel", describe(row));
      continue;
    }
    if (row.extra.contains(kKernelTunerHeader) && file.header == nullptr) file.header = &row;
    const auto [place, is_new] = file.places.emplace(key_of(row), file.rows.size());
    if (!is_new) {
      dropped.add("times of a config with other toolchains: Kernel Tuner keeps one, here the least",
                  describe(row));
      if (is_better(row, *file.rows[place->second])) file.rows[place->second] = &row;
      continue;
    }
    note_losses(row, {"Kernel Tuner", "kt."}, dropped);
    file.rows.push_back(&row);
  }
  std::vector<ExportedFile> written;
  for (const auto& [name, file] : files) written.push_back({name + ".json", text_of(file)});
  return written;
}

}  // namespace triode::exchange
