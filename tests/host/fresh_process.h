// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace triode {

// Runs the body of a test in a child process: Triode starts once in each, and a program of tests
// has many bodies. Whatever fails in it fails the test.
void in_fresh_process(const std::function<void()>& body);

}  // namespace triode
