// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/source_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "cache/exchange/gzip.h"

namespace triode::exchange {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// The file, or its beginning: a piece more than `most` at the most.
Result<std::string> read_bytes(const std::string& path, size_t most) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  const auto refuse = [&](int error) {
    std::string text = "cannot read " + path + ": " + std::strerror(error);
    return error == ENOENT ? not_found(std::move(text)) : unavailable(std::move(text));
  };
  if (file == nullptr) return refuse(errno);
  std::string bytes;
  std::string piece(std::min(most, size_t{1} << 20), '\0');
  while (const size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    bytes.append(piece, 0, count);
    if (bytes.size() > most) return bytes;
  }
  if (std::ferror(file.get()) != 0) return refuse(errno);
  return bytes;
}

std::string name_inflated(const std::string& path) {
  return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
}

// A file of text has no zero byte in its beginning.
bool is_text(std::string_view bytes) {
  const std::string_view beginning = bytes.substr(0, 4096);
  return std::none_of(beginning.begin(), beginning.end(),
                      [](char c) {
                        const auto byte = static_cast<unsigned char>(c);
                        return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t';
                      }) &&
         (bytes.empty() || static_cast<unsigned char>(bytes[0]) < 0x80);
}

}  // namespace

Result<SourceFile> SourceFile::read(const std::string& path) {
  std::string bytes = TRIODE_TRY(read_bytes(path, kMostBytes));
  if (bytes.size() > kMostBytes) {
    return invalid_argument(path + " is larger than " + std::to_string(kMostBytes >> 20) +
                            " MiB, the most that can be imported at once; split it");
  }
  if (!is_gzip(bytes)) return SourceFile(path, std::move(bytes));
  Result<std::string> inflated = inflate_gzip(bytes, kMostBytes);
  if (!inflated.ok()) return invalid_argument(path + ": " + inflated.status().message());
  return SourceFile(name_inflated(path), std::move(inflated).take());
}

Result<SourceFile> SourceFile::read_beginning(const std::string& path) {
  std::string bytes = TRIODE_TRY(read_bytes(path, kBeginningBytes));
  if (!is_gzip(bytes)) {
    bytes.resize(std::min(bytes.size(), kBeginningBytes));
    return SourceFile(path, std::move(bytes));
  }
  return SourceFile(name_inflated(path), inflate_beginning(bytes, kBeginningBytes));
}

std::string SourceFile::base_name() const {
  return name_.substr(name_.rfind('/') + 1);
}

Status SourceFile::error_at(size_t offset, std::string_view message) const {
  offset = std::min(offset, bytes_.size());
  if (!is_text(bytes_)) {
    return invalid_argument(name_ + ", byte " + std::to_string(offset) + ": " +
                            std::string(message));
  }
  const std::string_view before = std::string_view(bytes_).substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return invalid_argument(name_ + ", line " + std::to_string(line) + ", column " +
                          std::to_string(offset - line_start + 1) + ": " + std::string(message));
}

Status SourceFile::error_in_line(int64_t line, std::string_view message) const {
  return invalid_argument(name_ + ", line " + std::to_string(line) + ": " + std::string(message));
}

Status SourceFile::error(std::string_view message) const {
  return invalid_argument(name_ + ": " + std::string(message));
}

}  // namespace triode::exchange
