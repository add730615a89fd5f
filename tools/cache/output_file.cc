// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cache/exchange/gzip.h"

namespace triode::cache_tool {

Status write_output(const std::string& path, std::string_view bytes) {
  std::string packed;
  if (path.ends_with(".gz")) {
    packed = TRIODE_TRY(exchange::deflate_gzip(bytes));
    bytes = packed;
  }
  const std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) {
    return unavailable("cannot write " + temporary + ": " + std::strerror(errno));
  }
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int write_error = errno;
  const bool is_closed = std::fclose(file) == 0;
  const int close_error = errno;
  if (is_written && is_closed && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int error = !is_written ? write_error : !is_closed ? close_error : errno;
  std::remove(temporary.c_str());
  std::string text = "cannot write " + path + ": " + std::strerror(error);
  return error == ENOSPC ? resource_exhausted(std::move(text)) : unavailable(std::move(text));
}

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    name += static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '\\' ? '_' : c;
  }
  if (name.size() > 200) name.resize(200);
  return name.empty() || name[0] == '.' ? "_" + name : name;
}

}  // namespace triode::cache_tool
