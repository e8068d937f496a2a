#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace halo {

/// The text of one file, unpacked as it is read: plain, gzip, xz, or a zip archive with one member; its first
/// bytes tell which. All but a zip archive may come through a pipe. A byte order mark of UTF-8 before the
/// text is left out. Throws DamagedInput (file, what would be right) for damaged or unreadable ones.
class PackedFile {
 public:
  explicit PackedFile(std::filesystem::path file);
  ~PackedFile();
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  /// At most `count` bytes; 0 only at the end.
  std::size_t read(char* to, std::size_t count);
  /// Of the packed bytes, how many are read: [0, 1].
  double share() const;
  const std::filesystem::path& path() const { return path_; }

  class Decoder;  // one a packing

 private:
  std::filesystem::path path_;
  std::unique_ptr<Decoder> decoder_;
  bool begun_ = false;
  std::string start_;  // first bytes, looked at and not yet given out
};

/// The first `count` unpacked bytes, fewer if the file is shorter or damaged: for telling formats apart.
std::string headOf(const std::filesystem::path& file, std::size_t count = 1 << 16);

/// Everything in the file, unpacked.
std::string contentsOf(const std::filesystem::path& file);

}  // namespace halo
