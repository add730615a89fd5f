// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/self_test_capture.h"

#include <dlfcn.h>

#include <string>
#include <thread>

namespace triode {
namespace {

// What programs call and Triode does not. Looked up by the name that cuda.h's macros give.
#define TRIODE_QUOTE(name) #name
#define TRIODE_DRIVER_NAME(name) TRIODE_QUOTE(name)
template <typename Function>
Status find(const CudaDriver& driver, const char* name, Function& found) {
  void* const library = dlopen(driver.path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  found = library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
  return found == nullptr ? unsupported(std::string("the driver has no ") + name) : Status();
}

// Of the driver's functions, by cuda.h's names.
struct Graphs {
  decltype(&::cuStreamBeginCapture) begin = nullptr;
  decltype(&::cuStreamEndCapture) end = nullptr;
  decltype(&::cuGraphInstantiate) instantiate = nullptr;
  decltype(&::cuGraphLaunch) launch = nullptr;
};

Result<Graphs> graphs_of(const CudaDriver& driver) {
  Graphs graphs;
  TRIODE_TRY(find(driver, TRIODE_DRIVER_NAME(cuStreamBeginCapture), graphs.begin));
  TRIODE_TRY(find(driver, TRIODE_DRIVER_NAME(cuStreamEndCapture), graphs.end));
  TRIODE_TRY(find(driver, TRIODE_DRIVER_NAME(cuGraphInstantiate), graphs.instantiate));
  TRIODE_TRY(find(driver, TRIODE_DRIVER_NAME(cuGraphLaunch), graphs.launch));
  return graphs;
}

Status load_elsewhere(const std::function<Status()>& load) {
  Status status;
  std::thread([&] { status = load(); }).join();
  return status;
}

}  // namespace

Status test_capture(const CudaDriver& driver, const CudaDevice& device, const Artifact& artifact,
                    const Operands& operands, const std::function<Status()>& load) {
  const Graphs graphs = TRIODE_TRY(graphs_of(driver));
  TRIODE_TRY(device.use());
  auto* const stream = static_cast<CUstream>(device.stream());
  TRIODE_TRY(
      driver.check(graphs.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "beginning a capture"));
  const Status enqueued = device.enqueue(artifact, operands);
  const Status loaded = load_elsewhere(load);
  CUgraph graph = nullptr;
  const CUresult ended = graphs.end(stream, &graph);
  TRIODE_TRY(Status(enqueued));
  TRIODE_TRY(Status(loaded));
  TRIODE_TRY(driver.check(ended, "ending a capture during which a kernel was loaded"));
  // Neither is destroyed: the process ends soon, and its context with it.
  CUgraphExec executable = nullptr;
  TRIODE_TRY(driver.check(graphs.instantiate(&executable, graph, 0), "making a graph"));
  TRIODE_TRY(driver.check(graphs.launch(executable, stream), "launching a graph"));
  return device.wait();
}

}  // namespace triode
