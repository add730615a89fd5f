// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/shape_sets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>

#include "core/random.h"

namespace triode::bench {
namespace {

struct Row {
  const char* model;  // nullptr for shapes that come from no model
  int64_t m, n, k;
  int64_t batch = 1;
};

// The shapes of the experiment Triode began with: cubes from tiny to large, thin and odd ones.
constexpr Row kReference[] = {
    {nullptr, 8, 8, 8},        {nullptr, 16, 16, 16},       {nullptr, 32, 32, 32},
    {nullptr, 64, 64, 64},     {nullptr, 128, 128, 128},    {nullptr, 256, 256, 256},
    {nullptr, 512, 512, 512},  {nullptr, 1024, 1024, 1024}, {nullptr, 1, 4096, 4096},
    {nullptr, 8, 4096, 1024},  {nullptr, 16, 1000, 2048},   {nullptr, 33, 257, 511},
    {nullptr, 100, 100, 1000}, {nullptr, 2048, 64, 64},     {nullptr, 64, 2048, 2048},
    {nullptr, 4096, 10, 512},  {nullptr, 333, 777, 555},    {nullptr, 197, 3072, 768},
    {nullptr, 1000, 1000, 17},
};

constexpr Row kModels[] = {
    {"GPT-2 qkv, batch 1", 1, 2304, 768},
    {"GPT-2 qkv, batch 8", 8, 2304, 768},
    {"GPT-2 qkv, batch 64", 64, 2304, 768},
    {"GPT-2 mlp, batch 4", 4, 3072, 768},
    {"GPT-2 mlp, batch 32", 32, 768, 3072},
    {"Llama-7B attention, batch 4", 4, 4096, 4096},
    {"Llama-7B attention, batch 16", 16, 4096, 4096},
    {"Llama-7B mlp, batch 1", 1, 11008, 4096},
    {"Llama-7B mlp, batch 64", 64, 4096, 11008},
    {"BERT projection, 128 tokens", 128, 768, 768},
    {"BERT mlp up, 128 tokens", 128, 3072, 768},
    {"BERT mlp down, 384 tokens", 384, 768, 3072},
    {"ViT-B projection", 197, 768, 768},
    {"ViT-B qkv", 197, 2304, 768},
    {"ViT-B mlp down", 197, 768, 3072},
    {"ViT-S mlp up", 197, 1536, 384},
    {"MLP-Mixer tokens up", 512, 256, 196},
    {"MLP-Mixer tokens down", 512, 196, 256},
    {"MLP-Mixer channels up", 196, 2048, 512},
    {"MLP-Mixer channels down", 196, 512, 2048},
    {"LSTM 256, batch 1", 1, 1024, 256},
    {"LSTM 256, batch 32", 32, 1024, 256},
    {"LSTM 512, batch 64", 64, 2048, 512},
    {"GRU 512, batch 20", 20, 1536, 512},
    {"PCA covariance", 64, 64, 10000},
    {"PCA covariance, MNIST", 784, 784, 1000},
    {"PCA projection", 10000, 16, 64},
    {"ranking mlp, batch 64", 64, 256, 512},
    {"ranking score, batch 2048", 2048, 1, 256},
    {"ResNet-50 conv3x3 as matmul", 64, 3136, 576},
    {"ResNet-50 late conv as matmul", 512, 49, 4608},
    {"attention scores, 12 heads", 128, 128, 64, 12},
    {"attention values, 12 heads", 128, 64, 128, 12},
    {"batched 16x16, 256 of them", 16, 16, 16, 256},
};

// What tools/demo shows: one shape of each kind, the largest 0.3 GFLOP.
constexpr Row kQuick[] = {
    {"tiny", 8, 8, 8},
    {"tiny", 16, 16, 16},
    {"small", 32, 32, 32},
    {"small", 64, 64, 64},
    {"medium", 256, 256, 256},
    {"large", 512, 512, 512},
    {"matrix x vector", 1, 4096, 4096},
    {"GPT-2 qkv, batch 8", 8, 2304, 768},
    {"narrow", 4096, 10, 512},
    {"odd sizes", 33, 257, 511},
    {"shallow", 1000, 1000, 17},
    {"ViT-B projection", 197, 768, 768},
};

// For comparing the ways to store operands: cubes that fit a cache each, odd sizes, and layers of
// models. Not tiny or with few rows, where nothing would be packed.
constexpr Row kStored[] = {
    {nullptr, 64, 64, 64},
    {nullptr, 128, 128, 128},
    {nullptr, 256, 256, 256},
    {nullptr, 512, 512, 512},
    {nullptr, 100, 100, 1000},
    {nullptr, 33, 257, 511},
    {nullptr, 333, 777, 555},
    {nullptr, 64, 2048, 2048},
    {"BERT projection, 128 tokens", 128, 768, 768},
    {"ViT-B mlp up", 197, 3072, 768},
    {"MLP-Mixer tokens down", 512, 196, 256},
    {"PCA covariance, MNIST", 784, 784, 1000},
};

constexpr ShapeSet kSets[] = {
    {"reference", "19 shapes: cubes from 8 to 1024, thin and odd ones"},
    {"models", "layers of transformers, ViT, MLP-Mixer, RNN, PCA, and small batched products"},
    {"quick", "a dozen shapes of different kinds, as in the demo"},
    {"transposes", "a dozen medium shapes, to compare the ways to store them"},
    {"all", "reference and models"},
};

constexpr std::array<std::string_view, 4> kTransposes = {"nn", "nt", "tn", "tt"};

// 1e5 flops take about a microsecond on one core: below it, a library's checks and dispatch show.
constexpr double kTinyFlops = 1e5;

std::string sizes_text(const Row& row) {
  const std::string sizes =
      std::to_string(row.m) + "," + std::to_string(row.n) + "," + std::to_string(row.k);
  return row.batch == 1 ? sizes : std::to_string(row.batch) + "x(" + sizes + ")";
}

Shape shape_of(const Row& row, DType dtype) {
  Shape shape;
  shape.problem = Problem::mm(dtype, row.m, row.n, row.k);
  if (row.batch > 1) {
    shape.problem.op = Op::kBmm;
    shape.problem.batch = row.batch;
    shape.problem.make_tight();
  }
  shape.label = sizes_text(row) + (row.model == nullptr ? "" : std::string(" ") + row.model);
  return shape;
}

void append(std::span<const Row> rows, DType dtype, std::vector<Shape>& shapes) {
  for (const Row& row : rows) shapes.push_back(shape_of(row, dtype));
}

// `m,n,k` with positive sizes; empty if the text is not of that form.
std::optional<Row> parse_sizes(std::string_view text) {
  std::array<int64_t, 3> sizes{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, sizes[i]);
    if (error != std::errc() || sizes[i] <= 0) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return Row{nullptr, sizes[0], sizes[1], sizes[2]};
}

std::string_view trimmed(std::string_view text) {
  const std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

Result<Shape> parse_line(std::string_view line, DType dtype) {
  if (line.find_first_not_of("0123456789,-") == std::string_view::npos) {
    const std::optional<Row> row = parse_sizes(line);
    if (!row) {
      return invalid_argument("'" + std::string(line) +
                              "' is not m,n,k with three sizes of at least 1");
    }
    const Shape shape = shape_of(*row, dtype);
    TRIODE_TRY(shape.problem.validate());
    return shape;
  }
  const Problem problem = TRIODE_TRY(parse_problem(line));
  return Shape{"", problem};
}

int64_t random_size(Random& random) {
  constexpr double kLargest = 2048;
  const auto size = static_cast<int64_t>(std::exp(random.uniform() * std::log(kLargest + 1)));
  const bool rounded = random.below(3) == 0;
  return rounded ? std::max<int64_t>(16, size / 16 * 16) : std::max<int64_t>(1, size);
}

}  // namespace

std::span<const ShapeSet> shape_sets() {
  return kSets;
}

Result<std::vector<Shape>> shapes_of_set(std::string_view name, DType dtype) {
  std::vector<Shape> shapes;
  if (name == "reference" || name == "all") append(kReference, dtype, shapes);
  if (name == "models" || name == "all") append(kModels, dtype, shapes);
  if (name == "quick") append(kQuick, dtype, shapes);
  if (name == "transposes") append(kStored, dtype, shapes);
  if (!shapes.empty()) return shapes;
  std::string known;
  for (const ShapeSet& set : kSets) known += (known.empty() ? "" : ", ") + std::string(set.name);
  return invalid_argument("no set of shapes is called '" + std::string(name) + "'; there are " +
                          known);
}

Result<std::vector<Shape>> parse_shapes(std::istream& text, std::string_view file_name,
                                        DType dtype) {
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    Result<Shape> shape = parse_line(content, dtype);
    if (!shape.ok()) {
      return invalid_argument(std::string(file_name) + ":" + std::to_string(number) + ": " +
                              shape.status().message());
    }
    shapes.push_back(std::move(shape).take());
  }
  if (shapes.empty()) {
    return invalid_argument(std::string(file_name) +
                            " holds no shape; write one m,n,k or problem text per line");
  }
  return shapes;
}

Result<std::vector<Shape>> read_shapes_file(const std::string& path, DType dtype) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read the shapes file " + path);
  return parse_shapes(file, path, dtype);
}

