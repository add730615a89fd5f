// SPDX-License-Identifier: Apache-2.0
#include "tests/virtual_gpu/ptx_entry_parser.h"

#include <algorithm>

#include "tests/virtual_gpu/ptx_body_parser.h"
#include "tests/virtual_gpu/value_type.h"

namespace triode::vgpu {
namespace {

// More than any device has, and little enough for sizes to be added without care.
constexpr uint64_t kMostVariableBytes = 1u << 30;
constexpr uint64_t kMostParameterBytes = 32764;

uint64_t read_alignment(TokenStream& in) {
  const uint64_t alignment = in.number();
  if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)) != 0) {
    in.fail("an alignment must be a power of two, at most 4096");
  }
  return alignment;
}

// Attributes of a variable or parameter.
struct Attributes {
  uint64_t element_bytes = 0;
  uint64_t alignment = 1;
};

Attributes read_attributes(TokenStream& in) {
  Attributes attributes;
  while (in.peek().starts_with(".")) {
    const std::string_view word = in.next();
    if (word == ".align") {
      attributes.alignment = read_alignment(in);
    } else if (word == ".ptr") {  // what a pointer points to, for the driver's optimiser
      while (in.peek().starts_with(".")) {
        if (in.next() == ".align") read_alignment(in);
      }
    } else if (const int bits = parse_value_type(word.substr(1)).bits; bits >= 8) {
      attributes.element_bytes = static_cast<uint64_t>(bits) / 8;
    } else {
      in.fail("unsupported attribute \"" + std::string(word) + "\"");
    }
  }
  if (attributes.element_bytes == 0) in.fail("a type is missing");
  attributes.alignment = std::max(attributes.alignment, attributes.element_bytes);
  return attributes;
}

// "[4][8]" is 32; nothing is 1; "[]" is 0.
uint64_t read_element_count(TokenStream& in) {
  uint64_t count = 1;
  while (in.accept("[")) {
    const uint64_t length = in.peek() == "]" ? 0 : in.number();
    if (length > kMostVariableBytes || count * length > kMostVariableBytes) in.fail("too large");
    count *= length;
    in.expect("]");
  }
  return count;
}

void read_parameters(TokenStream& in, Entry& entry) {
  if (!in.accept("(")) return;
  while (!in.accept(")")) {
    in.expect(".param");
    const Attributes attributes = read_attributes(in);
    Parameter parameter;
    parameter.name = in.next();
    const uint64_t size = read_element_count(in) * attributes.element_bytes;
    if (entry.parameter_bytes + size > kMostParameterBytes) in.fail("too many parameter bytes");
    parameter.size_bytes = static_cast<uint32_t>(size);
    parameter.alignment = static_cast<uint32_t>(attributes.alignment);
    parameter.offset =
        (entry.parameter_bytes + parameter.alignment - 1) & ~(parameter.alignment - 1);
    entry.parameter_bytes = parameter.offset + parameter.size_bytes;
    entry.parameters.push_back(parameter);
    if (in.peek() != ")") in.expect(",");
  }
}

std::array<uint32_t, 3> read_dimensions(TokenStream& in) {
  std::array<uint32_t, 3> dimensions = {1, 1, 1};
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const uint64_t size = in.number();
    if (size == 0 || size > 1024) in.fail("a dimension of a block is from 1 to 1024");
    dimensions[i] = static_cast<uint32_t>(size);
    if (!in.accept(",")) break;
  }
  return dimensions;
}

void read_limits(TokenStream& in, Entry& entry) {
  while (in.peek() != "{") {
    const std::string_view word = in.next();
    if (word == ".reqntid") {
      entry.required_threads = read_dimensions(in);
    } else if (word == ".maxntid") {
      const auto dimensions = read_dimensions(in);
      entry.most_threads = dimensions[0] * dimensions[1] * dimensions[2];
    } else if (word == ".minnctapersm" || word == ".maxnreg") {
      in.number();
    } else {
      in.fail("unsupported entry directive \"" + std::string(word) + "\"");
    }
  }
}

}  // namespace

Variable parse_variable(TokenStream& in) {
  const Attributes attributes = read_attributes(in);
  Variable variable;
  variable.name = in.next();
  variable.alignment = attributes.alignment;
  variable.size_bytes = read_element_count(in) * attributes.element_bytes;
  if (variable.size_bytes > kMostVariableBytes) in.fail("too large");
  in.expect(";");  // so initial values are refused
  return variable;
}

Entry parse_entry(TokenStream& in) {
  Entry entry;
  entry.name = in.next();
  read_parameters(in, entry);
  read_limits(in, entry);
  parse_body(in, entry);
  return entry;
}

}  // namespace triode::vgpu
