// SPDX-License-Identifier: Apache-2.0
// drifting_guest SIZE: makes the same call until a plan answers it; then the BLAS becomes faster
// than any plan, and it goes on until the BLAS answers again.
#include <chrono>
#include <cstdlib>

#include "tests/host/until_answered.h"

extern "C" void make_stand_in_idle(int idle);

namespace {

// Whether the stand-in answers a hundred calls in a row.
bool run_until_vendor_answers(guest::SquareMatmul& matmul) {
  const auto end = std::chrono::steady_clock::now() + guest::kPatience;
  for (int in_a_row = 0; in_a_row < 100;) {
    const long before = stand_in_calls();
    matmul.run();
    in_a_row = stand_in_calls() != before ? in_a_row + 1 : 0;
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  guest::SquareMatmul matmul(std::atoi(arguments[1]));
  guest::say("is_answered", guest::run_until_answered(matmul));
  make_stand_in_idle(1);
  guest::say("is_withdrawn", run_until_vendor_answers(matmul));
  make_stand_in_idle(0);
  guest::say("is_right", matmul.run_is_right());
}
