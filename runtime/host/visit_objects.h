// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <new>

#include "runtime/host/without_memory.h"

namespace triode::host {

// Calls visit(object) for each object of the process, under the loader's lock, until one gives
// true. It may throw std::bad_alloc, which comes out of here: through the C library's own frames it
// must not pass, whose cleanup belongs to another copy of the unwinder than ours.
template <typename Visit>
void visit_loaded_objects(const Visit& visit) {
  struct Visitor {
    const Visit& visit;
    bool has_memory = true;
  };
  Visitor visitor{visit};
  const auto call = [](dl_phdr_info* object, size_t, void* context) {
    auto& self = *static_cast<Visitor*>(context);
    enum Answer { kGoOn, kStop, kNoMemory };
    const Answer answer =
        or_without_memory([&] { return self.visit(*object) ? kStop : kGoOn; }, kNoMemory);
    self.has_memory = answer != kNoMemory;
    return static_cast<int>(answer);
  };
  dl_iterate_phdr(call, &visitor);
  if (!visitor.has_memory) throw std::bad_alloc();
}

}  // namespace triode::host
