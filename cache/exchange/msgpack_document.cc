// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/msgpack_document.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <msgpack.hpp>
#include <set>
#include <utility>
#include <vector>

#include "cache/exchange/json_reader.h"
#include "cache/exchange/utf8.h"

namespace triode::exchange {
namespace {

// Builds the tree while msgpack's parser walks the bytes. The parser says where a text is and not
// where a number is, so a number's place is that of the last text before it: its name.
class TreeBuilder : public msgpack::null_visitor {
 public:
  explicit TreeBuilder(const SourceFile& file) : file_(file) {}

  bool visit_nil() { return place(Node::null()); }
  bool visit_boolean(bool value) { return place(Node::of(value)); }
  bool visit_positive_integer(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return refuse("a whole number beyond 64 bits");
    }
    return place(Node::of(static_cast<int64_t>(value)));
  }
  bool visit_negative_integer(int64_t value) { return place(Node::of(value)); }
  bool visit_float32(float value) { return visit_float64(static_cast<double>(value)); }
  bool visit_float64(double value) {
    return std::isfinite(value) ? place(Node::of(value)) : refuse("a number that is not finite");
  }
  bool visit_str(const char* text, uint32_t size) {
    last_text_ = static_cast<size_t>(text - file_.bytes().data());
    const std::string_view value(text, size);
    if (!is_utf8(value)) return refuse("a text that is not UTF-8");
    if (!is_key_) return place(Node::of(value));
    Level& level = levels_.back();
    if (!level.seen.emplace(value).second) {
      return refuse("the name \"" + std::string(value.substr(0, 60)) + "\" stands here twice");
    }
    level.node.names.emplace_back(value);
    return true;
  }
  bool visit_bin(const char*, uint32_t) { return refuse("binary data"); }
  bool visit_ext(const char*, uint32_t) { return refuse("an extension type"); }

  bool start_array(uint32_t count) { return start(Node::array(), count); }
  bool end_array() { return end(); }
  bool start_map(uint32_t count) { return start(Node::object(), count); }
  bool end_map() { return end(); }
  bool start_map_key() {
    is_key_ = true;
    return true;
  }
  bool end_map_key() {
    is_key_ = false;
    Level& level = levels_.back();
    return level.node.names.size() == level.node.items.size() + 1 ||
           refuse("a name that is no text");
  }

  void parse_error(size_t, size_t offset) { fault(offset, "this is not msgpack"); }
  void insufficient_bytes(size_t, size_t offset) { fault(offset, "the file ends inside a value"); }

  // The value, or what was wrong. `is_done` says whether the parser came to the end.
  Result<Node> take(bool is_done, size_t parsed) {
    if (!status_.ok()) return status_;
    if (!is_done) return file_.error_at(parsed, "this is not msgpack");
    if (parsed != file_.bytes().size()) {
      return file_.error_at(parsed, "expected the end of the file");
    }
    return std::move(root_);
  }

 private:
  struct Level {
    Node node;
    std::set<std::string> seen;
  };

  void fault(size_t offset, const std::string& message) {
    if (status_.ok()) status_ = file_.error_at(offset, message);
  }
  bool refuse(const std::string& message) {
    fault(last_text_, message);
    return false;
  }

  bool place(Node node) {
    if (is_key_) return refuse("a name that is no text");
    node.offset = last_text_;
    if (levels_.empty()) {
      root_ = std::move(node);
    } else {
      levels_.back().node.items.push_back(std::move(node));
    }
    return true;
  }

  // A header may claim four thousand million items; each takes a byte at least.
  bool start(Node node, uint32_t count) {
    if (is_key_) return refuse("a name that is no text");
    if (levels_.size() >= static_cast<size_t>(kMostDepth)) return refuse("too many levels");
    if (count > file_.bytes().size()) return refuse("more items than the file has bytes");
    values_ += count;
    if (values_ > kMostValues) return refuse(too_many_values());
    levels_.push_back({std::move(node), {}});
    return true;
  }

  bool end() {
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    is_key_ = false;
    return place(std::move(node));
  }

  const SourceFile& file_;
  std::vector<Level> levels_;
  Node root_;
  bool is_key_ = false;
  size_t last_text_ = 0;
  size_t values_ = 1;  // that the headers so far have told of
  Status status_;
};

// pack_double would write a whole number as an integer, and Python's msgpack does not.
void pack_real(msgpack::sbuffer& buffer, double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  std::array<char, 9> bytes{'\xcb'};
  for (size_t i = 0; i < 8; ++i) bytes[1 + i] = static_cast<char>(bits >> (56 - 8 * i) & 0xFF);
  buffer.write(bytes.data(), bytes.size());
}

void pack(msgpack::sbuffer& buffer, const Node& node) {
  msgpack::packer<msgpack::sbuffer> packer(buffer);
  const auto pack_text = [&](const std::string& text) {
    packer.pack_str(static_cast<uint32_t>(text.size()));
    packer.pack_str_body(text.data(), static_cast<uint32_t>(text.size()));
  };
  switch (node.kind) {
    case Node::Kind::kNull:
      packer.pack_nil();
      return;
    case Node::Kind::kBool:
      packer.pack(node.boolean);
      return;
    case Node::Kind::kInteger:
      packer.pack(node.integer);
      return;
    case Node::Kind::kReal:
      pack_real(buffer, node.real);
      return;
    case Node::Kind::kText:
      pack_text(node.text);
      return;
    case Node::Kind::kArray:
      packer.pack_array(static_cast<uint32_t>(node.items.size()));
      break;
    case Node::Kind::kObject:
      packer.pack_map(static_cast<uint32_t>(node.items.size()));
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    if (node.is(Node::Kind::kObject)) pack_text(node.names[i]);
    pack(buffer, node.items[i]);
  }
}

}  // namespace

Result<Node> read_msgpack(const SourceFile& file) {
  TreeBuilder builder(file);
  size_t parsed = 0;
  bool is_done = false;
  try {
    is_done = msgpack::parse(file.bytes().data(), file.bytes().size(), parsed, builder);
  } catch (const std::exception& fault) {
    return file.error_at(parsed, std::string("this is not msgpack: ") + fault.what());
  }
  return builder.take(is_done, parsed);
}

std::string write_msgpack(const Node& node) {
  msgpack::sbuffer buffer;
  pack(buffer, node);
  return {buffer.data(), buffer.size()};
}

}  // namespace triode::exchange
