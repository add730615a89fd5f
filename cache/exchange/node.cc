// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/node.h"

#include <algorithm>

namespace triode::exchange {

Node Node::of(bool value) {
  Node node;
  node.kind = Kind::kBool;
  node.boolean = value;
  return node;
}

Node Node::of(int64_t value) {
  Node node;
  node.kind = Kind::kInteger;
  node.integer = value;
  node.real = static_cast<double>(value);
  return node;
}

Node Node::of(double value) {
  Node node;
  node.kind = Kind::kReal;
  node.real = value;
  return node;
}

Node Node::of(std::string_view value) {
  Node node;
  node.kind = Kind::kText;
  node.text = value;
  return node;
}

Node Node::array() {
  Node node;
  node.kind = Kind::kArray;
  return node;
}

Node Node::object() {
  Node node;
  node.kind = Kind::kObject;
  return node;
}

const Node* Node::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<size_t>(found - names.begin())];
}

Node& Node::add(Node item) {
  items.push_back(std::move(item));
  return items.back();
}

Node& Node::add(std::string_view name, Node item) {
  names.emplace_back(name);
  items.push_back(std::move(item));
  return items.back();
}

std::string_view to_string(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kBool:
      return "a boolean";
    case Node::Kind::kInteger:
      return "a whole number";
    case Node::Kind::kReal:
      return "a number with a fraction";
    case Node::Kind::kText:
      return "a text";
    case Node::Kind::kArray:
      return "an array";
    case Node::Kind::kObject:
      return "an object";
  }
  return "?";
}

}  // namespace triode::exchange
