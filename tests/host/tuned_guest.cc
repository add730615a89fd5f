// SPDX-License-Identifier: Apache-2.0
// tuned_guest SIZE: makes the same call until the vendor is not called any more, and then some.
#include <cstdlib>

#include "tests/host/until_answered.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  guest::SquareMatmul matmul(std::atoi(arguments[1]));
  guest::say("is_answered", guest::run_until_answered(matmul));
  guest::say("is_right", matmul.is_right());
}
