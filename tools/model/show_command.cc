// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/cache/figures.h"
#include "tools/model/commands.h"
#include "tools/model/known_models.h"
#include "tools/model/model_json.h"

namespace triode::model_tool {
namespace {

void print(const KnownModel& model, std::ostream& out) {
  const Snapshot& snapshot = *model.snapshot;
  out << "name      " << snapshot.name << ", for " << to_string(snapshot.kind) << "\n"
      << "digest    " << model.digest << "\n"
      << "from      " << to_string(model.source)
      << (model.path.empty() ? "" : " (" + model.path + ")") << ", "
      << cache_tool::bytes_text(model.size_bytes) << "\n"
      << "state     "
      << (model.is_in_force   ? "in force"
          : model.is_promoted ? "promoted"
                              : "not in force")
      << "\n"
      << "data      " << snapshot.training_digest << "\n"
      << "features  " << snapshot.feature_names.size() << ", schema " << std::hex
      << snapshot.schema_hash << std::dec << "\n";
  for (const Net& net : snapshot.nets) out << "net       " << net_text(net) << "\n";
  for (const std::string& device : snapshot.support.devices) out << "device    " << device << "\n";
  for (const auto& [key, value] : model.notes) out << "note      " << key << ": " << value << "\n";
  out << "\n" << snapshot.card;
}

}  // namespace

Status show_model(const cache_tool::Arguments& arguments, const Context& context) {
  if (arguments.positionals().size() != 1) return invalid_argument("show takes one model");
  const auto cache = TRIODE_TRY(open_if_there(context.cache));
  const auto known = TRIODE_TRY(known_models(cache.get(), context.shipped_folder));
  const KnownModel model = TRIODE_TRY(find_model(arguments.positionals()[0], known));
  if (!model.snapshot) return corrupt(model.damage);
  if (context.json) {
    context.out << text_of(full_json(model));
  } else {
    print(model, context.out);
  }
  return {};
}

}  // namespace triode::model_tool
