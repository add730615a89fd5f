// SPDX-License-Identifier: Apache-2.0
#include "runtime/tuner/byte_codec.h"

namespace triode::tuner {

void ByteWriter::write_number(uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(number >> (8 * i) & 0xff);
}

void ByteWriter::write(const std::string& text) {
  write_number(text.size(), 8);
  bytes_ += text;
}

void ByteReader::fail(const char* what) {
  if (error_ == nullptr) error_ = what;
  rest_ = {};
}

uint64_t ByteReader::read_number(int bytes) {
  if (rest_.size() < static_cast<size_t>(bytes)) {
    fail("a number");
    return 0;
  }
  uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) {
    number |= uint64_t{static_cast<unsigned char>(rest_[static_cast<size_t>(i)])} << (8 * i);
  }
  rest_.remove_prefix(static_cast<size_t>(bytes));
  return number;
}

// Every element takes a byte at least, so a length beyond the bytes that are left is a lie.
size_t ByteReader::read_length(size_t most) {
  const uint64_t length = read_number(8);
  if (length <= most && length <= rest_.size()) return static_cast<size_t>(length);
  fail("a length");
  return 0;
}

void ByteReader::read(std::string& text) {
  const size_t length = read_length(kMostTextBytes);
  text.assign(rest_.substr(0, length));
  rest_.remove_prefix(length);
}

Status ByteReader::finish() const {
  if (error_ != nullptr) {
    return corrupt(std::string("a message makes no sense: wrong bytes for ") + error_);
  }
  if (!rest_.empty()) {
    return corrupt("a message makes no sense: " + std::to_string(rest_.size()) + " bytes too many");
  }
  return {};
}

}  // namespace triode::tuner
