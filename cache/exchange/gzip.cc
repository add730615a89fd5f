// SPDX-License-Identifier: Apache-2.0
#include "cache/exchange/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace triode::exchange {
namespace {

// zlib's word for "the largest window, with a gzip header".
constexpr int kGzipWindow = 15 + 16;

// zlib counts in 32 bits, which the limit on files stays far below.
uInt size_of(std::string_view bytes) {
  return static_cast<uInt>(std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
}

Bytef* bytes_of(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
}

// An inflater that frees itself.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) {
    stream_.next_in = bytes_of(bytes);
    stream_.avail_in = size_of(bytes);
    is_ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }

  bool is_ready() const { return is_ready_; }
  bool has_input() const { return stream_.avail_in > 0; }
  bool start_member() { return inflateReset(&stream_) == Z_OK; }

  // Appends one piece; Z_OK, Z_STREAM_END, or an error of zlib's.
  int step(std::string& out) {
    char piece[size_t{1} << 16];
    stream_.next_out = reinterpret_cast<Bytef*>(piece);
    stream_.avail_out = sizeof piece;
    const int answer = inflate(&stream_, Z_NO_FLUSH);
    out.append(piece, sizeof piece - stream_.avail_out);
    return answer;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> inflate_gzip(std::string_view bytes, size_t most_bytes) {
  Inflater inflater(bytes);
  if (!inflater.is_ready()) return resource_exhausted("no memory to inflate gzip");
  std::string out;
  for (;;) {
    const int answer = inflater.step(out);
    if (out.size() > most_bytes) {
      return invalid_argument("inflates to more than " + std::to_string(most_bytes >> 20) + " MiB");
    }
    if (answer == Z_STREAM_END) {
      if (!inflater.has_input()) return out;
      if (!inflater.start_member()) return resource_exhausted("no memory to inflate gzip");
    } else if (answer == Z_BUF_ERROR) {
      return invalid_argument("the gzip file is cut short");
    } else if (answer != Z_OK) {
      return invalid_argument("the gzip file is damaged");
    }
  }
}

std::string inflate_beginning(std::string_view bytes, size_t most_bytes) {
  Inflater inflater(bytes);
  std::string out;
  if (!inflater.is_ready()) return out;
  while (out.size() < most_bytes && inflater.step(out) == Z_OK) {
  }
  out.resize(std::min(out.size(), most_bytes));
  return out;
}

Result<std::string> deflate_gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return resource_exhausted("no memory to deflate");
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = bytes_of(bytes);
  stream.avail_in = size_of(bytes);
  stream.next_out = bytes_of(out);
  stream.avail_out = size_of(out);
  const int answer = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (answer != Z_STREAM_END) return internal_error("zlib did not finish a gzip file");
  return out;
}

}  // namespace triode::exchange
