// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/diode_config.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "cache/exchange/export_losses.h"

namespace triode::exchange {
namespace {

// One of diode's fields, in the order in which it writes them.
struct Field {
  std::string_view name;
  Node::Kind kind;
  bool is_optional;   // for diode's own reader
  bool has_fallback;  // Inductor has one answer for it, so that a config may leave it open
};
constexpr std::array<Field, 12> kFields{{
    {"ACC_TYPE", Node::Kind::kText, true, true},
    {"ALLOW_TF32", Node::Kind::kBool, true, true},
    {"EVEN_K", Node::Kind::kBool, true, true},
    {"USE_FAST_ACCUM", Node::Kind::kBool, true, true},
    {"block_k", Node::Kind::kInteger, false, false},
    {"block_m", Node::Kind::kInteger, false, false},
    {"block_n", Node::Kind::kInteger, false, false},
    {"grid", Node::Kind::kInteger, false, true},
    {"group_m", Node::Kind::kInteger, false, true},
    {"name", Node::Kind::kText, false, true},
    {"num_stages", Node::Kind::kInteger, false, false},
    {"num_warps", Node::Kind::kInteger, false, false},
}};

// What Inductor's mm template does where a tool does not say.
Node fallback(std::string_view name, const ExchangeRow& row) {
  const int64_t block_k = row.config.number_or("block_k", 0);
  if (name == "ACC_TYPE") return Node::of("tl.float32");
  if (name == "ALLOW_TF32") return Node::of(row.problem.a_type == DType::kTF32);
  if (name == "EVEN_K") return Node::of(block_k > 0 && row.problem.k % block_k == 0);
  if (name == "USE_FAST_ACCUM") return Node::of(false);
  if (name == "grid") return Node::of(1);
  if (name == "group_m") return Node::of(8);
  return Node::of("triton_mm");
}

}  // namespace

Result<ForeignConfig> read_diode_config(const NodeReader& reader, const Node& node) {
  TRIODE_TRY(reader.expect(node, Node::Kind::kObject, "a config"));
  TRIODE_TRY(reader.only(
      node, {"ACC_TYPE", "ALLOW_TF32", "EVEN_K", "USE_FAST_ACCUM", "block_k", "block_m", "block_n",
             "grid", "group_m", "name", "num_stages", "num_warps", "version"}));
  ForeignConfig config;
  config.family = "triton";
  for (const Field& field : kFields) {
    if (node.find(field.name) == nullptr && field.is_optional) continue;
    const Node* value = TRIODE_TRY(reader.member(node, field.name, field.kind));
    if (field.kind == Node::Kind::kInteger) {
      TRIODE_TRY(reader.whole(*value, field.name, 0, INT32_MAX));
    }
    config.set(field.name, TRIODE_TRY(reader.parameter(*value, field.name)));
  }
  if (const Node* version = node.find("version"); version != nullptr) {
    TRIODE_TRY(reader.whole(*version, "the config's version", 1, 1));
  }
  return config;
}

Result<Node> diode_config(const ExchangeRow& row, DropList& dropped) {
  if (row.config.family != "triton") {
    return unsupported("configs of other kernels than Triton's mm");
  }
  Node node = Node::object();
  size_t known = 0;
  // A config with the name came from diode: what it does not say stood in no file either.
  const bool is_diodes = row.config.find("name") != nullptr;
  for (const Field& field : kFields) {
    const ParameterValue* value = row.config.find(field.name);
    if (value == nullptr && field.is_optional && is_diodes) continue;
    if (value == nullptr && field.has_fallback) {
      node.add(field.name, fallback(field.name, row));
      if (field.name == "group_m") {
        dropped.add("group_m is not known: written as 8, as Inductor has it", describe(row));
      }
      continue;
    }
    Node written = value == nullptr ? Node::null() : node_of(*value);
    if (!written.is(field.kind)) {
      return unsupported("configs without a fitting " + std::string(field.name));
    }
    node.add(field.name, std::move(written));
    ++known;
  }
  if (known < row.config.parameters.size()) {
    dropped.add("parameters that diode's configs do not have", describe(row));
  }
  node.add("version", Node::of(1));
  return node;
}

}  // namespace triode::exchange
