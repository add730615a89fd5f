// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/unix_time.h"
#include "tools/cache/figures.h"
#include "tools/cache/text_table.h"
#include "tools/model/commands.h"
#include "tools/model/known_models.h"
#include "tools/model/model_json.h"

namespace triode::model_tool {
namespace {

using cache_tool::TextTable;
using cache_tool::Tone;

constexpr size_t kShownDigits = 12;

std::string state_of(const KnownModel& model) {
  if (!model.snapshot) return "cannot be read: " + model.damage;
  if (model.is_in_force) return "in force";
  return model.is_promoted ? "promoted" : "";
}

void print(const std::vector<KnownModel>& models, const Context& context) {
  TextTable table({{"MODEL", false, false},
                   {"NAME", false, false},
                   {"KIND", false, false},
                   {"FROM", false, false},
                   {"SIZE", true, false},
                   {"AGE", true, false},
                   {"STATE", false, true}});
  const int64_t now = unix_seconds();
  for (const KnownModel& model : models) {
    const bool is_shipped = model.source == Source::kShipped;
    table.add({{is_shipped ? std::filesystem::path(model.path).stem().string()
                           : model.digest.substr(0, kShownDigits)},
               {model.snapshot ? model.snapshot->name : "-"},
               {model.snapshot ? std::string(to_string(model.snapshot->kind)) : "-"},
               {std::string(to_string(model.source))},
               {cache_tool::bytes_text(model.size_bytes)},
               {cache_tool::age_text(model.made_unix_s, now)},
               {state_of(model), !model.snapshot     ? Tone::kBad
                                 : model.is_in_force ? Tone::kGood
                                                     : Tone::kPlain}});
  }
  context.out << table.text(context.terminal);
}

}  // namespace

Status list_models(const cache_tool::Arguments& arguments, const Context& context) {
  if (!arguments.positionals().empty()) return invalid_argument("ls takes no words");
  const auto cache = TRIODE_TRY(open_if_there(context.cache));
  const std::vector<KnownModel> models =
      TRIODE_TRY(known_models(cache.get(), context.shipped_folder));
  if (context.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const KnownModel& model : models) list.push_back(summary_json(model));
    context.out << text_of({{"cache", context.cache}, {"models", list}});
    return {};
  }
  print(models, context);
  return {};
}

}  // namespace triode::model_tool
