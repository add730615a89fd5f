// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstddef>

// How the stand-in cuBLAS reaches the virtual device: entry points of the stand-in driver that no
// driver has.

extern "C" {

// The memory of the virtual devices, for as long as the work lasts that it is given to.
struct TriodeVgpuMemory {
  const void* self;
  // The host's address of the device's bytes; null if they are not all in one allocation.
  void* (*find)(const void* self, CUdeviceptr address, size_t size_bytes);

  void* at(CUdeviceptr address, size_t size_bytes) const { return find(self, address, size_bytes); }
};

// Has `work` done in the order of the stream, as if it took so many virtual milliseconds; while the
// stream is captured, at each launch of the graph. `context` is released when it is needed no more.
// The work may call no entry point of the driver.
CUresult triode_vgpu_enqueue(CUstream stream, double virtual_ms,
                             CUresult (*work)(void* context, TriodeVgpuMemory memory),
                             void* context, void (*release)(void* context));
}
