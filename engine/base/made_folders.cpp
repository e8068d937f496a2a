#include "engine/base/made_folders.h"

#include <cerrno>
#include <system_error>

namespace halo {

namespace fs = std::filesystem;

MadeFolders::~MadeFolders() {
  std::error_code ignored;  // one that holds something stays
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
}

void MadeFolders::make(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, error); at = at.parent_path())
    missing.push_back(at);
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    if (fs::create_directory(*at, error)) made_.push_back(*at);
    if (error) throw std::system_error(error);
  }
  if (!fs::is_directory(folder, error)) throw std::system_error(ENOTDIR, std::generic_category());
}

}  // namespace halo
