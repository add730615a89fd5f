// SPDX-License-Identifier: Apache-2.0
// repeating_guest SIZE COUNT: makes the same call COUNT times and says what came of the last.
#include <cstdlib>

#include "tests/host/guest_matmul.h"

extern "C" long stand_in_calls();

int main(int count, char** arguments) {
  if (count != 3) return 2;
  guest::SquareMatmul matmul(std::atoi(arguments[1]));
  for (int i = std::atoi(arguments[2]); i > 0; --i) matmul.run();
  guest::say("is_right", matmul.is_right());
  guest::say("vendor_calls", stand_in_calls());
}
