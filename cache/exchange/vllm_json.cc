// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/vllm_json.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cache/exchange/export_losses.h"
#include "cache/exchange/json_reader.h"
#include "cache/exchange/json_writer.h"
#include "cache/exchange/node_reader.h"
#include "cache/exchange/ordered_groups.h"
#include "cache/exchange/torch_names.h"
#include "cache/exchange/triton_parameters.h"
#include "cache/exchange/vllm_file_name.h"

namespace triode::exchange {
namespace {

constexpr std::string_view kVersionField = "triton_version";
constexpr std::string_view kToolchainStart = "vllm triton ";

// Names in ExchangeRow::extra.
constexpr const char* kFile = "vllm.file";    // its name
constexpr const char* kNames = "vllm.names";  // of the parameters, in order: "BLOCK_SIZE_M,..."

class VllmReader {
 public:
  VllmReader(const SourceFile& file, const ImportOptions& options)
      : reader_(file), options_(options) {}

  Result<ExchangeTable> read(const Node& root) {
    Result<VllmFileName> name = parse_vllm_file_name(reader_.file().base_name());
    if (!name.ok()) return reader_.file().error(name.status().message());
    name_ = std::move(name).take();
    TRIODE_TRY(reader_.expect(root, Node::Kind::kObject, "a tuned file"));
    std::string toolchain = options_.toolchain.empty() ? "vllm" : options_.toolchain;
    const std::string of_folder = triton_of_folder(reader_.file().name());
    if (!of_folder.empty()) toolchain = "sglang triton " + of_folder;
    if (root.find(kVersionField) != nullptr) {
      toolchain = std::string(kToolchainStart) + TRIODE_TRY(reader_.text(root, kVersionField));
    }
    for (size_t i = 0; i < root.items.size(); ++i) {
      if (root.names[i] == kVersionField) continue;
      TRIODE_TRY(read_config(root.names[i], root.items[i], toolchain));
    }
    return std::move(table_);
  }

 private:
  Status read_config(const std::string& m_text, const Node& node, const std::string& toolchain) {
    int64_t m = 0;
    const char* end = m_text.data() + m_text.size();
    const auto answer = std::from_chars(m_text.data(), end, m);
    if (m_text.empty() || answer.ec != std::errc() || answer.ptr != end || m < 1 || m > INT32_MAX ||
        std::to_string(m) != m_text) {
      return reader_.error(node, "\"" + m_text.substr(0, 40) + "\" is no number of rows");
    }
    TRIODE_TRY(reader_.expect(node, Node::Kind::kObject, "a config"));
    ExchangeRow row;
    row.target.device = name_.device;
    row.target.toolchain = toolchain;
    row.config.family = name_.experts > 0 ? "vllm-moe" : "vllm-w8a8";
    row.extra[kFile] = reader_.file().base_name();
    std::string& names = row.extra[kNames];
    for (size_t i = 0; i < node.items.size(); ++i) {
      const std::string common = common_name(node.names[i]);
      if (row.config.find(common) != nullptr) {
        return reader_.error(node.items[i], "\"" + node.names[i] + "\" is set twice");
      }
      row.config.set(common, TRIODE_TRY(reader_.parameter(node.items[i], node.names[i])));
      names += (names.empty() ? "" : ",") + node.names[i];
    }
    const std::string reason = why_not();
    if (!reason.empty()) {
      table_.dropped.add(reason, reader_.file().base_name());
      return {};
    }
    row.problem = problem_of(m);
    if (const Status fault = row.problem.validate(); !fault.ok()) {
      return reader_.error(node, fault.message());
    }
    table_.rows.push_back(std::move(row));
    return {};
  }

  std::string why_not() const {
    if (!vllm_types(name_.types).has_value()) {
      return "types " + name_.types + ": Triode does not have them";
    }
    if (name_.k == 0 && options_.moe_k == 0) {
      return "a mixture of experts whose file does not say k; give it with --moe-k";
    }
    return {};
  }

  // The weights are stored n x k.
  Problem problem_of(int64_t m) const {
    const VllmTypes types = *vllm_types(name_.types);
    const int64_t k = name_.k > 0 ? name_.k : options_.moe_k;
    const Op op = name_.experts > 0 ? Op::kBmm : Op::kMm;
    Problem problem = torch_problem(op, op == Op::kBmm ? name_.experts : 1, m, name_.n, k, types.a,
                                    types.b, types.c);
    problem.b_transposed = true;
    problem.make_tight();
    return problem;
  }

  NodeReader reader_;
  const ImportOptions& options_;
  VllmFileName name_;
  ExchangeTable table_;
};

Node config_node(const ExchangeRow& row) {
  Node node = Node::object();
  std::string_view names = row.extra.at(kNames);
  while (!names.empty()) {
    const size_t end = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, end);
    if (const ParameterValue* value = row.config.find(common_name(name)); value != nullptr) {
      node.add(name, node_of(*value));
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return node;
}

}  // namespace

Result<ExchangeTable> read_vllm(const SourceFile& file, const ImportOptions& options) {
  const Node root = TRIODE_TRY(read_json(file));
  return VllmReader(file, options).read(root);
}

std::vector<ExportedFile> write_vllm(const ExchangeTable& table, DropList& dropped) {
  struct File {
    Node root = Node::object();
    const ExchangeRow* first = nullptr;
  };
  OrderedGroups<File> files;
  for (const ExchangeRow& row : table.rows) {
    const auto name = row.extra.find(kFile);
    if (!row.config.family.starts_with("vllm-") || name == row.extra.end() ||
        !row.extra.contains(kNames)) {
      dropped.add("configs of other kernels than vLLM's", describe(row));
      continue;
    }
    File& file = files.at(name->second);
    const std::string m = std::to_string(row.problem.m);
    if (file.first != nullptr && row.target.toolchain != file.first->target.toolchain) {
      dropped.add("configs of another toolchain: vLLM's file is of one", describe(row));
      continue;
    }
    if (file.root.find(m) != nullptr) {
      dropped.add("further configs of a size: vLLM's file has one, here the first", describe(row));
      continue;
    }
    note_losses(row, {"a tuned file of vLLM", "vllm.", false, true}, dropped);
    if (file.first == nullptr) {
      file.first = &row;
      if (row.target.toolchain.starts_with(kToolchainStart)) {
        file.root.add(
            kVersionField,
            Node::of(std::string_view(row.target.toolchain).substr(kToolchainStart.size())));
      }
    }
    file.root.add(m, config_node(row));
  }
  std::vector<ExportedFile> written;
  for (const auto& [name, file] : files) {
    written.push_back({name, write_json(file.root, 4) + "\n"});
  }
  return written;
}

}  // namespace triode::exchange
