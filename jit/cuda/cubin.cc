// SPDX-License-Identifier: Apache-2.0
#include "jit/cuda/cubin.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string>

namespace triode::cuda {
namespace {

// Attributes, as `cuobjdump -elf` names them.
enum Attribute : uint8_t {
  kReqNtId = 0x10,     // EIATTR_REQNTID: three sizes of a block
  kFrameSize = 0x11,   // EIATTR_FRAME_SIZE: symbol, bytes
  kKParamInfo = 0x17,  // EIATTR_KPARAM_INFO: index, ordinal and offset, and size from bit 18 on
  kRegCount = 0x2f,    // EIATTR_REGCOUNT: symbol, registers
};
// How the value of an attribute is stored. In all but the last, within the attribute's own word.
constexpr uint8_t kSizedValue = 4;  // EIFMT_SVAL: the word holds the length of what follows

Status not_a_cubin(const std::string& why) {
  return corrupt("not a cubin: " + why + "; compile the kernel again");
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// A text that ends with a null byte. Empty if it does not.
std::string_view text_at(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  const size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

class Sections {
 public:
  static Result<Sections> open(std::string_view bytes) {
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_CUDA) {
      return not_a_cubin("the header is not that of a 64-bit ELF file for CUDA");
    }
    const uint64_t segments_end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
    if (header->e_phnum > 0 && segments_end > bytes.size()) return not_a_cubin("it is cut off");
    Sections sections;
    sections.bytes_ = bytes;
    for (uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read_at<Elf64_Shdr>(bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section || !sections.holds(*section)) {
        return not_a_cubin("its sections go beyond its end");
      }
      sections.headers_.push_back(*section);
    }
    if (header->e_shstrndx >= sections.headers_.size())
      return not_a_cubin("its sections have no names");
    sections.names_ = sections.contents(sections.headers_[header->e_shstrndx]);
    return sections;
  }

  // Empty for one that is not there, or takes no room in the file.
  std::string_view find(std::string_view name) const {
    for (const Elf64_Shdr& header : headers_) {
      if (text_at(names_, header.sh_name) == name) return contents(header);
    }
    return {};
  }

 private:
  bool holds(const Elf64_Shdr& header) const {
    return header.sh_type == SHT_NOBITS || (header.sh_offset <= bytes_.size() &&
                                            header.sh_size <= bytes_.size() - header.sh_offset);
  }
  std::string_view contents(const Elf64_Shdr& header) const {
    return header.sh_type == SHT_NOBITS ? std::string_view()
                                        : bytes_.substr(header.sh_offset, header.sh_size);
  }

  std::string_view bytes_;
  std::string_view names_;
  std::vector<Elf64_Shdr> headers_;
};

// Calls visit(attribute, value) for each attribute of an .nv.info section that has bytes of its
// own.
template <typename Visit>
bool for_each_attribute(std::string_view info, Visit visit) {
  while (!info.empty()) {
    const auto format = read_at<uint8_t>(info, 0);
    const auto attribute = read_at<uint8_t>(info, 1);
    const auto size = read_at<uint16_t>(info, 2);
    if (!size) return false;
    const size_t value_bytes = *format == kSizedValue ? *size : 0;
    if (info.size() - 4 < value_bytes) return false;
    if (*format == kSizedValue) visit(*attribute, info.substr(4, value_bytes));
    info.remove_prefix(4 + value_bytes);
  }
  return true;
}

// The number that a symbol of the cubin has in its symbol table.
std::optional<uint32_t> symbol_index(const Sections& sections, std::string_view name) {
  const std::string_view symbols = sections.find(".symtab");
  const std::string_view names = sections.find(".strtab");
  for (uint64_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
    const auto symbol = read_at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
    if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && text_at(names, symbol->st_name) == name) {
      return static_cast<uint32_t>(i);
    }
  }
  return std::nullopt;
}

// Attributes of all functions, of which those of one symbol count.
bool read_shared_attributes(std::string_view info, uint32_t symbol, CubinFunction& function) {
  return for_each_attribute(info, [&](uint8_t attribute, std::string_view value) {
    const auto number = read_at<uint32_t>(value, 4);
    if (!number || read_at<uint32_t>(value, 0) != symbol) return;
    if (attribute == kRegCount) function.registers = *number;
    if (attribute == kFrameSize) function.frame_bytes = *number;
  });
}

void read_parameter(std::string_view value, CubinFunction& function) {
  constexpr size_t kMostParameters = 1024;  // a launch hands over 32 KiB at most
  const auto ordinal = read_at<uint16_t>(value, 4);
  const auto offset = read_at<uint16_t>(value, 6);
  const auto packed = read_at<uint32_t>(value, 8);
  if (!packed || *ordinal >= kMostParameters) return;
  if (function.parameters.size() <= *ordinal) function.parameters.resize(*ordinal + size_t{1});
  function.parameters[*ordinal] = {*offset, *packed >> 18};
}

bool read_own_attributes(std::string_view info, CubinFunction& function) {
  return for_each_attribute(info, [&](uint8_t attribute, std::string_view value) {
    if (attribute == kKParamInfo) read_parameter(value, function);
    if (attribute == kReqNtId) function.threads = read_at<uint32_t>(value, 0).value_or(0);
  });
}

}  // namespace

Result<CubinFunction> read_cubin(std::string_view bytes, std::string_view entry) {
  const Sections sections = TRIODE_TRY(Sections::open(bytes));
  const auto symbol = symbol_index(sections, entry);
  if (!symbol) return not_found("the cubin has no kernel \"" + std::string(entry) + "\"");
  CubinFunction function;
  const std::string own = ".nv.info." + std::string(entry);
  if (!read_shared_attributes(sections.find(".nv.info"), *symbol, function) ||
      !read_own_attributes(sections.find(own), function)) {
    return not_a_cubin("the attributes of its kernels are cut off");
  }
  if (function.registers == 0)
    return not_a_cubin("it does not say how many registers a thread has");
  return function;
}

}  // namespace triode::cuda
