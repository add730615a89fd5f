// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/model/commands.h"
#include "tools/model/known_models.h"
#include "tools/model/model_json.h"

namespace triode::model_tool {

Status export_model(const cache_tool::Arguments& arguments, const Context& context) {
  if (arguments.positionals().size() != 1) return invalid_argument("export takes one model");
  const auto output = arguments.value("--output");
  if (!output) return invalid_argument("export needs --output FILE");
  const auto cache = TRIODE_TRY(open_if_there(context.cache));
  const auto known = TRIODE_TRY(known_models(cache.get(), context.shipped_folder));
  const KnownModel model = TRIODE_TRY(find_model(arguments.positionals()[0], known));
  if (!model.snapshot) return corrupt(model.damage);
  TRIODE_TRY(save_snapshot(*model.snapshot, *output));
  if (context.json) {
    context.out << text_of({{"output", *output}, {"digest", model.digest}});
  } else if (!context.quiet) {
    context.err << *output << ": model " << model.digest.substr(0, 12) << "\n";
  }
  return {};
}

}  // namespace triode::model_tool
