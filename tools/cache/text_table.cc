// SPDX-License-Identifier: Apache-2.0
#include "tools/cache/text_table.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace triode::cache_tool {
namespace {

constexpr std::string_view kGap = "  ";

bool starts_character(char byte) {
  return (byte & 0xC0) != 0x80;
}

size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

// What a file or device is called may hold anything; a terminal shall not obey it.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

std::string cut(std::string text, size_t width) {
  if (characters_in(text) <= width) return text;
  size_t position = 0;
  for (size_t left = width; position < text.size(); ++position) {
    if (starts_character(text[position]) && left-- == 1) break;
  }
  return text.substr(0, position) + "…";
}

std::string_view colour_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kPlain:
      break;
  }
  return "";
}

}  // namespace

void TextTable::add(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> TextTable::widths_for(size_t limit) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = characters_in(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, characters_in(row[i].text));
    widths.push_back(width);
  }
  const auto total = [&] {
    size_t sum = 0;
    for (const size_t width : widths) sum += width > 0 ? width + (sum > 0 ? kGap.size() : 0) : 0;
    return sum;
  };
  while (limit > 0 && total() > limit) {
    size_t widest = widths.size();
    size_t last_to_leave_out = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool may_be_cut = columns_[i].may_be_cut && widths[i] > columns_[i].least_width;
      if (may_be_cut && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
      if (columns_[i].may_be_left_out && widths[i] > 0) last_to_leave_out = i;
    }
    if (widest < widths.size()) {
      --widths[widest];
    } else if (last_to_leave_out < widths.size()) {
      widths[last_to_leave_out] = 0;
    } else {
      break;
    }
  }
  return widths;
}

std::string TextTable::text(const Terminal& terminal) const {
  const std::vector<size_t> widths = widths_for(terminal.width);
  std::string out;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      const Cell cell = cell_of(i);
      const std::string text = cut(cell.text, widths[i]);
      const std::string blanks(widths[i] - std::min(widths[i], characters_in(text)), ' ');
      const std::string_view colour = terminal.has_colour ? colour_of(cell.tone) : "";
      const std::string shown = colour.empty() ? text : std::string(colour) + text + "\x1b[0m";
      if (!line.empty()) line += kGap;
      line += columns_[i].is_number ? blanks + shown : shown + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_line([&](size_t i) { return Cell{columns_[i].title, Tone::kFaint}; });
  for (const auto& row : rows_) add_line([&](size_t i) { return row[i]; });
  return out;
}

}  // namespace triode::cache_tool
