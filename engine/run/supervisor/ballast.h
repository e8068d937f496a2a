#pragma once

#include <filesystem>

namespace halo {

/// Some room on the disk of a recording, held while a run goes on. When the disk is full it is given back:
/// enough to write down why the run ended. A file without a name: nothing is left behind whatever happens.
/// Where the file system cannot do that, or has no room, there is none.
class Ballast {
 public:
  explicit Ballast(const std::filesystem::path& recording);
  ~Ballast() { release(); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;
  void release();

 private:
  int file_ = -1;
};

}  // namespace halo
