// SPDX-License-Identifier: Apache-2.0
// The extension module triode._promoted: what the cache says is in force. A module of its own,
// loaded when that is asked for, so that a program that never asks does not carry RocksDB.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>

#include "bindings/status_error.h"
#include "bindings/store_path.h"
#include "cache/cache.h"

namespace triode::python {
namespace {

namespace py = pybind11;

Result<std::optional<std::string>> find_promoted(const std::string& family,
                                                 const std::string& folder) {
  const std::string path = TRIODE_TRY(path_of_store(folder));
  const Result<std::unique_ptr<Cache>> cache = Cache::open(path, {.mode = StoreMode::kReadOnly});
  if (!cache.ok()) {
    if (cache.status().code() == StatusCode::kNotFound) return std::optional<std::string>();
    return cache.status();
  }
  const ModelStore& models = (*cache)->models();
  const std::optional<std::string> digest = TRIODE_TRY(models.promoted(family));
  if (!digest) return std::optional<std::string>();
  std::optional<std::string> snapshot = TRIODE_TRY(models.snapshot(*digest));
  if (!snapshot) return not_found("the model " + *digest + " is promoted, but not in the cache");
  return snapshot;
}

std::optional<py::bytes> promoted_snapshot(const std::string& family, const std::string& cache) {
  std::optional<std::string> snapshot;
  {
    const py::gil_scoped_release others_run;
    snapshot = or_throw(find_promoted(family, cache));
  }
  return snapshot ? std::optional(py::bytes(*snapshot)) : std::nullopt;
}

}  // namespace
}  // namespace triode::python

PYBIND11_MODULE(_promoted, module) {
  triode::python::register_status_errors();
  module.def("promoted_snapshot", &triode::python::promoted_snapshot, pybind11::arg("family"),
             pybind11::arg("cache") = "");
}
