// SPDX-License-Identifier: Apache-2.0
#include "bindings/bind_ranker.h"

#include <pybind11/stl.h>

#include <memory>

#include "bindings/status_error.h"
#include "bindings/template_ranker.h"
#include "bindings/template_timings.h"
#include "learner/model/gpu_properties.h"

namespace triode::python {
namespace {

namespace py = pybind11;

DeviceTraits make_gpu(const std::string& name, std::pair<int, int> capability,
                      int64_t multiprocessors, int64_t smem_per_multiprocessor_bytes,
                      int64_t smem_per_block_bytes, int64_t l2_bytes, int64_t clock_khz,
                      int64_t memory_clock_khz, int64_t memory_bus_bits) {
  return or_throw(traits_of_gpu({.name = name,
                                 .capability_major = capability.first,
                                 .capability_minor = capability.second,
                                 .multiprocessors = multiprocessors,
                                 .smem_per_multiprocessor_bytes = smem_per_multiprocessor_bytes,
                                 .smem_per_block_bytes = smem_per_block_bytes,
                                 .l2_bytes = l2_bytes,
                                 .clock_khz = clock_khz,
                                 .memory_clock_khz = memory_clock_khz,
                                 .memory_bus_bits = memory_bus_bits}));
}

void bind_gpu(py::module_& module) {
  py::class_<DeviceTraits>(module, "Gpu")
      .def(py::init(&make_gpu), py::kw_only(), py::arg("name"), py::arg("capability"),
           py::arg("multiprocessors"), py::arg("smem_per_multiprocessor_bytes"),
           py::arg("smem_per_block_bytes"), py::arg("l2_bytes"), py::arg("clock_khz") = 0,
           py::arg("memory_clock_khz") = 0, py::arg("memory_bus_bits") = 0)
      .def_readonly("name", &DeviceTraits::name)
      .def_readonly("family", &DeviceTraits::family);
}

void bind_ranking(py::module_& module) {
  py::class_<TemplateRanking::Pick>(module, "TemplatePick")
      .def_readonly("index", &TemplateRanking::Pick::index)
      .def_readonly("relative_time", &TemplateRanking::Pick::relative_time)
      .def_readonly("stddev", &TemplateRanking::Pick::stddev)
      .def_readonly("mechanism", &TemplateRanking::Pick::mechanism);
  py::class_<TemplateRanking>(module, "TemplateRanking")
      .def_readonly("picks", &TemplateRanking::picks)
      .def_readonly("unfit", &TemplateRanking::unfit)
      .def_readonly("best_s", &TemplateRanking::best_s)
      .def_readonly("vendor_s", &TemplateRanking::vendor_s)
      .def_property_readonly(
          "support",
          [](const TemplateRanking& self) { return std::string(to_string(self.support.support)); })
      .def_property_readonly("support_reason",
                             [](const TemplateRanking& self) { return self.support.reason; });
}

void leave_rows(const std::string& gpu, const std::string& toolchain, const Problem& problem,
                const std::vector<std::pair<TemplateConfig, std::optional<double>>>& rows,
                std::optional<double> vendor_ms, int64_t when_unix_s, const std::string& cache) {
  TemplateTimings timings{gpu, toolchain, problem, {}, vendor_ms, when_unix_s};
  for (const auto& [config, ms] : rows) timings.rows.push_back({config, ms});
  or_throw(leave_timings(timings, cache));
}

void leave_cpu_row(const Target& target, const Problem& problem, const std::string& config,
                   double ms, std::optional<double> vendor_ms, int64_t when_unix_s,
                   const std::string& cache) {
  or_throw(leave_cpu_timing({target, problem, config, ms, vendor_ms, when_unix_s}, cache));
}

}  // namespace

void bind_ranker(py::module_& module) {
  bind_gpu(module);
  bind_ranking(module);
  py::class_<TemplateRanker, std::shared_ptr<TemplateRanker>>(module, "TemplateRanker")
      .def(py::init([](const std::string& path) {
             return std::make_shared<TemplateRanker>(or_throw(TemplateRanker::load(path)));
           }),
           py::arg("path"))
      .def_static(
          "from_bytes",
          [](const py::bytes& snapshot) {
            return std::make_shared<TemplateRanker>(
                or_throw(TemplateRanker::make(or_throw(read_snapshot(std::string(snapshot))))));
          },
          py::arg("snapshot"))
      .def_property_readonly("name",
                             [](const TemplateRanker& self) { return self.snapshot().name; })
      .def_property_readonly("digest", &TemplateRanker::digest)
      .def_property_readonly("card",
                             [](const TemplateRanker& self) { return self.snapshot().card; })
      .def(
          "rank",
          [](const TemplateRanker& self, const Problem& problem, const DeviceTraits& gpu,
             const std::vector<TemplateConfig>& configs, size_t count, size_t doubtful_count) {
            return or_throw(self.rank(problem, gpu, configs, count, doubtful_count));
          },
          py::arg("problem"), py::arg("gpu"), py::arg("configs"), py::arg("count"),
          py::arg("doubtful_count"), py::call_guard<py::gil_scoped_release>())
      .def(
          "learned",
          [](const TemplateRanker& self, const Problem& problem, const DeviceTraits& gpu,
             const std::vector<std::pair<TemplateConfig, double>>& timed) {
            return py::bytes(write_snapshot(or_throw(self.learned(problem, gpu, timed))));
          },
          py::arg("problem"), py::arg("gpu"), py::arg("timed"));
  module.def("leave_timings", &leave_rows, py::kw_only(), py::arg("gpu"), py::arg("toolchain"),
             py::arg("problem"), py::arg("rows"), py::arg("vendor_ms"), py::arg("when_unix_s"),
             py::arg("cache") = "", py::call_guard<py::gil_scoped_release>());
  module.def("leave_cpu_timing", &leave_cpu_row, py::kw_only(), py::arg("target"),
             py::arg("problem"), py::arg("config"), py::arg("ms"), py::arg("vendor_ms"),
             py::arg("when_unix_s"), py::arg("cache") = "",
             py::call_guard<py::gil_scoped_release>());
}

}  // namespace triode::python
