// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/eval/eval_options.h"
#include "tools/eval/evaluation.h"

namespace triode::eval_tool {

// One JSON object, indented: see docs/cli/eval.md for its fields.
std::string report_json(const EvalOptions& options, const Evaluation& evaluation);

// The same figures as a table for people.
std::string report_text(const EvalOptions& options, const Evaluation& evaluation);

}  // namespace triode::eval_tool
