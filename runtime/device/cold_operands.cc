// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cold_operands.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

namespace triode {
namespace {

constexpr size_t kCacheLineBytes = 64;
constexpr size_t kPageBytes = 4096;

// A call on operands in memory takes at least one round trip to it, and the time the bytes take to
// come: less than any machine of today needs for either. Too low gives copies that no sample uses.
constexpr double kMemoryLatencyNs = 50;
constexpr double kMemoryBytesPerNs = 50;
constexpr double kMaxCopies = 512;

// From the first element to just past the last one.
size_t extent_bytes(int64_t rows, int64_t columns, int64_t ld, int64_t batch, int64_t stride,
                    DType dtype) {
  if (rows == 0 || columns == 0 || batch == 0) return 0;
  const int64_t elements = (batch - 1) * stride + (rows - 1) * ld + columns;
  return static_cast<size_t>(elements * size_bytes(dtype));
}

std::array<size_t, 3> extents_of(const Problem& p) {
  const int64_t a_rows = p.a_transposed ? p.k : p.m;
  const int64_t b_rows = p.b_transposed ? p.n : p.k;
  return {extent_bytes(a_rows, p.min_lda(), p.lda, p.batch, p.a_batch_stride, p.a_type),
          extent_bytes(b_rows, p.min_ldb(), p.ldb, p.batch, p.b_batch_stride, p.b_type),
          extent_bytes(p.m, p.min_ldc(), p.ldc, p.batch, p.c_batch_stride, p.c_type)};
}

int copies_for(const std::array<size_t, 3>& extents, double sample_ns) {
  const double total_bytes = static_cast<double>(extents[0] + extents[1] + extents[2]);
  const double call_ns = kMemoryLatencyNs + total_bytes / kMemoryBytesPerNs;
  return static_cast<int>(std::clamp(std::ceil(sample_ns / call_ns), 1.0, kMaxCopies));
}

// Same bytes at the same place within a page, so that alignment and conflicts in the caches stay.
void* place_copy(void* memory, const void* original, size_t size_bytes) {
  const size_t offset = reinterpret_cast<uintptr_t>(original) % kPageBytes;
  void* const copy = static_cast<std::byte*>(memory) + offset;
  if (size_bytes > 0) std::memcpy(copy, original, size_bytes);
  return copy;
}

size_t room_for(size_t size_bytes) {
  return (size_bytes + 2 * kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

Result<ColdOperands> ColdOperands::make(const Problem& problem, const Operands& operands,
                                        double sample_ns) {
  const std::array<size_t, 3> extents = extents_of(problem);
  const std::array<const void*, 3> originals{operands.a, operands.b, operands.c};
  const int count = copies_for(extents, sample_ns);
  ColdOperands cold;
  for (int copy = 0; copy < count; ++copy) {
    std::array<const void*, 3> placed = originals;
    for (size_t i = 0; i < 3; ++i) {
      if (copy > 0) {
        cold.memory_.emplace_back(std::aligned_alloc(kPageBytes, room_for(extents[i])));
        if (cold.memory_.back() == nullptr) {
          return resource_exhausted("No memory for " + std::to_string(count) +
                                    " copies of the operands of a cold timing of " +
                                    to_string(problem) + "; time it warm, or free memory.");
        }
        placed[i] = place_copy(cold.memory_.back().get(), originals[i], extents[i]);
      }
      cold.regions_.push_back({placed[i], extents[i]});
    }
    cold.copies_.push_back(
        {placed[0], placed[1], const_cast<void*>(placed[2]), operands.alpha, operands.beta});
  }
  return cold;
}

void ColdOperands::evict() {
  for (const Region& region : regions_) {
    const auto* const begin = static_cast<const std::byte*>(region.address);
    // From the start of the first line, so that the last one is met too.
    const size_t lead = reinterpret_cast<uintptr_t>(begin) % kCacheLineBytes;
    const size_t span = region.size_bytes == 0 ? 0 : region.size_bytes + lead;
    for (size_t offset = 0; offset < span; offset += kCacheLineBytes) {
      _mm_clflush(begin - lead + offset);
    }
  }
  _mm_mfence();
  next_ = 0;
}

}  // namespace triode
