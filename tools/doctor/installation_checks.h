// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "runtime/tuner/tuner_question.h"
#include "tools/doctor/finding.h"

namespace triode::doctor_tool {

// What `triode run` needs beside this program: libtriode.so, the tuner, the shipped models.
Findings check_installation(const std::string& program_folder);

// The cache in this folder: whether it can be read and written, what it holds, and room on its
// disk. One that is not there yet is fine.
Findings check_cache(const std::string& folder);

// The tuner of that cache: whether one runs, answers in time, and is of this version. None need
// run.
Findings check_tuner(const std::string& cache_folder,
                     std::chrono::milliseconds patience = tuner::kAnswerPatience);

// Whether this interpreter has the torch and triton that Triode knows. `python` may be empty: none
// was found.
Findings check_python(const std::string& python);

}  // namespace triode::doctor_tool
