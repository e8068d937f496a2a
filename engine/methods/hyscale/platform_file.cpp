#include "engine/methods/hyscale/platform_file.h"

#include <cstdlib>
#include <filesystem>

#include "engine/base/problem.h"
#include "engine/experiment/figure_file.h"

namespace halo::hyscale {
namespace {

/// As programs look for their resources: the worker is told nothing of them.
std::filesystem::path platformFolder() {
  if (const char* named = std::getenv("HALO_RESOURCES"); named != nullptr && *named != '\0')
    return std::filesystem::path(named) / "platforms";
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto installed = (program / "../share/haloscope/platforms").lexically_normal();
  if (std::filesystem::exists(installed)) return installed;
  return std::filesystem::path(HALO_SOURCE_DIR) / "resources/platforms";
}

bool isFile(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

std::string shippedNames() {
  std::string names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(platformFolder(), none))
    names += (names.empty() ? "" : ", ") + entry.path().stem().string();
  return names;
}

}  // namespace

HybridPlatform readPlatform(const std::string& name) {
  const std::filesystem::path file =
      isFile(name) ? std::filesystem::path(name) : platformFolder() / (name + ".toml");
  if (!isFile(name) && !std::filesystem::exists(file))
    throw InputError({.key = "run.platform",
                      .message = "'" + name + "' cannot be used; one of " + shippedNames() + ", or a file"});
  return platformOf(name, readFigureFile(file, "platform", {platformDeclaration()}).figures);
}

}  // namespace halo::hyscale
