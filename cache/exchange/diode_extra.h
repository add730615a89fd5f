// SPDX-License-Identifier: Apache-2.0
// Internal to the cache.
#pragma once

namespace triode::exchange {

// Names of diode's in ExchangeRow::extra. Each is set only where the file would come out different
// without.
inline constexpr const char* kDiodeShape = "diode.shape";    // the shape's text
inline constexpr const char* kDiodeTime = "diode.time";      // the time's digits
inline constexpr const char* kDiodeLegacy = "diode.legacy";  // names beside, configs as texts

inline constexpr double kNsPerMs = 1e6;

}  // namespace triode::exchange
