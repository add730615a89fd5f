// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/json_reader.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cache/exchange/utf8.h"

namespace triode::exchange {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// One pass over the text. The first fault is the answer.
class JsonParser {
 public:
  JsonParser(const SourceFile& file, std::string_view text, JsonDialect dialect)
      : file_(file), text_(text), dialect_(dialect) {}
  // Every error then points to this offset of the file.
  void point_to(size_t offset) { fixed_offset_ = offset; }

  Result<Node> read_whole() {
    if (has_too_many_values()) return error(too_many_values());
    skip_space();
    Node node = TRIODE_TRY(read_value(0));
    skip_space();
    if (position_ != text_.size()) return error("expected the end of the file");
    return node;
  }

 private:
  Status error(const std::string& message) const { return error_at(position_, message); }
  Status error_at(size_t position, const std::string& message) const {
    if (fixed_offset_ == kNowhere) return file_.error_at(position, message);
    return file_.error_at(fixed_offset_, "in the JSON inside this text: " + message);
  }

  // Told before the tree grows. Each value but the first stands behind one of these.
  bool has_too_many_values() const {
    if (text_.size() < 2 * kMostValues) return false;
    size_t values = 1;
    bool is_in_text = false;
    for (size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') is_in_text = !is_in_text;
      if (is_in_text && c == '\\') ++i;
      if (!is_in_text && (c == ',' || c == '[' || c == '{')) ++values;
    }
    return values > kMostValues;
  }

  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  bool take(char c) {
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  void skip_space() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  Result<Node> read_value(int depth) {
    if (depth > kMostDepth) {
      return error("more than " + std::to_string(kMostDepth) + " levels of brackets");
    }
    const size_t start = position_;
    Node node = TRIODE_TRY(read_unplaced(depth));
    node.offset = fixed_offset_ == kNowhere ? start : fixed_offset_;
    return node;
  }

  Result<Node> read_unplaced(int depth) {
    if (position_ >= text_.size()) return error("the file ends where a value is expected");
    switch (peek()) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"':
        return Node::of(std::string_view(TRIODE_TRY(read_text())));
      case 't':
        if (take_word("true")) return Node::of(true);
        break;
      case 'f':
        if (take_word("false")) return Node::of(false);
        break;
      case 'n':
        if (take_word("null")) return Node::null();
        break;
      case 'I':
        if (dialect_ == JsonDialect::kInfinity && take_word("Infinity")) {
          return Node::of(std::numeric_limits<double>::infinity());
        }
        break;
      default:
        if (peek() == '-' || is_digit(peek())) return read_number();
    }
    return error("expected a JSON value");
  }

  Result<Node> read_array(int depth) {
    ++position_;
    Node node = Node::array();
    skip_space();
    if (take(']')) return node;
    for (;;) {
      skip_space();
      node.add(TRIODE_TRY(read_value(depth + 1)));
      skip_space();
      if (take(']')) return node;
      if (!take(',')) return error("expected ',' or ']'");
    }
  }

  Result<Node> read_object(int depth) {
    ++position_;
    Node node = Node::object();
    std::set<std::string> seen;
    skip_space();
    if (take('}')) return node;
    for (;;) {
      skip_space();
      const size_t name_start = position_;
      if (peek() != '"') return error("expected a name in quotes");
      std::string name = TRIODE_TRY(read_text());
      if (!seen.insert(name).second) {
        return error_at(name_start, "the name \"" + name.substr(0, 60) + "\" stands here twice");
      }
      skip_space();
      if (!take(':')) return error("expected ':'");
      skip_space();
      node.add(name, TRIODE_TRY(read_value(depth + 1)));
      skip_space();
      if (take('}')) return node;
      if (!take(',')) return error("expected ',' or '}'");
    }
  }

