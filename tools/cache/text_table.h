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
// may be cut, coloured where the terminal has colours.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool is_number = false;   // stands at the right
    bool may_be_cut = false;  // ends in … where the line is too short
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
  std::vector<size_t> widths_for(size_t limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace triode::cache_tool
