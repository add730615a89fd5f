// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "core/unix_time.h"
#include "runtime/model/chosen_model.h"
#include "tools/cache/open_cache.h"
#include "tools/model/commands.h"
#include "tools/model/known_models.h"
#include "tools/model/model_json.h"

namespace triode::model_tool {
namespace {

// What is in force for a family now.
Status report(const Cache& cache, const std::string& family, const Context& context) {
  for (const KnownModel& model : TRIODE_TRY(known_models(&cache, context.shipped_folder))) {
    if (!model.is_in_force || model_family(model.snapshot->kind) != family) continue;
    if (context.json) {
      context.out << text_of(summary_json(model));
    } else {
      context.out << family << ": " << model.snapshot->name << " " << model.digest.substr(0, 12)
                  << " is in force (" << to_string(model.source) << ")\n";
    }
    return {};
  }
  if (context.json) {
    context.out << text_of(nullptr);
  } else {
    context.out << family << ": no model is in force\n";
  }
  return {};
}

Status undo(const std::string& family, const Context& context) {
  if (family != model_family(DeviceKind::kCpu) && family != model_family(DeviceKind::kGpu)) {
    return invalid_argument("--undo: '" + family + "' is neither cpu nor gpu");
  }
  // Looked at first: a writer would make a cache where there is none.
  if (!TRIODE_TRY(open_if_there(context.cache))) {
    return not_found("nothing is promoted: there is no cache in " + context.cache);
  }
  const auto cache = TRIODE_TRY(cache_tool::open_to_write(context.cache));
  TRIODE_TRY(cache->models().undo_promotion(family));
  return report(*cache, family, context);
}

Status promote(const std::string& word, const Context& context) {
  std::unique_ptr<Cache> reader = TRIODE_TRY(open_if_there(context.cache));
  const auto known = TRIODE_TRY(known_models(reader.get(), context.shipped_folder));
  const KnownModel model = TRIODE_TRY(find_model(word, known));
  if (!model.snapshot) return corrupt(model.damage);
  reader.reset();
  const auto cache = TRIODE_TRY(cache_tool::open_to_write(context.cache));
  const std::string family = model_family(model.snapshot->kind);
  std::string stored = model.stored;
  if (stored.empty()) {
    stored = TRIODE_TRY(cache->models().put(family, write_snapshot(*model.snapshot), unix_seconds(),
                                            {{"from", std::string(to_string(model.source))}}));
  }
  TRIODE_TRY(cache->models().promote(stored));
  return report(*cache, family, context);
}

}  // namespace

Status promote_model(const cache_tool::Arguments& arguments, const Context& context) {
  const auto& words = arguments.positionals();
  if (const auto family = arguments.value("--undo")) {
    if (!words.empty()) return invalid_argument("--undo takes no model");
    return undo(*family, context);
  }
  if (words.size() != 1) return invalid_argument("promote takes one model, or --undo cpu|gpu");
  return promote(words[0], context);
}

}  // namespace triode::model_tool