  Result<std::string> read_text() {
    ++position_;
    std::string out;
    for (;;) {
      if (position_ >= text_.size()) return error("the file ends inside a text");
      const char c = text_[position_];
      if (c == '"') {
        ++position_;
        return out;
      }
      if (static_cast<unsigned char>(c) < 0x20) return error("a control character inside a text");
      if (c == '\\') {
        TRIODE_TRY(read_escape(out));
        continue;
      }
      const size_t length = utf8_length_at(text_, position_);
      if (length == 0) return error("not UTF-8");
      out.append(text_, position_, length);
      position_ += length;
    }
  }

  Status read_escape(std::string& out) {
    const size_t start = position_;
    ++position_;
    const char c = peek();
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t at = kLetters.find(c); c != '\0' && at != std::string_view::npos) {
      out += kMeanings[at];
      ++position_;
      return {};
    }
    if (c != 'u') return error_at(start, "an escape that JSON does not have");
    ++position_;
    uint32_t code = TRIODE_TRY(read_four_digits(start));
    if (code >= 0xD800 && code < 0xDC00 && take_word("\\u")) {
      const uint32_t low = TRIODE_TRY(read_four_digits(start));
      if (low < 0xDC00 || low > 0xDFFF) return error_at(start, "half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code >= 0xD800 && code <= 0xDFFF) return error_at(start, "half of a surrogate pair");
    append_utf8(code, out);
    return {};
  }

  Result<uint32_t> read_four_digits(size_t start) {
    uint32_t code = 0;
    const std::string_view digits = text_.substr(position_, 4);
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (fault != std::errc() || digits.size() != 4 || end != digits.data() + 4) {
      return error_at(start, "expected four hexadecimal digits after \\u");
    }
    position_ += 4;
    return code;
  }

  bool skip_digits() {
    const size_t start = position_;
    while (is_digit(peek())) ++position_;
    return position_ > start;
  }

  Result<Node> read_number() {
    const size_t start = position_;
    take('-');
    if (dialect_ == JsonDialect::kInfinity && take_word("Infinity")) {
      return error_at(start, "a negative infinity");
    }
    const bool has_leading_zero = peek() == '0';
    const size_t digits_start = position_;
    if (!skip_digits()) return error("expected a digit");
    if (has_leading_zero && position_ > digits_start + 1) {
      return error_at(start, "a number that starts with 0");
    }
    bool is_whole = true;
    if (take('.')) {
      is_whole = false;
      if (!skip_digits()) return error("expected a digit after '.'");
    }
    if (take('e') || take('E')) {
      is_whole = false;
      if (!take('+')) take('-');
      if (!skip_digits()) return error("expected a digit in the exponent");
    }
    return number_of(text_.substr(start, position_ - start), is_whole, start);
  }

  Result<Node> number_of(std::string_view text, bool is_whole, size_t start) const {
    Node node;
    const char* end = text.data() + text.size();
    if (is_whole) {
      int64_t value = 0;
      if (std::from_chars(text.data(), end, value).ec != std::errc()) {
        return error_at(start, "a whole number beyond 64 bits");
      }
      node = Node::of(value);
    } else {
      double value = 0;
      const auto answer = std::from_chars(text.data(), end, value);
      if (answer.ec != std::errc() || !std::isfinite(value)) {
        return error_at(start, "a number beyond the range of a double");
      }
      node = Node::of(value);
    }
    node.text = text;
    return node;
  }

  static constexpr size_t kNowhere = static_cast<size_t>(-1);

  const SourceFile& file_;
  const std::string_view text_;
  const JsonDialect dialect_;
  size_t position_ = 0;
  size_t fixed_offset_ = kNowhere;
};

}  // namespace

std::string too_many_values() {
  return "more than " + std::to_string(kMostValues >> 20) +
         " million values, the most that are taken at once; split the file";
}

Result<Node> read_json(const SourceFile& file, JsonDialect dialect) {
  return JsonParser(file, file.bytes(), dialect).read_whole();
}

Result<Node> read_json_inside(const SourceFile& file, size_t offset, std::string_view text) {
  JsonParser parser(file, text, JsonDialect::kStrict);
  parser.point_to(offset);
  return parser.read_whole();
}

}  // namespace triode::exchange
