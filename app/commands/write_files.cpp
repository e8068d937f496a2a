#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "app/commands/command.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw EnvironmentError(fmt::format(
      "{}: cannot be written: {}; {} with -o; nothing was left behind", file.string(), std::strerror(error),
      full ? "make room or name a place on another disk" : "name a place where you may write"));
}

/// Files on their way. Those not put in place are removed, and so are the folders made for them.
class Unfinished {
 public:
  Unfinished() = default;
  ~Unfinished() {
    std::error_code ignored;  // there is nothing more to be done about a file that stays
    for (const auto& [part, place] : parts_) fs::remove(part, ignored);
    if (done_) return;
    for (const fs::path& place : placed_) fs::remove(place, ignored);
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) fs::remove(*folder, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  void write(const FileToWrite& file) {
    const auto& [place, contents] = file;
    makeFolder(place);
    const fs::path to = partOf(place);
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    if (!out) fail(place, errno);
    if (to != place) parts_.emplace_back(to, place);
    out.exceptions(std::ios::badbit | std::ios::failbit);
    try {
      contents(out);
      out.close();
    } catch (const std::ios_base::failure&) {
      fail(place, errno);
    }
  }
  void putInPlace() {
    while (!parts_.empty()) {
      const auto [part, place] = parts_.back();
      std::error_code error;
      const bool isNew = !fs::exists(place, error);
      fs::rename(part, place, error);
      if (error) fail(place, error.value());
      parts_.pop_back();
      if (isNew) placed_.push_back(place);
    }
    done_ = true;
  }

 private:
  /// What is no plain file (a pipe, /dev/stdout) is written to as it is.
  static fs::path partOf(const fs::path& place) {
    std::error_code ignored;  // what cannot be looked at cannot be opened either
    const fs::file_status status = fs::symlink_status(place, ignored);
    const bool plain = !fs::exists(status) || fs::is_regular_file(status);
    return plain ? fs::path(fmt::format("{}.{}.part", place.string(), ::getpid())) : place;
  }
  void makeFolder(const fs::path& place) {
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path folder = place.parent_path(); !folder.empty() && !fs::exists(folder, error);
         folder = folder.parent_path())
      missing.push_back(folder);
    for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
      if (fs::create_directory(*folder, error)) folders_.push_back(*folder);
      if (error) fail(place, error.value());
    }
  }

  std::vector<std::pair<fs::path, fs::path>> parts_;  // being written, its place
  std::vector<fs::path> placed_, folders_;            // new ones only
  bool done_ = false;
};

}  // namespace

void writeFiles(const std::vector<FileToWrite>& files) {
  Unfinished unfinished;
  for (const FileToWrite& file : files) unfinished.write(file);
  unfinished.putInPlace();
}

}  // namespace halo
