#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.h"

namespace halo {

/// A file or folder of the shared collection (real graphs, golden figures): $HALO_SHARED, or `shared` beside
/// the source tree. Empty if it is not there: then the test says so and ends:
///
///   const auto folder = sharedData("data/cora");
///   if (folder.empty()) return;
inline std::filesystem::path sharedData(const std::string& name) {
  const char* named = std::getenv("HALO_SHARED");
  std::filesystem::path path;
  for (const std::filesystem::path& root :
       {std::filesystem::path(named ? named : ""), std::filesystem::path(kSourceDir) / ".." / "shared",
        std::filesystem::path(kSourceDir) / ".." / ".." / "shared"})
    if (path.empty() && !root.empty() && std::filesystem::exists(root / name))
      path = (root / name).lexically_normal();
  if (path.empty()) WARN("SKIPPED: " << name << " is not here; HALO_SHARED names the folder that holds it");
  return path;
}

}  // namespace halo
