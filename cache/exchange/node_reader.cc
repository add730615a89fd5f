// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/node_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace triode::exchange {
namespace {

std::string quoted(std::string_view text) {
  return "\"" + std::string(text.substr(0, 80)) + "\"";
}

}  // namespace

Status NodeReader::expect(const Node& node, Node::Kind kind, std::string_view what) const {
  if (node.is(kind)) return {};
  return error(node, std::string(what) + " must be " + std::string(to_string(kind)) + ", not " +
                         std::string(to_string(node.kind)));
}

Result<const Node*> NodeReader::member(const Node& object, std::string_view name,
                                       Node::Kind kind) const {
  const Node* found = object.find(name);
  if (found == nullptr) return error(object, "the field " + quoted(name) + " is missing");
  TRIODE_TRY(expect(*found, kind, quoted(name)));
  return found;
}

Status NodeReader::only(const Node& object, std::initializer_list<std::string_view> names) const {
  for (size_t i = 0; i < object.names.size(); ++i) {
    if (std::find(names.begin(), names.end(), object.names[i]) == names.end()) {
      return error(object.items[i], "the field " + quoted(object.names[i]) + " is not known here");
    }
  }
  return {};
}

Result<int64_t> NodeReader::whole(const Node& node, std::string_view what, int64_t least,
                                  int64_t most) const {
  TRIODE_TRY(expect(node, Node::Kind::kInteger, what));
  if (node.integer < least || node.integer > most) {
    return error(node, std::string(what) + " is " + std::to_string(node.integer) + "; expected " +
                           std::to_string(least) + " to " + std::to_string(most));
  }
  return node.integer;
}

Result<int64_t> NodeReader::whole(const Node& object, std::string_view name) const {
  const Node* found = TRIODE_TRY(member(object, name, Node::Kind::kInteger));
  return whole(*found, quoted(name), 0, std::numeric_limits<int32_t>::max());
}

Result<double> NodeReader::positive(const Node& node, std::string_view what) const {
  if (!node.is_number() || !(node.real > 0 && node.real < kMostFigure)) {
    return error(node, std::string(what) + " must be a number above zero and below 1e15");
  }
  return node.real;
}

Result<std::string> NodeReader::text(const Node& object, std::string_view name) const {
  return TRIODE_TRY(member(object, name, Node::Kind::kText))->text;
}

Result<ParameterValue> NodeReader::parameter(const Node& node, std::string_view name) const {
  if (!is_parameter_name(name)) {
    return error(node, "a parameter cannot be called " + quoted(name));
  }
  switch (node.kind) {
    case Node::Kind::kNull:
      return ParameterValue(std::monostate{});
    case Node::Kind::kBool:
      return ParameterValue(node.boolean);
    case Node::Kind::kInteger:
      return ParameterValue(node.integer);
    case Node::Kind::kReal:
      if (!std::isfinite(node.real)) break;
      return ParameterValue(node.real);
    case Node::Kind::kText:
      return ParameterValue(node.text);
    case Node::Kind::kArray:
    case Node::Kind::kObject:
      break;
  }
  return error(node,
               "the parameter " + quoted(name) + " cannot be " + std::string(to_string(node.kind)));
}

Node node_of(const ParameterValue& value) {
  struct ToNode {
    Node operator()(std::monostate) const { return Node::null(); }
    Node operator()(bool v) const { return Node::of(v); }
    Node operator()(int64_t v) const { return Node::of(v); }
    Node operator()(double v) const { return Node::of(v); }
    Node operator()(const std::string& v) const { return Node::of(std::string_view(v)); }
  };
  return std::visit(ToNode{}, value);
}

}  // namespace triode::exchange
