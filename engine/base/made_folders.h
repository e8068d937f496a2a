#pragma once

#include <filesystem>
#include <vector>

namespace halo {

/// Folders made on the way to files. Those that are empty when this goes, go too: a file that did not come
/// about leaves nothing behind.
class MadeFolders {
 public:
  MadeFolders() = default;
  ~MadeFolders();
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

  /// Makes what is missing of it. Throws std::system_error with the system's code, EEXIST or ENOTDIR where a
  /// file is in the place of a folder.
  void make(const std::filesystem::path& folder);

 private:
  std::vector<std::filesystem::path> made_;
};

}  // namespace halo
