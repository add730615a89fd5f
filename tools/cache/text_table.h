// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/cache/terminal.h"

namespace triode::cache_tool {

enum class Tone : uint8_t { kPlain, kGood, kBad, kFaint };

// A table for people: aligned columns, fitted to the terminal's width by cutting the columns that
// may be cut, then by leaving out those that may be left out, the last one first; coloured where
// the terminal has colours.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;   // stands at the right
    bool may_be_cut = false;  // ends in … where the line is too short
    bool may_be_left_out = false;
    size_t least_width = 8;  // cut shorter than this it says nothing
  };
  struct Cell {
    std::string text;
    Tone tone = Tone::kPlain;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }

  // With a line of titles; every line ends in '\n'.
  std::string text(const Terminal& terminal) const;

 private:
  std::vector<size_t> widths_for(size_t limit) const;  // 0: left out

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace triode::cache_tool
