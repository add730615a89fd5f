// SPDX-License-Identifier: Apache-2.0
#include "tools/report/report_page.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "page_script.h"
#include "page_style.h"
#include "page_template.h"

namespace triode::report_tool {
namespace {

// JSON that may stand inside an element: no text of a cache can end it.
std::string embeddable(const nlohmann::ordered_json& facts) {
  const std::string text = facts.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

Result<std::string> read_chart_library() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = program.parent_path().parent_path() / "share" / "triode" / "plotly.min.js";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return not_found("no charting library at " + path.string() +
                     "; run tools/setup, which installs plotly and builds it in, or use --json");
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string report_page(const nlohmann::ordered_json& facts, std::string_view chart_library) {
  const std::string json = embeddable(facts);
  const std::array<std::pair<std::string_view, std::string_view>, 4> parts = {
      {{"@STYLE@", asset::kPageStyle},
       {"@FACTS@", json},
       {"@CHART_LIBRARY@", chart_library},
       {"@SCRIPT@", asset::kPageScript}}};
  // In the order in which they stand in the template, so that nothing is looked for in what was
  // put in.
  std::string page;
  std::string_view rest = asset::kPageTemplate;
  for (const auto& [mark, text] : parts) {
    const size_t at = rest.find(mark);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + mark.size());
  }
  page += rest;
  return page;
}

}  // namespace triode::report_tool
