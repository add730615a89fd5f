// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "core/status.h"
#include "tools/cache/arguments.h"
#include "tools/cache/terminal.h"

namespace triode::model_tool {

// What every command gets besides its own arguments.
struct Context {
  std::string cache;           // its folder
  std::string shipped_folder;  // of the models that came with Triode
  bool json = false;
  bool quiet = false;
  cache_tool::Terminal terminal;  // of `out`
  std::ostream& out;
  std::ostream& err;
};

// The commands of `triode model`. kInvalidArgument is wrong usage.
Status list_models(const cache_tool::Arguments& arguments, const Context& context);
Status show_model(const cache_tool::Arguments& arguments, const Context& context);
Status promote_model(const cache_tool::Arguments& arguments, const Context& context);
Status export_model(const cache_tool::Arguments& arguments, const Context& context);

}  // namespace triode::model_tool
