// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triode::exchange {

// One value of a JSON or msgpack document: what it is, how a number was written, and where it
// stands. Own code instead of nlohmann's tree, which knows no positions, forgets how numbers were
// written (a file that is brought in has to come out unchanged) and lets the last of two equal
// names win.
struct Node {
  enum class Kind : uint8_t { kNull, kBool, kInteger, kReal, kText, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;             // of kInteger
  double real = 0;                 // of kInteger too
  std::string text;                // kText: the value; a number: as it was written, or empty
  std::vector<Node> items;         // of an array; of an object the values
  std::vector<std::string> names;  // of an object, one per item, no two alike
  size_t offset = 0;               // byte in the file

  static Node null() { return {}; }
  static Node of(bool value);
  static Node of(int64_t value);
  static Node of(int value) { return of(static_cast<int64_t>(value)); }
  static Node of(double value);
  static Node of(std::string_view value);
  static Node of(const char* value) { return of(std::string_view(value)); }
  static Node array();
  static Node object();

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_number() const { return kind == Kind::kInteger || kind == Kind::kReal; }

  // The value of that name in an object; null if there is none.
  const Node* find(std::string_view name) const;

  // Appends to an array, or to an object. Returns the new place, valid until the next one.
  Node& add(Node item);
  Node& add(std::string_view name, Node item);
};

// "null", "a boolean", "a whole number", ... for messages.
std::string_view to_string(Node::Kind kind);

}  // namespace triode::exchange
