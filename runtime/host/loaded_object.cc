// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/loaded_object.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/host/visit_objects.h"

namespace triode::host {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

size_t padded(size_t size_bytes) {
  return (size_bytes + 3) & ~size_t{3};
}

// The GNU build id among the notes of one segment; empty if it is not there.
std::string build_id_in(std::span<const unsigned char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const size_t content = padded(note.n_namesz);
    if (content > notes.size() || note.n_descsz > notes.size() - content) return {};
    const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes.data(), "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) {
      return hexadecimal(notes.subspan(content, note.n_descsz));
    }
    notes = notes.subspan(std::min(notes.size(), content + padded(note.n_descsz)));
  }
  return {};
}

// The loader gives addresses as numbers.
const unsigned char* address_of(ElfW(Addr) number) {
  return reinterpret_cast<const unsigned char*>(number);  // NOLINT(performance-no-int-to-ptr)
}

const unsigned char* mapped(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  return address_of(object.dlpi_addr + segment.p_vaddr);
}

bool holds(const dl_phdr_info& object, const unsigned char* address) {
  const std::span segments(object.dlpi_phdr, object.dlpi_phnum);
  return std::any_of(segments.begin(), segments.end(), [&](const auto& segment) {
    return segment.p_type == PT_LOAD && address >= mapped(object, segment) &&
           address < mapped(object, segment) + segment.p_memsz;
  });
}

LoadedObject describe(const dl_phdr_info& object) {
  LoadedObject described{object.dlpi_name, "", address_of(object.dlpi_addr)};
  for (const auto& segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE || !described.build_id.empty()) continue;
    described.build_id = build_id_in({mapped(object, segment), segment.p_memsz});
  }
  return described;
}

}  // namespace

std::optional<LoadedObject> object_at(const void* address) {
  std::optional<LoadedObject> found;
  visit_loaded_objects([&](const dl_phdr_info& object) {
    if (holds(object, static_cast<const unsigned char*>(address))) found = describe(object);
    return found.has_value();
  });
  return found;
}

std::string LoadedObject::identity() const {
  std::string name = path.empty() ? "program" : path.substr(path.rfind('/') + 1);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isgraph(c) == 0; }, '_');
  return build_id.empty() ? name : name + ' ' + build_id;
}

}  // namespace triode::host
