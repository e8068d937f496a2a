#include "app/known.h"

#include <cstdlib>

#include "engine/methods/method.h"
#include "engine/model/layer.h"
#include "engine/partition/partitioner.h"

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

Known knownHere() {
  Known known;
  known.oneWorker.clear();
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    known.methods.push_back(entry.declaration);
    if (!entry.distributed) known.oneWorker.push_back(name);
  }
  for (const auto& [name, entry] : registry<PartitionerEntry>())
    known.partitioners.push_back(entry.declaration);
  for (const auto& [name, entry] : registry<LayerEntry>()) known.layers.push_back(entry.declaration);
  known.links = readLinks(resourceFolder() / "links.toml");
  return known;
}

}  // namespace halo
