// SPDX-License-Identifier: Apache-2.0
// The extension module triode._triode: names and types, and nothing that decides.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bind_ranker.h"
#include "bindings/cpu_chooser.h"
#include "bindings/matmul.h"
#include "bindings/status_error.h"
#include "core/config.h"
#include "core/key.h"
#include "core/problem.h"
#include "core/random.h"
#include "core/space.h"
#include "core/target.h"
#include "jit/x86/gemm_space.h"
#include "runtime/device/cpu_device.h"
#include "triode_version.h"

namespace triode::python {
namespace {

namespace py = pybind11;

// A space with the problem it is of, which promising() asks for.
struct ProblemSpace {
  Problem problem;
  Space space;
};

// A getter for an enum member, in the words of a problem's text.
template <auto kMember>
std::string word_of(const Problem& problem) {
  return std::string(to_string(problem.*kMember));
}

void bind_problem(py::module_& module) {
  py::class_<Problem>(module, "Problem")
      .def_static(
          "parse", [](const std::string& text) { return or_throw(parse_problem(text)); },
          py::arg("text"))
      .def("__str__", [](const Problem& problem) { return to_string(problem); })
      .def("__repr__",
           [](const Problem& problem) { return "Problem.parse('" + to_string(problem) + "')"; })
      .def("__hash__", [](const Problem& problem) { return hash_of(problem); })
      .def("__eq__", &Problem::operator==, py::is_operator())
      .def_property_readonly("op", &word_of<&Problem::op>)
      .def_readonly("batch", &Problem::batch)
      .def_readonly("m", &Problem::m)
      .def_readonly("n", &Problem::n)
      .def_readonly("k", &Problem::k)
      .def_property_readonly("a_type", &word_of<&Problem::a_type>)
      .def_property_readonly("b_type", &word_of<&Problem::b_type>)
      .def_property_readonly("c_type", &word_of<&Problem::c_type>)
      .def_property_readonly("accumulator", &word_of<&Problem::accumulator>)
      .def_readonly("a_transposed", &Problem::a_transposed)
      .def_readonly("b_transposed", &Problem::b_transposed)
      .def_readonly("lda", &Problem::lda)
      .def_readonly("ldb", &Problem::ldb)
      .def_readonly("ldc", &Problem::ldc)
      .def_readonly("a_batch_stride", &Problem::a_batch_stride)
      .def_readonly("b_batch_stride", &Problem::b_batch_stride)
      .def_readonly("c_batch_stride", &Problem::c_batch_stride)
      .def_readonly("alignment_bytes", &Problem::alignment_bytes)
      .def_property_readonly("epilogue", &word_of<&Problem::epilogue>)
      .def_property_readonly("alpha", &word_of<&Problem::alpha>)
      .def_property_readonly("beta", &word_of<&Problem::beta>)
      .def_readonly("threads", &Problem::threads);
}

// Parameter names with the words that a config's text has for their values.
py::dict parameters_of(const ProblemSpace& self) {
  py::dict parameters;
  for (const Parameter& parameter : self.space.parameters()) {
    std::vector<std::string> words = parameter.labels;
    if (words.empty()) {
      for (const int32_t value : parameter.values) words.push_back(std::to_string(value));
    }
    parameters[py::str(parameter.name)] = words;
  }
  return parameters;
}

std::string text_of(const ProblemSpace& self, const Config& config) {
  if (const auto reason = self.space.why_illegal(config)) {
    or_throw(invalid_argument("Illegal config for " + to_string(self.problem) + ": " + *reason));
  }
  return self.space.to_string(config);
}

std::optional<Config> sample_of(const ProblemSpace& self, uint64_t seed) {
  Random random(seed);
  return self.space.sample(random);
}

void bind_space(py::module_& module) {
  py::class_<Config>(module, "Config").def("__eq__", &Config::operator==, py::is_operator());

  py::class_<ProblemSpace>(module, "Space")
      .def_readonly("problem", &ProblemSpace::problem)
      .def_property_readonly("parameters", &parameters_of)
      .def_property_readonly("product_size",
                             [](const ProblemSpace& self) { return self.space.product_size(); })
      .def(
          "enumerate",
          [](const ProblemSpace& self, size_t limit) { return self.space.enumerate(limit); },
          py::arg("limit"), py::call_guard<py::gil_scoped_release>())
      .def("sample", &sample_of, py::arg("seed"))
      .def(
          "promising",
          [](const ProblemSpace& self) { return x86::promising_configs(self.space, self.problem); })
      .def(
          "parse",
          [](const ProblemSpace& self, const std::string& text) {
            return or_throw(self.space.parse(text));
          },
          py::arg("text"))
      .def("to_string", &text_of, py::arg("config"));
}

void bind_device(py::module_& module) {
  py::class_<Target>(module, "Target")
      .def_readonly("device", &Target::device)
      .def_readonly("isa", &Target::isa)
      .def_readonly("toolchain", &Target::toolchain)
      .def_readonly("cores", &Target::cores)
      .def("__str__", &Target::fingerprint)
      .def("__eq__", &Target::operator==, py::is_operator());

  py::class_<Matmul>(module, "Artifact")
      .def_property_readonly("problem", &Matmul::problem)
      .def_property_readonly("digest", [](const Matmul& self) { return self.artifact().digest(); })
      .def_property_readonly("code_bytes",
                             [](const Matmul& self) { return self.artifact().code_bytes(); })
      .def("run", &Matmul::run, py::arg("a"), py::arg("b"), py::arg("c"), py::arg("alpha") = 1.0,
           py::arg("beta") = 0.0)
      .def("run_at", &Matmul::run_at, py::arg("a"), py::arg("b"), py::arg("c"),
           py::arg("alpha") = 1.0, py::arg("beta") = 0.0);

  py::class_<CpuDevice, std::shared_ptr<CpuDevice>>(module, "CpuDevice")
      .def(py::init([] { return std::shared_ptr<CpuDevice>(or_throw(CpuDevice::create())); }))
      .def_property_readonly("target", &CpuDevice::target)
      .def(
          "space",
          [](const CpuDevice& self, const Problem& problem) {
            return ProblemSpace{problem, or_throw(self.enumerate(problem))};
          },
          py::arg("problem"))
      .def(
          "build",
          [](std::shared_ptr<CpuDevice> self, const Problem& problem, const Config& config) {
            return std::make_unique<Matmul>(std::move(self), problem, config);
          },
          py::arg("problem"), py::arg("config"), py::call_guard<py::gil_scoped_release>());

  py::class_<CpuChooser, std::shared_ptr<CpuChooser>>(module, "CpuChooser")
      .def(py::init([](const std::string& path) {
             return std::make_shared<CpuChooser>(or_throw(CpuChooser::load(path)));
           }),
           py::arg("path"))
      .def_static(
          "from_bytes",
          [](const py::bytes& snapshot) {
            return std::make_shared<CpuChooser>(
                or_throw(CpuChooser::make(or_throw(read_snapshot(std::string(snapshot))))));
          },
          py::arg("snapshot"))
      .def_property_readonly("name", [](const CpuChooser& self) { return self.snapshot().name; })
      .def_property_readonly("digest", &CpuChooser::digest)
      .def(
          "choose",
          [](const CpuChooser& self, const CpuDevice& device, const Problem& problem) {
            return or_throw(self.choose(device, problem));
          },
          py::arg("device"), py::arg("problem"), py::call_guard<py::gil_scoped_release>())
      .def(
          "learned",
          [](const CpuChooser& self, const CpuDevice& device, const Problem& problem,
             const std::vector<std::pair<Config, double>>& timed) {
            return py::bytes(write_snapshot(or_throw(self.learned(device, problem, timed))));
          },
          py::arg("device"), py::arg("problem"), py::arg("timed"));
}

}  // namespace
}  // namespace triode::python

PYBIND11_MODULE(_triode, module) {
  module.attr("__version__") = std::string(triode::kVersion);
  triode::python::register_status_errors();
  triode::python::bind_problem(module);
  triode::python::bind_space(module);
  triode::python::bind_device(module);
  triode::python::bind_ranker(module);
}
