// SPDX-License-Identifier: Apache-2.0
// The bytes of a compiled kernel: a magic word, the fields in order of declaration, and a checksum
// of all of it. Numbers are little-endian, texts have their length ahead.
#include <cstring>

#include "core/crc32.h"
#include "jit/cuda/triton_kernel.h"

namespace triode::cuda {
namespace {

// The last digit is the version: another layout is another magic word.
constexpr std::string_view kMagic = "TRTK0001";
constexpr size_t kChecksumBytes = sizeof(uint32_t);

class Writer {
 public:
  void number(uint32_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    bytes_ += value;
  }
  void raw(std::string_view value) { bytes_ += value; }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  uint32_t number() {
    uint32_t value = 0;
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  // Whether all was there, and nothing else.
  bool is_finished() const { return is_whole_ && left_.empty(); }
  bool is_whole() const { return is_whole_; }

 private:
  std::string_view take(size_t size) {
    if (size > left_.size()) {
      is_whole_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
  bool is_whole_ = true;
};

void write_function(const TritonFunction& function, Writer& writer) {
  writer.text(function.entry);
  for (const uint32_t number :
       {function.threads, function.shared_bytes, function.registers, function.spill_bytes,
        function.scratch_bytes, static_cast<uint32_t>(function.block_m),
        static_cast<uint32_t>(function.block_n), static_cast<uint32_t>(function.splits),
        static_cast<uint32_t>(function.is_persistent),
        static_cast<uint32_t>(function.parameters.size())}) {
    writer.number(number);
  }
  for (const TritonParameter& parameter : function.parameters) {
    writer.number(static_cast<uint32_t>(parameter.role));
    writer.number(parameter.offset);
    writer.number(parameter.bytes);
  }
  writer.text(function.ptx);
  writer.text(function.cubin);
}

TritonFunction read_function(Reader& reader) {
  TritonFunction function;
  function.entry = reader.text();
  for (uint32_t* number : {&function.threads, &function.shared_bytes, &function.registers,
                           &function.spill_bytes, &function.scratch_bytes}) {
    *number = reader.number();
  }
  function.block_m = static_cast<int32_t>(reader.number());
  function.block_n = static_cast<int32_t>(reader.number());
  function.splits = static_cast<int32_t>(reader.number());
  function.is_persistent = reader.number() != 0;
  const uint32_t count = reader.number();
  for (uint32_t i = 0; i < count && reader.is_whole(); ++i) {
    const auto role = static_cast<TritonRole>(reader.number());
    const uint32_t offset = reader.number();
    function.parameters.push_back({role, offset, reader.number()});
  }
  function.ptx = reader.text();
  function.cubin = reader.text();
  return function;
}

// Whether it can be launched without harm. Damage is found by the checksum; this is for bytes that
// another program wrote.
bool is_sound(const TritonFunction& function) {
  constexpr uint32_t kMostOffset = 32 * 1024;
  for (const TritonParameter& each : function.parameters) {
    if (static_cast<size_t>(each.role) >= kTritonRoles || each.offset > kMostOffset ||
        each.bytes > sizeof(uint64_t)) {
      return false;
    }
  }
  return function.block_m > 0 && function.block_n > 0 && function.splits > 0;
}

Status damaged(const std::string& what) {
  return corrupt("a stored Triton kernel " + what + "; compile it again");
}

}  // namespace

std::string serialise(const TritonKernel& kernel) {
  Writer writer;
  writer.raw(kMagic);
  writer.text(kernel.toolchain);
  writer.number(static_cast<uint32_t>(kernel.functions.size()));
  for (const TritonFunction& function : kernel.functions) write_function(function, writer);
  writer.number(crc32(writer.bytes()));
  return std::move(writer.bytes());
}

Result<TritonKernel> deserialise_triton_kernel(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return damaged("is of another version, or none at all");
  if (bytes.size() < kMagic.size() + kChecksumBytes) return damaged("is cut off");
  const std::string_view content = bytes.substr(0, bytes.size() - kChecksumBytes);
  uint32_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + content.size(), sizeof checksum);
  if (checksum != crc32(content)) return damaged("does not match its checksum");
  Reader reader(content.substr(kMagic.size()));
  TritonKernel kernel;
  kernel.toolchain = reader.text();
  const uint32_t count = reader.number();
  for (uint32_t i = 0; i < count && reader.is_whole(); ++i) {
    kernel.functions.push_back(read_function(reader));
    if (reader.is_whole() && !is_sound(kernel.functions.back())) {
      return damaged("holds numbers that no kernel has");
    }
  }
  if (!reader.is_finished()) return damaged("has another length than its fields");
  return kernel;
}

}  // namespace triode::cuda
