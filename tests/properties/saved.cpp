#include "tests/properties/saved.h"

#include <cstdlib>
#include <fstream>

#include "datasets/load.h"

namespace halo::properties {
namespace {

/// Without these variables there is no folder of converted sets.
class NoCache {
 public:
  NoCache() {
    for (Variable& variable : variables_)
      if (const char* value = std::getenv(variable.name)) {
        variable.value = value;
        ::unsetenv(variable.name);
      }
  }
  ~NoCache() {
    for (const Variable& variable : variables_)
      if (!variable.value.empty()) ::setenv(variable.name, variable.value.c_str(), 1);
  }
  NoCache(const NoCache&) = delete;
  NoCache& operator=(const NoCache&) = delete;

 private:
  struct Variable {
    const char* name;
    std::string value = {};
  };
  Variable variables_[2] = {{"XDG_CACHE_HOME"}, {"HOME"}};
};

}  // namespace

SavedSet::SavedSet(const Written& written) : open_(folder_ / written.open) {
  for (const File& file : written.files) {
    std::filesystem::create_directories((folder_ / file.name).parent_path());
    std::ofstream(folder_ / file.name, std::ios::binary) << render(file);
    File plain = file;
    plain.packing = Packing::none;
    listing_ += "--- " + file.name + "\n" + (file.arrays.empty() ? render(plain) : "(arrays)\n");
  }
}

Dataset SavedSet::load(const std::string& format, bool directed) const {
  const NoCache none;
  DatasetRequest request;
  request.name = open_.string();
  request.format = format;
  request.directed = directed;
  return loadDataset(request);
}

}  // namespace halo::properties
