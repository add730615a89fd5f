// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cache/keyed_trial.h"
#include "cache/validity.h"

namespace triode::cache_tool {

// The validity of the latest trial that Triode itself made among these, which are of one device:
// what the device runs with today, as far as the cache knows.
Validity latest_validity(std::span<const KeyedTrial> trials);

// Why a trial is no answer for who has that validity: "imported from vllm", "driver 1, now 2".
// Empty if it is one.
std::string why_no_answer(const KeyedTrial& trial, const Validity& latest);

}  // namespace triode::cache_tool
