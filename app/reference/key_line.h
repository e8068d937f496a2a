#pragma once

#include <string>

#include "engine/experiment/keys.h"

namespace halo {

/// What the manual says is allowed: "0.0 to 1.0 s", "none, row".
std::string allowedInManual(const Parameter& parameter);
/// The line that the manual has of a key of a section, from its declaration alone.
std::string manualLine(const Key& key);
/// The line of a parameter with this value by default.
std::string manualLine(const Parameter& parameter, const std::string& byDefault);

}  // namespace halo
