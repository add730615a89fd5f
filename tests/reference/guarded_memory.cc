// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace triode {
namespace {

// Not a value any fill makes, and as a float or double a tiny number rather than a likely one.
constexpr std::byte kSlackPattern{0xA5};

size_t page_bytes() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t round_up_to_pages(size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

[[noreturn]] void fail(const char* call) {
  std::perror(call);
  std::abort();
}

std::string bytes_text(uintptr_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

}  // namespace

std::string to_string(Guard guard) {
  return guard == Guard::kAfterEnd ? "guard after the end" : "guard before the start";
}

GuardedMemory::GuardedMemory(size_t size_bytes, Guard guard, size_t offset_bytes)
    : mapping_(nullptr, Unmap{round_up_to_pages(size_bytes + offset_bytes) + 2 * page_bytes()}),
      data_(nullptr),
      size_bytes_(size_bytes) {
  const size_t mapped_bytes = mapping_.get_deleter().size_bytes;
  void* address = mmap(nullptr, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) fail("mmap of guarded memory");
  mapping_.reset(static_cast<std::byte*>(address));
  allow_writes();
  std::fill(writable_begin(), writable_end(), kSlackPattern);
  data_ = guard == Guard::kAfterEnd ? writable_end() - offset_bytes - size_bytes
                                    : writable_begin() + offset_bytes;
}

void GuardedMemory::Unmap::operator()(std::byte* mapping) const {
  munmap(mapping, size_bytes);
}

std::byte* GuardedMemory::writable_begin() const {
  return mapping_.get() + page_bytes();
}

std::byte* GuardedMemory::writable_end() const {
  return mapping_.get() + mapping_.get_deleter().size_bytes - page_bytes();
}

void GuardedMemory::forbid_writes() {
  const auto size = static_cast<size_t>(writable_end() - writable_begin());
  if (mprotect(writable_begin(), size, PROT_READ) != 0) fail("mprotect of guarded memory");
}

void GuardedMemory::allow_writes() {
  const auto size = static_cast<size_t>(writable_end() - writable_begin());
  if (mprotect(writable_begin(), size, PROT_READ | PROT_WRITE) != 0) {
    fail("mprotect of guarded memory");
  }
}

bool GuardedMemory::slack_is_intact() const {
  const auto is_pattern = [](std::byte value) { return value == kSlackPattern; };
  return std::all_of(writable_begin(), data_, is_pattern) &&
         std::all_of(data_ + size_bytes_, writable_end(), is_pattern);
}

bool GuardedMemory::is_near(uintptr_t address) const {
  const auto begin = reinterpret_cast<uintptr_t>(mapping_.get());
  return address >= begin && address - begin < mapping_.get_deleter().size_bytes;
}

std::string GuardedMemory::locate(uintptr_t address) const {
  const auto begin = reinterpret_cast<uintptr_t>(data_);
  const uintptr_t end = begin + size_bytes_;
  if (address < begin) return bytes_text(begin - address) + " before the start";
  if (address >= end) return bytes_text(address - end) + " past the end";
  return "at byte " + std::to_string(address - begin);
}

}  // namespace triode
