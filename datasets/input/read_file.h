#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace halo {

/// A plain file, open for reading. Throws std::runtime_error in the system's words.
class ReadFile {
 public:
  explicit ReadFile(const std::filesystem::path& path)
      : handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a pipe is not waited for
    struct stat info {};
    if (handle_ < 0 || ::fstat(handle_, &info) != 0) throw std::runtime_error(std::strerror(errno));
    if (S_ISREG(info.st_mode)) return;
    ::close(handle_);
    throw std::runtime_error("it is no plain file");
  }
  ~ReadFile() { ::close(handle_); }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;

  std::size_t size() const {
    struct stat info {};
    if (::fstat(handle_, &info) != 0) throw std::runtime_error(std::strerror(errno));
    return static_cast<std::size_t>(info.st_size);
  }
  void read(void* to, std::size_t count, std::size_t place) const {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t bytes =
          ::pread(handle_, at, std::min(count, std::size_t{1} << 30), static_cast<off_t>(place));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) throw std::runtime_error(std::strerror(errno));
      if (bytes == 0) throw std::runtime_error("it ends early");
      at += bytes;
      place += static_cast<std::size_t>(bytes);
      count -= static_cast<std::size_t>(bytes);
    }
  }

 private:
  int handle_;
};

}  // namespace halo
