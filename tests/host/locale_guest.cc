// SPDX-License-Identifier: Apache-2.0
// locale_guest NAME: multiplies in a locale of its own, perhaps one that writes 0,5 for a half.
#include <clocale>

#include "tests/host/until_answered.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  guest::say("is_set", std::setlocale(LC_ALL, arguments[1]) != nullptr);
  guest::SquareMatmul matmul(64);
  guest::say("is_answered", guest::run_until_answered(matmul));
  guest::say("comma", std::localeconv()->decimal_point[0] == ',');
}
