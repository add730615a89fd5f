// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace triode {

// A device and the toolchain that makes code for it: what decides whether an old timing still
// counts. Equal targets give comparable times.
struct Target {
  std::string device;     // marketing name, as the device reports it
  std::string isa;        // "avx2", "avx512", "sm_80"
  std::string toolchain;  // code generator and its version, ours included: "asmjit 1.9 emitter 3"
  std::string driver;     // empty on a cpu
  int32_t cores = 0;      // cores this process may use, or multiprocessors
  int64_t l1_bytes = 0;   // per core, data
  int64_t l2_bytes = 0;   // per core; a gpu's whole second level
  int64_t l3_bytes = 0;   // shared; 0 if there is none

  bool operator==(const Target&) const = default;

  // One line that holds every field, for keys and reports: fields joined by '|', in declaration
  // order.
  std::string fingerprint() const;

  // The same without toolchain and driver: what stays when the machine is updated.
  std::string device_identity() const;
};

}  // namespace triode
