#pragma once

#include <string>

#include "engine/hybrid/platform.h"

namespace halo::hyscale {

/// The platform of this name among those that come with the program, or of a file: what has a `/` or ends in
/// `.toml`. Throws InputError by file, line and key.
HybridPlatform readPlatform(const std::string& name);

}  // namespace halo::hyscale
