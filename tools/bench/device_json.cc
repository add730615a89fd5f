// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/device_json.h"

#include <nlohmann/json.hpp>

namespace triode::bench {
namespace {

using Json = nlohmann::ordered_json;

Json clock_figure(double mhz) {
  return mhz > 0 ? Json(mhz) : Json(nullptr);
}

}  // namespace

Json device_json(const Target& target, double mhz_begin, double mhz_end) {
  return {{"name", target.device},
          {"isa", target.isa},
          {"toolchain", target.toolchain},
          {"cores", target.cores},
          {"l1_bytes", target.l1_bytes},
          {"l2_bytes", target.l2_bytes},
          {"l3_bytes", target.l3_bytes},
          {"clock_mhz_begin", clock_figure(mhz_begin)},
          {"clock_mhz_end", clock_figure(mhz_end)}};
}

}  // namespace triode::bench
