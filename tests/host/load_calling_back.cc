// SPDX-License-Identifier: Apache-2.0
// A library that calls whoever loads it, while it is loaded: under the loader's lock.
extern "C" void while_loading();

namespace {

__attribute__((constructor)) void call_back() {
  while_loading();
}

}  // namespace
