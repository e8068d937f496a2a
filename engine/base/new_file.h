#pragma once

#include <filesystem>
#include <string_view>

namespace halo {

/// A file on its way to its place: the only way in which files are made. The file has no name until it is
/// whole. So nobody finds half a file, and no link that somebody planted is followed. Two programs that write
/// the same place do not meet. Nothing stays of the file when this program is killed. Where a file system
/// knows no files without a name it has a random one beside its place. Throws std::system_error with the
/// system's code, EnvironmentError as absoluteOrThrow().
class NewFile {
 public:
  explicit NewFile(std::filesystem::path place);
  /// Not put in place: nothing is left.
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  const std::filesystem::path& place() const { return place_; }
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }
  void write(std::string_view bytes);
  /// Gives it its name, in the place of what had that name: a link is replaced, not followed.
  void putInPlace();

 private:
  void giveRandomName();

  std::filesystem::path place_, part_;  // part_: its name until it is whole, if any
  int descriptor_ = -1;
};

/// Throws EnvironmentError where the name is relative and there is no working directory any more.
std::filesystem::path absoluteOrThrow(const std::filesystem::path& name);

/// Throws InputError where a pipe, a socket, a device or a recording has the name that a person gives to a
/// file. A pipe is somebody's way to data, which a file in its place would cut. What is recorded exists once.
void requireReplaceable(const std::filesystem::path& place);

/// An empty file with a random name in the folder of a place, for who can write to names only. Its maker
/// holds it by a lock, as NewFile holds what has a name. Throws std::system_error.
class HeldPart {
 public:
  explicit HeldPart(const std::filesystem::path& place);
  /// Whatever has the name then is gone.
  ~HeldPart();
  HeldPart(const HeldPart&) = delete;
  HeldPart& operator=(const HeldPart&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  /// The file stays, without its lock: it has another name now.
  void release();

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Removes what was on its way to a place in `folder` when its maker was killed: files with a random name
/// that nobody holds, and SQLite's journals of them. Cost: one pass over the folder.
void removeAbandoned(const std::filesystem::path& folder);

}  // namespace halo
