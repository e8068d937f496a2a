#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "engine/base/open_file.h"

namespace halo {

/// A plain file, open for reading. Throws std::runtime_error in the system's words.
class ReadFile {
 public:
  explicit ReadFile(const std::filesystem::path& path) : file_(path) {
    struct stat info {};
    if (!file_ || ::fstat(file_.descriptor(), &info) != 0) throw std::runtime_error(std::strerror(errno));
    if (!S_ISREG(info.st_mode)) throw std::runtime_error("it is no plain file");
  }

  std::size_t size() const {
    struct stat info {};
    if (::fstat(file_.descriptor(), &info) != 0) throw std::runtime_error(std::strerror(errno));
    return static_cast<std::size_t>(info.st_size);
  }
  void read(void* to, std::size_t count, std::size_t place) const {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t bytes =
          ::pread(file_.descriptor(), at, std::min(count, std::size_t{1} << 30), static_cast<off_t>(place));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) throw std::runtime_error(std::strerror(errno));
      if (bytes == 0) throw std::runtime_error("it ends early");
      at += bytes;
      place += static_cast<std::size_t>(bytes);
      count -= static_cast<std::size_t>(bytes);
    }
  }

 private:
  OpenFile file_;
};

}  // namespace halo
