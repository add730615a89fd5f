// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/problem.h"
#include "core/status.h"

namespace triode::bench {

struct PeerRow;

// A BLAS library in this process. Stays loaded until the process ends: its worker threads do.
class Peer {
 public:
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const std::string& path() const { return path_; }
  // The processor whose kernels it runs; empty if the library does not tell.
  const std::string& core() const { return core_; }
  // The processor it took this one for, if that had narrower kernels and it was told to use core().
  const std::string& mistaken_core() const { return mistaken_core_; }

  bool supports(const Problem& problem) const;

  // Through the library's own call, for all its later calls.
  void set_threads(int threads) const { set_threads_(threads); }

  // The library's own function for f32.
  void* f32_gemm() const { return f32_gemm_; }

  // The product as one call of the library (a loop over the batch where it has no batched call).
  // The result may be called for as long as the operands and this peer live.
  std::function<void()> bind(const Problem& problem, const Operands& operands) const;

 private:
  friend Result<std::unique_ptr<Peer>> load_peer(std::string_view, const std::string&);
  Peer() = default;

  std::string name_;
  std::string version_;
  std::string path_;
  std::string core_;
  std::string mistaken_core_;
  const PeerRow* row_ = nullptr;
  void* f32_gemm_ = nullptr;
  void* f64_gemm_ = nullptr;     // null if the library has none
  void* f32_batched_ = nullptr;  // null: loop over the batch
  void* f64_batched_ = nullptr;
  std::function<void(int)> set_threads_;
};

// Names accepted by load_peer, in the order in which they must be loaded: MKL last, because it
// brings its OpenMP runtime into the process's global symbols.
std::vector<std::string_view> peer_names();

// Loads a peer by dlopen, RTLD_LOCAL. `venv`: the Python environment that holds MKL and the newest
// OpenBLAS; may be empty. A library that does not know this processor (an old release on a new one,
// or a hypervisor that hides the name) falls back to kernels of a fraction of the speed; beating
// those says nothing, so it is told to use the widest it has, unless the user's environment
// chooses. kNotFound says where it was looked for and how to get it.
Result<std::unique_ptr<Peer>> load_peer(std::string_view name, const std::string& venv);

}  // namespace triode::bench
