// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/kernel_tuner_cache.h"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/kernel_tuner_extra.h"
#include "cache/exchange/node_reader.h"
#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

constexpr double kNsPerMs = 1e6;

// Kernel Tuner appends a config at a time and closes the brackets at the end; it reads an unclosed
// file as if they were there.
SourceFile closed(const SourceFile& file) {
  std::string text(file.bytes());
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos) {
    text.pop_back();
  }
  if (text.ends_with(',')) {
    text.back() = '}';
    text += "\n}";
  } else if (text.ends_with("\"cache\": {")) {
    text += "}\n}";
  }
  return {file.name(), std::move(text)};
}

Outcome outcome_of(std::string_view fault) {
  if (fault == "CompilationFailedConfig") return {OutcomeKind::kCompileFailed, std::string(fault)};
  return {OutcomeKind::kLaunchFailed, std::string(fault)};
}

class KernelTunerReader {
 public:
  KernelTunerReader(const SourceFile& file, const ImportOptions& options)
      : reader_(file), options_(options) {}

  Result<ExchangeTable> read(const Node& root) {
    TRIODE_TRY(reader_.expect(root, Node::Kind::kObject, "a Kernel Tuner cache"));
    ExchangeRow row;
    row.target.device = TRIODE_TRY(reader_.text(root, "device_name"));
    row.target.toolchain = options_.toolchain.empty() ? "kernel_tuner" : options_.toolchain;
    row.problem = TRIODE_TRY(read_problem(root));
    row.config.family = kernel_tuner_family(TRIODE_TRY(reader_.text(root, "kernel_name")));
    const Node* keys = TRIODE_TRY(reader_.member(root, "tune_params_keys", Node::Kind::kArray));
    for (const Node& key : keys->items) {
      TRIODE_TRY(reader_.expect(key, Node::Kind::kText, "a parameter's name"));
    }
    TRIODE_TRY(reader_.member(root, "tune_params", Node::Kind::kObject));
    const Node* cache = TRIODE_TRY(reader_.member(root, "cache", Node::Kind::kObject));
    for (size_t i = 0; i < cache->items.size(); ++i) {
      ExchangeRow config_row = row;
      if (i == 0) config_row.extra[kKernelTunerHeader] = header_of(root);
      config_row.extra[kKernelTunerKey] = cache->names[i];
      TRIODE_TRY(read_entry(cache->items[i], *keys, config_row));
      table_.rows.push_back(std::move(config_row));
    }
    return std::move(table_);
  }

 private:
  Result<Problem> read_problem(const Node& root) const {
    if (options_.problem.has_value()) return *options_.problem;
    if (const Node* ours = root.find("triode"); ours != nullptr) {
      TRIODE_TRY(reader_.expect(*ours, Node::Kind::kObject, "\"triode\""));
      const Node* text = TRIODE_TRY(reader_.member(*ours, "problem", Node::Kind::kText));
      Result<Problem> problem = parse_problem(text->text);
      return problem.ok() ? problem : reader_.error(*text, problem.status().message());
    }
    const Node* size = root.find("problem_size");
    if (size == nullptr || !size->is(Node::Kind::kArray) || size->items.size() != 3) {
      return reader_.error(size == nullptr ? root : *size,
                           "the problem size is not m, n and k; say which problem it is with "
                           "--problem \"mm f32 4096x4096x4096 nn\"");
    }
    std::array<int64_t, 3> sizes{};
    for (size_t i = 0; i < sizes.size(); ++i) {
      sizes[i] = TRIODE_TRY(reader_.whole(size->items[i], "a problem size", 1, INT32_MAX));
    }
    const DType type = options_.dtype;
    const Problem problem =
        torch_problem(Op::kMm, 1, sizes[0], sizes[1], sizes[2], type, type, type);
    if (const Status fault = problem.validate(); !fault.ok()) {
      return reader_.error(*size, fault.message());
    }
    return problem;
  }

  // Everything but the configs, whose place is at the end.
  static std::string header_of(const Node& root) {
    Node header = Node::object();
    for (size_t i = 0; i < root.items.size(); ++i) {
      if (root.names[i] != "cache") header.add(root.names[i], root.items[i]);
    }
    header.add("cache", Node::object());
    return write_json(header);
  }

  Status read_entry(const Node& node, const Node& keys, ExchangeRow& row) const {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a config"));
    row.extra[kKernelTunerEntry] = write_json(node);
    for (const Node& key : keys.items) {
      const Node* value = node.find(key.text);
      if (value == nullptr) {
        return reader_.error(node, "the config lacks the parameter \"" + key.text + "\"");
      }
      row.config.set(key.text, TRIODE_TRY(reader_.parameter(*value, key.text)));
    }
    if (const Node* fault = node.find("__error__"); fault != nullptr) {
      TRIODE_TRY(reader_.expect(*fault, Node::Kind::kText, "\"__error__\""));
      row.outcome = outcome_of(fault->text);
      return {};
    }
    const Node* time = node.find("time");
    if (time == nullptr) return reader_.error(node, "the config has no time");
    if (time->is(Node::Kind::kText)) {
      row.outcome = outcome_of(time->text);
      return {};
    }
    const double ms = TRIODE_TRY(reader_.positive(*time, "the time"));
    row.measurement = {ms * kNsPerMs, ms * kNsPerMs, 0, 1};
    if (const Node* times = node.find("times"); times != nullptr) {
      TRIODE_TRY(read_times(*times, row.measurement));
    }
    return {};
  }

  Status read_times(const Node& times, Measurement& measurement) const {
    TRIODE_TRY(reader_.expect(times, Node::Kind::kArray, "\"times\""));
    std::vector<Sample> samples;
    for (const Node& item : times.items) {
      const double ms = TRIODE_TRY(reader_.positive(item, "a time"));
      samples.push_back({std::chrono::duration<double, std::nano>(ms * kNsPerMs), 1});
    }
    if (!samples.empty()) measurement = summarize(samples);
    return {};
  }

  NodeReader reader_;
  const ImportOptions& options_;
  ExchangeTable table_;
};

}  // namespace

Result<ExchangeTable> read_kernel_tuner(const SourceFile& file, const ImportOptions& options) {
  const SourceFile whole = closed(file);
  const Node root = TRIODE_TRY(read_json(whole));
  return KernelTunerReader(whole, options).read(root);
}

}  // namespace triode::exchange
