// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/diode_shape.h"

#include <array>
#include <cstdint>
#include <limits>

#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/torch_names.h"

namespace triode::exchange {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

using Triple = std::array<int64_t, 3>;

Result<Triple> read_triple(const NodeReader& reader, const Node& shape, std::string_view name) {
  const Node* list = TRIODE_TRY(reader.member(shape, name, Node::Kind::kArray));
  if (list->items.size() != 3) {
    return reader.error(*list, "\"" + std::string(name) + "\" must have three numbers");
  }
  Triple triple{};
  for (size_t i = 0; i < 3; ++i) {
    triple[i] =
        TRIODE_TRY(reader.whole(list->items[i], name, 0, std::numeric_limits<int64_t>::max()));
  }
  return triple;
}

Node triple_node(const Triple& triple) {
  Node list = Node::array();
  for (const int64_t value : triple) list.add(Node::of(value));
  return list;
}

Result<int64_t> read_size(const NodeReader& reader, const Node& shape, std::string_view name) {
  const Node* value = TRIODE_TRY(reader.member(shape, name, Node::Kind::kInteger));
  return reader.whole(*value, name, 1, kMost);
}

// The result's row pitch, if its strides are those of a row-major m x n matrix.
void take_result_strides(const Triple& size, const Triple& stride, Problem& problem) {
  const bool is_plain = size == Triple{problem.batch, problem.m, problem.n} && stride[2] == 1 &&
                        stride[1] >= problem.n && stride[1] <= kMost;
  if (!is_plain || (problem.op == Op::kBmm && stride[0] < stride[1])) return;
  problem.ldc = stride[1];
  if (problem.op == Op::kBmm) problem.c_batch_stride = stride[0];
}

// What Triode has no problem for; empty if it has.
std::string why_not(std::string_view operation, int64_t batch,
                    const std::array<std::string, 3>& types) {
  const std::optional<Op> op = op_of_aten(operation);
  if (!op.has_value()) {
    return "operation " + std::string(operation) + ": Triode does not have it";
  }
  for (const std::string& type : types) {
    if (!dtype_of_torch(type).has_value()) return "type " + type + ": Triode does not have it";
  }
  if (*op != Op::kBmm && batch != 1) {
    return "a batch of more than one in " + std::string(operation);
  }
  return {};
}

}  // namespace

Result<std::optional<Problem>> problem_of_diode(const NodeReader& reader, const Node& node,
                                                std::string_view operation, std::string_view key,
                                                std::string& reason) {
  const Node shape = TRIODE_TRY(read_json_inside(reader.file(), node.offset, key));
  TRIODE_TRY(reader.expect(shape, Node::Kind::kObject, "a shape"));
  TRIODE_TRY(reader.only(shape, {"version", "B", "M", "M_dtype", "N", "K", "K_dtype", "out_dtype",
                                 "out_size", "out_stride"}));
  const int64_t batch = TRIODE_TRY(read_size(reader, shape, "B"));
  const int64_t m = TRIODE_TRY(read_size(reader, shape, "M"));
  const int64_t n = TRIODE_TRY(read_size(reader, shape, "N"));
  const int64_t k = TRIODE_TRY(read_size(reader, shape, "K"));
  const std::array<std::string, 3> types = {TRIODE_TRY(reader.text(shape, "M_dtype")),
                                            TRIODE_TRY(reader.text(shape, "K_dtype")),
                                            TRIODE_TRY(reader.text(shape, "out_dtype"))};
  const Triple size = TRIODE_TRY(read_triple(reader, shape, "out_size"));
  const Triple stride = TRIODE_TRY(read_triple(reader, shape, "out_stride"));

  reason = why_not(operation, batch, types);
  if (!reason.empty()) return std::optional<Problem>();
  Problem problem = torch_problem(*op_of_aten(operation), batch, m, n, k, *dtype_of_torch(types[0]),
                                  *dtype_of_torch(types[1]), *dtype_of_torch(types[2]));
  take_result_strides(size, stride, problem);
  if (const Status fault = problem.validate(); !fault.ok()) {
    return reader.error(node, fault.message());
  }
  return std::optional<Problem>(problem);
}

std::string diode_shape(const Problem& problem) {
  const int64_t batch_stride =
      problem.op == Op::kBmm ? problem.c_batch_stride : problem.m * problem.ldc;
  Node shape = Node::object();
  shape.add("version", Node::of(1));
  shape.add("B", Node::of(problem.batch));
  shape.add("M", Node::of(problem.m));
  shape.add("M_dtype", Node::of(torch_name(problem.a_type)));
  shape.add("N", Node::of(problem.n));
  shape.add("K", Node::of(problem.k));
  shape.add("K_dtype", Node::of(torch_name(problem.b_type)));
  shape.add("out_dtype", Node::of(torch_name(problem.c_type)));
  shape.add("out_size", triple_node({problem.batch, problem.m, problem.n}));
  shape.add("out_stride", triple_node({batch_stride, problem.ldc, 1}));
  return write_json(shape);
}

}  // namespace triode::exchange
