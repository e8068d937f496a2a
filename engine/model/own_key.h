#pragma once

#include <span>
#include <string_view>

#include "engine/base/declaration.h"

namespace halo {

/// The key of [model] as the section declares it, for a layer kind that names it as a parameter of its own.
/// Runs of other kinds may not set it.
std::span<const Parameter> ownModelKey(std::string_view key);

}  // namespace halo
