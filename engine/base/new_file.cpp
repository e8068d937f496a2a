#include "engine/base/new_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

fs::path folderOf(const fs::path& place) { return place.has_parent_path() ? place.parent_path() : "."; }

/// How the system names an open file; a file without another name gets one by it.
std::string linkOf(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

/// −1 where there are no files without a name.
int openNameless(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  struct stat info {};
  if (descriptor < 0 || ::stat(linkOf(descriptor).c_str(), &info) == 0) return descriptor;
  ::close(descriptor);  // without /proc it could get no name
  return -1;
}

}  // namespace

fs::path absoluteOrThrow(const fs::path& name) {
  std::error_code error;
  fs::path place = fs::absolute(name, error);
  if (error)
    throw EnvironmentError(name.string() + ": cannot be found, the working directory is gone (" +
                           error.message() + "); change to one that is there");
  return place;
}

void requireReplaceable(const fs::path& place) {
  std::error_code ignored;  // what cannot be looked at cannot be written either
  const fs::file_status status = fs::symlink_status(place, ignored);
  const char* kind = fs::is_fifo(status)                                          ? "a pipe"
                     : fs::is_socket(status)                                      ? "a socket"
                     : fs::is_character_file(status) || fs::is_block_file(status) ? "a device"
                                                                                  : nullptr;
  if (kind == nullptr) return;
  throw InputError(
      Problem{.file = place.string(), .message = std::string("is ") + kind + "; name a file, or a new one"});
}

fs::path randomNameBeside(const fs::path& place) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) fail(place);
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), ".haloscope-%016llx.part", static_cast<unsigned long long>(random));
  return folderOf(place) / name.data();
}

NewFile::NewFile(fs::path place) : place_(std::move(place)) {
  absoluteOrThrow(place_);
  descriptor_ = openNameless(folderOf(place_));
  if (descriptor_ >= 0) return;
  fs::path part = randomNameBeside(place_);
  descriptor_ = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(place_);
  part_ = std::move(part);
}

NewFile::NewFile(NewFile&& other) noexcept
    : place_(std::move(other.place_)),
      part_(std::exchange(other.part_, fs::path())),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(place_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void NewFile::giveRandomName() {
  fs::path part = randomNameBeside(place_);
  if (::linkat(AT_FDCWD, linkOf(descriptor_).c_str(), AT_FDCWD, part.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(place_);
  part_ = std::move(part);
}

void NewFile::putInPlace() {
  if (part_.empty()) giveRandomName();  // a name that is taken cannot be given to it: only a rename replaces
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(place_);
  if (::rename(part_.c_str(), place_.c_str()) != 0) fail(place_);
  part_.clear();
}

}  // namespace halo
