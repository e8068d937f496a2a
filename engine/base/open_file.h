#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace halo {

/// A file that is open for reading as long as the object lives. Opening waits for nobody: a pipe that no one
/// writes into is at its end at once.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file)
      : descriptor_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }  // false: errno says why
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace halo
