// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/vllm_file_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace triode::exchange {
namespace {

// Cut at the commas outside brackets: block_shape=[128,128] is one part.
std::vector<std::string_view> split_name(std::string_view name) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    if (i == name.size() || (name[i] == ',' && depth == 0)) {
      parts.push_back(name.substr(start, i - start));
      start = i + 1;
    } else if (name[i] == '[') {
      ++depth;
    } else if (name[i] == ']') {
      --depth;
    }
  }
  return parts;
}

bool read_size(std::string_view text, int64_t& size) {
  const char* end = text.data() + text.size();
  const auto answer = std::from_chars(text.data(), end, size);
  return !text.empty() && answer.ec == std::errc() && answer.ptr == end && size > 0 &&
         size <= INT32_MAX;
}

bool read_part(std::string_view part, VllmFileName& name) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view field = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (field == "E") return read_size(value, name.experts);
  if (field == "N") return read_size(value, name.n);
  if (field == "K") return read_size(value, name.k);
  if (field == "device_name") {
    name.device = value;
    std::replace(name.device.begin(), name.device.end(), '_', ' ');
  } else if (field == "dtype") {
    name.types = value;
  }
  // Others (block_shape, per_channel_quant, ...) stay in the name, which is kept whole.
  return !value.empty();
}

}  // namespace

Result<VllmFileName> parse_vllm_file_name(std::string_view base_name) {
  constexpr std::string_view kEnd = ".json";
  VllmFileName name;
  bool is_right = base_name.ends_with(kEnd);
  if (is_right) {
    for (const std::string_view part :
         split_name(base_name.substr(0, base_name.size() - kEnd.size()))) {
      is_right = is_right && read_part(part, name);
    }
  }
  if (!is_right || name.n == 0 || name.device.empty() || (name.experts == 0 && name.k == 0)) {
    return invalid_argument(
        "the name does not say device and shape, as in "
        "\"N=2048,K=512,device_name=NVIDIA_H200,dtype=fp8_w8a8.json\" or "
        "\"E=8,N=7168,device_name=NVIDIA_H200.json\"");
  }
  return name;
}

std::string triton_of_folder(std::string_view name) {
  constexpr std::string_view kStart = "triton_";
  name = name.substr(0, std::min(name.rfind('/'), name.size()));
  const std::string_view folder = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  if (!folder.starts_with(kStart)) return "";
  std::string version(folder.substr(kStart.size()));
  if (version.find_first_not_of("0123456789_") != std::string::npos) return "";
  std::replace(version.begin(), version.end(), '_', '.');
  return version;
}

std::optional<VllmTypes> vllm_types(std::string_view types) {
  constexpr std::array<std::pair<std::string_view, VllmTypes>, 5> kKnown{{
      {"", {DType::kBF16, DType::kBF16, DType::kBF16}},
      {"fp8_w8a8", {DType::kF8E4M3, DType::kF8E4M3, DType::kBF16}},
      {"fp8_w8a16", {DType::kBF16, DType::kF8E4M3, DType::kBF16}},
      {"int8_w8a8", {DType::kI8, DType::kI8, DType::kBF16}},
      {"int8_w8a16", {DType::kBF16, DType::kI8, DType::kBF16}},
  }};
  for (const auto& [name, known] : kKnown) {
    if (name == types) return known;
  }
  return std::nullopt;
}

}  // namespace triode::exchange
