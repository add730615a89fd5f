// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode {

// Copies of a call's operands to be used in turn, and a way to push all of them out of every cache,
// so that each call of a sample finds its operands in memory. Rotation alone would need more copies
// than the last level of cache holds, which on servers is hundreds of megabytes; flushing needs
// only as many as one sample has calls. Not thread-safe.
class ColdOperands {
 public:
  // As many copies as calls that start cold fit in `sample_ns`, estimated from below, so that short
  // calls can share a sample. The first "copy" is the caller's memory itself.
  static Result<ColdOperands> make(const Problem& problem, const Operands& operands,
                                   double sample_ns);

  int count() const { return static_cast<int>(copies_.size()); }

  // The next copy in turn. After evict(), count() calls of this give operands that are in no cache.
  const Operands& next() {
    const Operands& operands = copies_[next_];
    next_ = next_ + 1 == copies_.size() ? 0 : next_ + 1;
    return operands;
  }

  // About a nanosecond per 10 bytes.
  void evict();

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Region {
    const void* address;
    size_t size_bytes;
  };

  std::vector<std::unique_ptr<void, Free>> memory_;
  std::vector<Operands> copies_;
  std::vector<Region> regions_;
  size_t next_ = 0;
};

}  // namespace triode
