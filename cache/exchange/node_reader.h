// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "cache/exchange/foreign_config.h"
#include "cache/exchange/node.h"
#include "cache/exchange/source_file.h"
#include "core/status.h"

namespace triode::exchange {

// No time is this many milliseconds; with it, nothing that is computed from one becomes infinite.
inline constexpr double kMostFigure = 1e15;

// Takes typed values out of a document. `what` names the value in messages: "the time".
class NodeReader {
 public:
  explicit NodeReader(const SourceFile& file) : file_(file) {}

  const SourceFile& file() const { return file_; }
  Status error(const Node& node, std::string_view message) const {
    return file_.error_at(node.offset, message);
  }

  Status expect(const Node& node, Node::Kind kind, std::string_view what) const;
  // A member that must be there and be of that kind.
  Result<const Node*> member(const Node& object, std::string_view name, Node::Kind kind) const;
  // Refuses every name but these: a field that is not understood may change what the others mean.
  Status only(const Node& object, std::initializer_list<std::string_view> names) const;

  Result<int64_t> whole(const Node& node, std::string_view what, int64_t least, int64_t most) const;
  Result<int64_t> whole(const Node& object, std::string_view name) const;  // in [0, 2^31)
  // A number above zero and below kMostFigure.
  Result<double> positive(const Node& node, std::string_view what) const;
  Result<std::string> text(const Node& object, std::string_view name) const;
  // A scalar as a parameter's value; arrays and objects are refused.
  Result<ParameterValue> parameter(const Node& node, std::string_view name) const;

 private:
  const SourceFile& file_;
};

Node node_of(const ParameterValue& value);

}  // namespace triode::exchange
