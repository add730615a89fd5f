// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cache/validity.h"
#include "core/target.h"

namespace triode::exchange {

// The target behind device_of's text and a validity: device_of and validity_of of it give both
// again. A text that device_of did not make becomes the device's name.
Target target_of(std::string_view device, const Validity& validity);

}  // namespace triode::exchange
