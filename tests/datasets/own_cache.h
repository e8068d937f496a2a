#pragma once

#include <cstdlib>
#include <fstream>

#include "tests/support/scratch.h"

namespace halo {

/// A scratch folder in which the cache of converted sets lies as long as the object lives.
class OwnCache {
 public:
  OwnCache() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    before_ = before ? before : "";
    ::setenv("XDG_CACHE_HOME", cache().c_str(), 1);
  }
  ~OwnCache() {
    if (before_.empty())
      ::unsetenv("XDG_CACHE_HOME");
    else
      ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;

  std::filesystem::path cache() const { return scratch_ / "cache"; }
  std::filesystem::path path(const std::string& name) const { return scratch_ / name; }
  /// Writes a file, folders on the way included.
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  Scratch scratch_;
  std::string before_;
};

}  // namespace halo