std::vector<Shape> random_shapes(std::size_t count, std::uint64_t seed, DType dtype) {
  constexpr double kMostFlops = 2e9;
  Random random(seed);
  std::vector<Shape> shapes;
  while (shapes.size() < count) {
    const int64_t m = random_size(random);
    const int64_t n = random_size(random);
    const int64_t k = random_size(random);
    const Shape shape = shape_of(Row{nullptr, m, n, k}, dtype);
    if (shape.problem.flops() <= kMostFlops) shapes.push_back(shape);
  }
  return shapes;
}

std::string_view transposes_of(const Problem& problem) {
  return kTransposes[(problem.a_transposed ? 2u : 0u) + (problem.b_transposed ? 1u : 0u)];
}

std::string display_name(const Shape& shape) {
  if (shape.label.empty()) return to_string(shape.problem);
  const std::string_view transposes = transposes_of(shape.problem);
  return transposes == "nn" ? shape.label : shape.label + " " + std::string(transposes);
}

Shape with_transposes(const Shape& shape, std::string_view transposes) {
  Shape stored = shape;
  stored.problem.a_transposed = transposes.starts_with('t');
  stored.problem.b_transposed = transposes.ends_with('t');
  stored.problem.make_tight();
  return stored;
}

bool is_tiny(const Problem& problem) {
  return problem.flops() < kTinyFlops;
}

}  // namespace triode::bench
