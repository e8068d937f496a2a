#pragma once

#include <map>
#include <string>

#include "engine/base/check.h"
#include "engine/experiment/figure_file.h"
#include "engine/hybrid/platform.h"
#include "tests/support/places.h"

namespace halo::hybridtest {

inline const std::filesystem::path kPlatforms = std::string(kSourceDir) + "/resources/platforms";

/// A platform that ships, some figures replaced.
inline HybridPlatform platformNamed(const std::string& name,
                                    const std::map<std::string, Value>& changed = {}) {
  Values figures = readFigureFile(kPlatforms / (name + ".toml"), "platform", {platformDeclaration()}).figures;
  for (const auto& [key, value] : changed) {
    HALO_CHECK(figures.contains(key) && figures.find(key)->second.index() == value.index());
    figures[key] = value;
  }
  return platformOf(name, figures);
}

}  // namespace halo::hybridtest
