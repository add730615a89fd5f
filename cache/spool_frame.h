// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/keyed_trial.h"
#include "core/status.h"

namespace triode {

// The bytes of a spool: frames of four letters, the length and the CRC-32 of what follows (32 bits
// each, little-endian), and a msgpack array of trials. Pure functions, for any thread.

// kInvalidArgument for trials whose times are not finite.
Result<std::string> encode_frame(std::span<const KeyedTrial> trials);

// What stands at the beginning of some bytes.
struct FramePart {
  size_t size_bytes = 0;           // of the frame, or of the damage before the next whole frame
  std::vector<KeyedTrial> trials;  // of the frame
  std::string damage;              // the reason, if these bytes are no frame; empty: they are
};

// `bytes` is not empty. Passes over what was cut off or changed, up to the next whole frame.
FramePart next_frame(std::string_view bytes);

}  // namespace triode
