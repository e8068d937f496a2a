#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "datasets/input/growing.h"
#include "datasets/input/limits.h"
#include "engine/base/matrix.h"

namespace halo {

/// The text of one file, unpacked as it is read. The file is plain, gzip, bzip2, xz, zstd, or a zip archive
/// with one file, which its first bytes tell. All but a zip archive may come through a pipe. A byte order
/// mark of UTF-8 before the text is left out. Throws DamagedInput (file, what would be right) for files that
/// are damaged or unreadable. Throws it also for what is plainly no data (signature.h), and for text that
/// swells beyond its limit (limits.h).
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
  /// Of the whole file; of a pipe, what was read of it.
  double packedBytes() const;
  /// As the file says before it is read to its end; −1: it does not.
  double unpackedBytes() const;
  const std::filesystem::path& path() const { return path_; }

  /// To be asked before a line longer than any so far is held. Throws DamagedInput at `line` if a file that
  /// is packed so well can hardly mean it.
  void requireLine(std::size_t bytes, Index line) const;
  /// To be asked before so many bytes are held beside what was read: throws DamagedInput if the file does not
  /// justify both.
  void requireBeside(std::size_t bytes) const;

  class Decoder;  // one a packing

 private:
  void begin();
  void look();

  std::filesystem::path path_;
  std::unique_ptr<Decoder> decoder_;
  bool begun_ = false;
  std::string start_;          // first bytes, looked at and not yet given out
  std::exception_ptr damage_;  // met among them
  double unpacked_ = 0, nextLook_;
  std::optional<MemoryGrowth> growth_;
};

/// The first `count` unpacked bytes, fewer if the file is shorter or damaged: for telling formats apart.
std::string headOf(const std::filesystem::path& file, std::size_t count = 1 << 16);

/// Whether a packed text unpacks to so much, and to so many times its file, that nobody should read it in
/// vain more than once. Throws Swollen where nobody can come to its end.
bool swells(const std::filesystem::path& file);

/// Everything in the file, unpacked.
Growing<char> contentsOf(const std::filesystem::path& file);

/// Throws DamagedInput if the file cannot be unpacked or is plainly no data, saying what it is and what to
/// do. Asks neither folders, nor pipes, which can be read only once, nor what a zip archive holds.
void requireData(const std::filesystem::path& file);

}  // namespace halo
