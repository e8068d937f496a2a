#pragma once

#include <filesystem>
#include <string>

namespace halo {

/// A folder for what the launcher and the ranks of one run keep beside them: session files, shared memory.
/// Gone with this. Where this program was killed the folder stays, until the next program comes. Each first
/// removes folders of this user that carry our name and whose lock nobody holds. It never goes by the number
/// of a process. The launcher inherits the lock, and holds it as long as it lives.
class SessionFolder {
 public:
  /// In `parent`. Throws EnvironmentError, with `remedy`, where it cannot be made.
  SessionFolder(const std::filesystem::path& parent, const std::string& remedy);
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace halo
