#include "app/program/places.h"

#include <cstdlib>

#include "engine/base/problem.h"

namespace halo {

std::filesystem::path siblingProgram(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path resourceFolder() {
  if (const char* named = std::getenv("HALO_RESOURCES"); named != nullptr && *named != '\0') {
    if (!std::filesystem::exists(std::filesystem::path(named) / "links.toml"))
      throw EnvironmentError(std::string(named) +
                             ": has no links.toml, so it is not the folder of resources that HALO_RESOURCES "
                             "should name; unset HALO_RESOURCES, or name the right one");
    return named;
  }
  const auto installed = (siblingProgram("..") / "share/haloscope").lexically_normal();
  if (std::filesystem::exists(installed / "links.toml")) return installed;
  return std::filesystem::path(HALO_SOURCE_DIR) / "resources";
}

}  // namespace halo
