// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <utility>

#include "cache/exchange/diode_config.h"
#include "cache/exchange/diode_extra.h"
#include "cache/exchange/diode_file.h"
#include "cache/exchange/diode_shape.h"
#include "cache/exchange/export_losses.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/msgpack_document.h"
#include "cache/exchange/node.h"
#include "cache/exchange/ordered_groups.h"

namespace triode::exchange {
namespace {

struct Solution {
  bool is_legacy = false;
  Node configs = Node::array();
};
struct Operation {
  bool is_legacy = false;
  OrderedGroups<Solution> solutions;
};
struct Device {
  OrderedGroups<Operation> operations;
};

class DiodeWriter {
 public:
  DiodeWriter(DiodeKind kind, DropList& dropped) : kind_(kind), dropped_(dropped) {}

  void add(const ExchangeRow& row) {
    if (kind_ == DiodeKind::kDataset && (!row.outcome.ok() || row.measurement.count == 0)) {
      dropped_.add("configs without a time: a diode dataset holds timings only", describe(row));
      return;
    }
    Result<Node> config = diode_config(row, dropped_);
    if (!config.ok()) {
      dropped_.add(config.status().message() + ": diode has no place for them", describe(row));
      return;
    }
    note_losses(row, {"diode", "diode."}, dropped_);
    if (kind_ == DiodeKind::kTable && row.measurement.count > 0) {
      dropped_.add("times: a diode table has the order of the configs alone", describe(row));
    }
    const auto kept = row.extra.find(kDiodeShape);
    const std::string shape = kept != row.extra.end() ? kept->second : diode_shape(row.problem);
    const bool is_legacy = row.extra.contains(kDiodeLegacy) && kind_ == DiodeKind::kDataset;
    Operation& operation =
        devices_.at(row.target.device).operations.at(std::string(to_string(row.problem.op)));
    operation.is_legacy |= is_legacy;
    Solution& solution = operation.solutions.at(shape);
    solution.is_legacy |= is_legacy;
    solution.configs.add(kind_ == DiodeKind::kDataset ? timed(row, std::move(config).take())
                                                      : std::move(config).take());
  }

  Node root() const {
    Node devices = Node::object();
    for (const auto& [name, device] : devices_) {
      Node operations = Node::object();
      for (const auto& [op, operation] : device.operations) {
        operations.add(op, operation_node(op, operation));
      }
      devices.add(name, versioned("operation", std::move(operations)));
    }
    return versioned("hardware", std::move(devices));
  }

 private:
  // An object of diode's with one field and its version.
  static Node versioned(std::string_view field, Node value) {
    Node node = Node::object();
    node.add(field, std::move(value));
    node.add("version", Node::of(1));
    return node;
  }
  // The same with the name that the older form has beside, which comes before the others.
  static Node named(bool is_legacy, const std::string& name, std::string_view field, Node value) {
    Node node = Node::object();
    if (is_legacy && std::string_view("name") < field) {
      node.add("name", Node::of(std::string_view(name)));
    }
    node.add(field, std::move(value));
    node.add("version", Node::of(1));
    return node;
  }

  Node operation_node(const std::string& op, const Operation& operation) const {
    const std::string_view list = kind_ == DiodeKind::kDataset ? "timed_configs" : "config";
    Node solutions = Node::object();
    for (const auto& [shape, solution] : operation.solutions) {
      solutions.add(shape, named(solution.is_legacy, op, list, solution.configs));
    }
    return named(operation.is_legacy, op, "solution", std::move(solutions));
  }

  static Node timed(const ExchangeRow& row, Node config) {
    Node entry = Node::object();
    if (row.extra.contains(kDiodeLegacy)) config = Node::of(std::string_view(write_json(config)));
    entry.add("config", std::move(config));
    Node time = Node::of(row.measurement.median_ns / kNsPerMs);
    if (const auto kept = row.extra.find(kDiodeTime); kept != row.extra.end()) {
      time = Node::of(std::strtod(kept->second.c_str(), nullptr));
      time.text = kept->second;
    }
    entry.add("time", std::move(time));
    entry.add("version", Node::of(1));
    return entry;
  }

  const DiodeKind kind_;
  DropList& dropped_;
  OrderedGroups<Device> devices_;
};

}  // namespace

Result<std::string> write_diode(const ExchangeTable& table, DiodeKind kind, DiodeEncoding encoding,
                                DropList& dropped) {
  DiodeWriter writer(kind, dropped);
  for (const ExchangeRow& row : table.rows) writer.add(row);
  return encoding == DiodeEncoding::kJson ? write_json(writer.root(), 2)
                                          : write_msgpack(writer.root());
}

}  // namespace triode::exchange
