// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "cache/exchange/diode_config.h"
#include "cache/exchange/diode_extra.h"
#include "cache/exchange/diode_file.h"
#include "cache/exchange/diode_shape.h"
#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/msgpack_document.h"
#include "cache/exchange/node_reader.h"

namespace triode::exchange {
namespace {

class DiodeReader {
 public:
  explicit DiodeReader(const SourceFile& file) : reader_(file) {}

  Result<ExchangeTable> read(const Node& root) {
    TRIODE_TRY(refuse_other_schemas(root));
    TRIODE_TRY(reader_.only(root, {"hardware", "version"}));
    TRIODE_TRY(check_version(root));
    const Node* hardware = TRIODE_TRY(reader_.member(root, "hardware", Node::Kind::kObject));
    for (size_t i = 0; i < hardware->items.size(); ++i) {
      TRIODE_TRY(read_hardware(hardware->names[i], hardware->items[i]));
    }
    return std::move(table_);
  }

 private:
  Status refuse_other_schemas(const Node& root) const {
    TRIODE_TRY(reader_.expect(root, Node::Kind::kObject, "a diode file"));
    const auto refuse = [&](std::string_view what) {
      return reader_.error(root, "this is diode's " + std::string(what) +
                                     ", which has no configs by device and shape; expected a "
                                     "Dataset or a Table, with the field \"hardware\"");
    };
    if (root.find("hardware") != nullptr) return {};
    if (root.find("operations") != nullptr) return refuse("OperationShapeSet");
    if (root.find("shapes") != nullptr) return refuse("ShapeSet");
    if (root.find("config") != nullptr || root.find("configs") != nullptr) {
      return refuse("Solution");
    }
    return {};
  }

  Status check_version(const Node& object) const {
    const Node* version = object.find("version");
    if (version == nullptr) return {};
    TRIODE_TRY(reader_.expect(*version, Node::Kind::kInteger, "the version"));
    if (version->integer == 1) return {};
    return reader_.error(*version, "version " + std::to_string(version->integer) +
                                       " of diode's format; this reads version 1");
  }

  Status read_hardware(const std::string& device, const Node& node) {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a device's entry"));
    TRIODE_TRY(reader_.only(node, {"operation", "version"}));
    TRIODE_TRY(check_version(node));
    const Node* operations = TRIODE_TRY(reader_.member(node, "operation", Node::Kind::kObject));
    note_empty(*operations, device);
    for (size_t i = 0; i < operations->items.size(); ++i) {
      TRIODE_TRY(read_operation(device, operations->names[i], operations->items[i]));
    }
    return {};
  }

  Status read_operation(const std::string& device, const std::string& name, const Node& node) {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "an operation's entry"));
    TRIODE_TRY(reader_.only(node, {"name", "solution", "version"}));
    TRIODE_TRY(check_version(node));
    const bool is_legacy = TRIODE_TRY(check_name(node, name));
    const Node* solutions = TRIODE_TRY(reader_.member(node, "solution", Node::Kind::kObject));
    note_empty(*solutions, device + ", " + name);
    for (size_t i = 0; i < solutions->items.size(); ++i) {
      ExchangeRow row;
      row.target.device = device;
      row.target.toolchain = "diode";
      if (is_legacy) row.extra[kDiodeLegacy] = "1";
      TRIODE_TRY(read_solution(name, solutions->names[i], solutions->items[i], std::move(row)));
    }
    return {};
  }

  // The older form has the operation's name beside. Whether it is there.
  Result<bool> check_name(const Node& node, const std::string& operation) const {
    if (node.find("name") == nullptr) return false;
    const Node* name = TRIODE_TRY(reader_.member(node, "name", Node::Kind::kText));
    if (name->text == operation) return true;
    return reader_.error(*name, "the name is not that of the operation, \"" + operation + "\"");
  }

  Status read_solution(const std::string& operation, const std::string& shape, const Node& node,
                       ExchangeRow row) {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a solution"));
    TRIODE_TRY(check_version(node));
    TRIODE_TRY(check_name(node, operation));
    std::string reason;
    const std::optional<Problem> problem =
        TRIODE_TRY(problem_of_diode(reader_, node, operation, shape, reason));
    if (problem.has_value()) {
      row.problem = *problem;
      if (diode_shape(*problem) != shape) row.extra[kDiodeShape] = shape;
    }
    const bool is_timed = node.find("timed_configs") != nullptr;
    const char* list_name = is_timed ? "timed_configs" : "config";
    TRIODE_TRY(reader_.only(node, {"name", list_name, "version"}));
    const Node* list = TRIODE_TRY(reader_.member(node, list_name, Node::Kind::kArray));
    note_empty(*list, "a shape of " + operation);
    for (const Node& item : list->items) {
      ExchangeRow config_row = row;
      TRIODE_TRY(is_timed ? read_timed(item, config_row) : read_config(item, config_row));
      if (reason.empty()) {
        table_.rows.push_back(std::move(config_row));
      } else {
        table_.dropped.add(reason, shape);
      }
    }
    return {};
  }

  Status read_timed(const Node& node, ExchangeRow& row) const {
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a timed config"));
    TRIODE_TRY(reader_.only(node, {"config", "time", "version"}));
    TRIODE_TRY(check_version(node));
    const Node* config = node.find("config");
    const Node* time = node.find("time");
    if (config == nullptr) return reader_.error(node, "the field \"config\" is missing");
    if (time == nullptr) return reader_.error(node, "the field \"time\" is missing");
    TRIODE_TRY(read_config(*config, row));
    const double ms = TRIODE_TRY(reader_.positive(*time, "the time"));
    row.measurement = {ms * kNsPerMs, ms * kNsPerMs, 0, 1};
    const std::string digits = time->text.empty() ? python_number(ms) : time->text;
    if (python_number(row.measurement.median_ns / kNsPerMs) != digits) {
      row.extra[kDiodeTime] = digits;
    }
    return {};
  }

  Status read_config(const Node& node, ExchangeRow& row) const {
    if (!node.is(Node::Kind::kText)) {
      row.config = TRIODE_TRY(read_diode_config(reader_, node));
      return {};
    }
    const Node inside = TRIODE_TRY(read_json_inside(reader_.file(), node.offset, node.text));
    row.config = TRIODE_TRY(read_diode_config(reader_, inside));
    row.extra[kDiodeLegacy] = "1";
    return {};
  }

  void note_empty(const Node& container, const std::string& where) {
    if (container.items.empty()) table_.dropped.add("an entry without any configs", where);
  }

  NodeReader reader_;
  ExchangeTable table_;
};

}  // namespace

Result<ExchangeTable> read_diode(const SourceFile& file, DiodeEncoding encoding) {
  const Node root =
      TRIODE_TRY(encoding == DiodeEncoding::kJson ? read_json(file) : read_msgpack(file));
  return DiodeReader(file).read(root);
}

}  // namespace triode::exchange
