// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cache/exchange/utf8.h"

namespace triode::exchange {
namespace {

void append_escape(uint32_t unit, std::string& out) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", unit & 0xFFFFU);
  out += text.data();
}

void append_character(uint32_t code, std::string& out) {
  constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  if (code < 0x80) {
    const size_t at = kSpecial.find(static_cast<char>(code));
    if (at != std::string_view::npos) {
      out += '\\';
      out += kLetters[at];
      return;
    }
    if (code >= 0x20 && code != 0x7F) {
      out += static_cast<char>(code);
      return;
    }
    if (code == 0x7F) {  // the one control character that json.dumps leaves alone
      out += '\x7f';
      return;
    }
  }
  if (code < 0x10000) {
    append_escape(code, out);
  } else {
    append_escape(0xD800 + ((code - 0x10000) >> 10), out);
    append_escape(0xDC00 + ((code - 0x10000) & 0x3FF), out);
  }
}

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const Node& node, int depth) {
    switch (node.kind) {
      case Node::Kind::kNull:
        out_ += "null";
        return;
      case Node::Kind::kBool:
        out_ += node.boolean ? "true" : "false";
        return;
      case Node::Kind::kInteger:
        out_ += node.text.empty() ? std::to_string(node.integer) : node.text;
        return;
      case Node::Kind::kReal:
        out_ += node.text.empty() ? python_number(node.real) : node.text;
        return;
      case Node::Kind::kText:
        out_ += json_text(node.text);
        return;
      case Node::Kind::kArray:
      case Node::Kind::kObject:
        write_items(node, depth);
    }
  }

  std::string take() && { return std::move(out_); }

 private:
  void write_items(const Node& node, int depth) {
    const bool is_object = node.is(Node::Kind::kObject);
    out_ += is_object ? '{' : '[';
    for (size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) out_ += indent_ > 0 ? "," : ", ";
      break_line(depth + 1);
      if (is_object) out_ += json_text(node.names[i]) + ": ";
      write(node.items[i], depth + 1);
    }
    if (!node.items.empty()) break_line(depth);
    out_ += is_object ? '}' : ']';
  }

  void break_line(int depth) {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(indent_) * static_cast<size_t>(depth), ' ');
  }

  const int indent_;
  std::string out_;
};

}  // namespace

std::string write_json(const Node& node, int indent) {
  JsonWriter writer(indent);
  writer.write(node, 0);
  return std::move(writer).take();
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (size_t position = 0; position < text.size();) {
    const size_t length = utf8_length_at(text, position);
    // Bytes that are no character cannot stand in JSON; U+FFFD says that something was here.
    append_character(length == 0 ? 0xFFFD : utf8_code_at(text, position), out);
    position += length == 0 ? 1 : length;
  }
  return out + '"';
}

std::string python_number(double value) {
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string shortest(buffer.data(), end);  // -1.234e-05
  const size_t e = shortest.find('e');
  const int exponent = std::atoi(shortest.c_str() + e + 1);
  // repr turns to exponents below 1e-4 and from 1e16 on.
  if (exponent < -4 || exponent >= 16) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "e%+03d", exponent);
    return shortest.substr(0, e) + text.data();
  }
  const auto fixed_end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed)
          .ptr;
  std::string fixed(buffer.data(), fixed_end);
  return fixed.find('.') == std::string::npos ? fixed + ".0" : fixed;
}

}  // namespace triode::exchange
