#include "app/places.h"

#include <cstdlib>

namespace halo {

std::filesystem::path siblingProgram(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

std::filesystem::path resourceFolder() {
  if (const char* named = std::getenv("HALO_RESOURCES"); named != nullptr && *named != '\0') return named;
  const auto installed = (siblingProgram("..") / "share/haloscope").lexically_normal();
  if (std::filesystem::exists(installed / "links.toml")) return installed;
  return std::filesystem::path(HALO_SOURCE_DIR) / "resources";
}

}  // namespace halo
