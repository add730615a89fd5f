// SPDX-License-Identifier: Apache-2.0
// The two forms of a Report that people and programs read.
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "runtime/host/report.h"

namespace triode::host {
namespace {

constexpr size_t kMostRows = 40;  // of a table; JSON has all

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Three digits and a unit; "-" for what was not timed.
std::string duration(double ns) {
  if (ns <= 0) return "-";
  if (ns < 1e3) return formatted("%.3g ns", ns);
  if (ns < 1e6) return formatted("%.3g us", ns / 1e3);
  if (ns < 1e9) return formatted("%.3g ms", ns / 1e6);
  return formatted("%.3g s", ns / 1e9);
}

const char* plan_word(const Report::Row& row) {
  if (!row.has_plan) return row.tally.by_us.calls > 0 ? "forced" : "vendor";
  switch (row.plan.state) {
    case PlanState::kPlanned:
      return "tuned";
    case PlanState::kVendorStays:
      return "vendor stays";
    case PlanState::kWithdrawn:
      return "withdrawn";
  }
  return "vendor";
}

std::string table_row(const Report::Row& row) {
  const std::string speedup = row.speedup() > 0 ? formatted("%.2fx", row.speedup()) : "-";
  const uint64_t calls = row.tally.by_vendor.calls + row.tally.by_us.calls;
  return formatted("%10llu %10llu %10s %10s %8s  %-12s ", static_cast<unsigned long long>(calls),
                   static_cast<unsigned long long>(row.tally.by_us.calls),
                   duration(row.tally.by_vendor.mean_ns()).c_str(),
                   duration(row.tally.by_us.mean_ns()).c_str(), speedup.c_str(), plan_word(row)) +
         row.problem + "\n";
}

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += formatted("\\u%04x", static_cast<unsigned>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Not by printf, which writes a comma where the program's locale does.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  constexpr int kDigits = 6;
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  return {text.data(), end.ptr};
}

std::string number(uint64_t value) {
  return std::to_string(value);
}

std::string side_json(const SideTally& side) {
  return "{\"calls\": " + number(side.calls) + ", \"timed\": " + number(side.timed) +
         ", \"mean_ns\": " + number(side.mean_ns()) + "}";
}

std::string row_json(const Report::Row& row) {
  return "{\"problem\": " + quoted(row.problem) + ", \"vendor\": " + quoted(row.vendor) +
         ", \"by_vendor\": " + side_json(row.tally.by_vendor) +
         ", \"by_triode\": " + side_json(row.tally.by_us) +
         ", \"plan\": " + quoted(plan_word(row)) + ", \"config\": " + quoted(row.plan.config) +
         ", \"speedup\": " + number(row.speedup()) + ", \"remark\": " + quoted(row.plan.remark) +
         "}";
}

}  // namespace

std::string to_table(const Report& report) {
  std::string text = formatted(
      "triode (%s): %llu matmuls of %zu kinds in %s, %.1f %% answered by Triode, %s saved\n",
      report.mode.c_str(), static_cast<unsigned long long>(report.calls()), report.rows.size(),
      duration(report.total_ns()).c_str(), 100 * share(report.answered(), report.calls()),
      report.saved_ns() > 0 ? duration(report.saved_ns()).c_str() : "nothing");
  text += "     calls   answered     vendor       ours speed-up  plan         problem\n";
  for (size_t i = 0; i < report.rows.size() && i < kMostRows; ++i) {
    text += table_row(report.rows[i]);
  }
  if (report.rows.size() > kMostRows) {
    text += formatted("%10zu more kinds; --json lists all\n", report.rows.size() - kMostRows);
  }
  const OtherTally& others = report.others;
  if (others.invalid + others.unlisted > 0) {
    text += formatted("%llu calls were passed on unread, %llu found no place in the table\n",
                      static_cast<unsigned long long>(others.invalid),
                      static_cast<unsigned long long>(others.unlisted));
  }
  if (others.uneven_batches > 0) {
    text += formatted("%llu batches of several groups or at unequal distances were passed on\n",
                      static_cast<unsigned long long>(others.uneven_batches));
  }
  return text;
}

std::string to_json(const Report& report) {
  std::string rows;
  for (const Report::Row& row : report.rows) rows += (rows.empty() ? "" : ", ") + row_json(row);
  const OtherTally& others = report.others;
  return "{\"mode\": " + quoted(report.mode) + ", \"calls\": " + number(report.calls()) +
         ", \"answered\": " + number(report.answered()) +
         ", \"share_answered\": " + number(share(report.answered(), report.calls())) +
         ", \"time_ns\": " + number(report.total_ns()) +
         ", \"saved_ns\": " + number(report.saved_ns()) + ", \"empty\": " + number(others.empty) +
         ", \"invalid\": " + number(others.invalid) + ", \"nested\": " + number(others.nested) +
         ", \"unlisted\": " + number(others.unlisted) +
         ", \"uneven_batches\": " + number(others.uneven_batches) + ", \"problems\": [" + rows +
         "]}";
}

}  // namespace triode::host
