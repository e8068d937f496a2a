#include "engine/base/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
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

#include "engine/base/index.h"
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

/// By the mark of our files in SQLite's header.
bool isRecording(const fs::path& file) {
  constexpr std::string_view kSqlite("SQLite format 3\0", 16), kOurs = "HALO";
  constexpr std::size_t kMark = 68;
  std::array<char, kMark + 4> head{};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  const ssize_t read = ::read(descriptor, head.data(), head.size());
  ::close(descriptor);
  const std::string_view bytes(head.data(), read < 0 ? 0 : at(read));
  return bytes.size() == head.size() && bytes.starts_with(kSqlite) && bytes.ends_with(kOurs);
}

constexpr std::string_view kPartBegin = ".haloscope-", kPartEnd = ".part";
constexpr std::size_t kPartDigits = 16;

fs::path randomNameBeside(const fs::path& place) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) fail(place);
  std::array<char, kPartDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(random));
  return folderOf(place) / (std::string(kPartBegin) + digits.data() + std::string(kPartEnd));
}

bool isPartName(std::string_view name) {
  if (!name.starts_with(kPartBegin) || !name.ends_with(kPartEnd)) return false;
  name.remove_prefix(kPartBegin.size());
  name.remove_suffix(kPartEnd.size());
  return name.size() == kPartDigits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether this descriptor has the lock now. Where locks are unknown nobody removes anything.
bool hold(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

/// Makes a file that this program holds. Who looks for abandoned ones between the making and the lock removes
/// it; then there is another.
int makeHeld(const fs::path& place, fs::path& part) {
  for (;;) {
    part = randomNameBeside(place);
    const int descriptor = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(place);
    hold(descriptor);
    struct stat info {};
    if (::fstat(descriptor, &info) != 0 || info.st_nlink > 0) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

HeldPart::HeldPart(const fs::path& place) : descriptor_(makeHeld(place, path_)) {}

HeldPart::~HeldPart() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

void HeldPart::release() { ::close(std::exchange(descriptor_, -1)); }

void removeAbandoned(const fs::path& folder) {
  std::error_code ignored;  // what cannot be looked at is left
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!isPartName(entry.path().filename().string())) continue;
    const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat info {};
    if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && hold(descriptor)) {
      ::unlink(entry.path().c_str());
      ::unlink((entry.path().string() + "-journal").c_str());
    }
    ::close(descriptor);
  }
}

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
  const char* kind = fs::is_regular_file(status) && isRecording(place)            ? "a recording"
                     : fs::is_fifo(status)                                        ? "a pipe"
                     : fs::is_socket(status)                                      ? "a socket"
                     : fs::is_character_file(status) || fs::is_block_file(status) ? "a device"
                                                                                  : nullptr;
  if (kind == nullptr) return;
  throw InputError(
      Problem{.file = place.string(), .message = std::string("is ") + kind + "; name a file, or a new one"});
}

NewFile::NewFile(fs::path place) : place_(std::move(place)) {
  absoluteOrThrow(place_);
  descriptor_ = openNameless(folderOf(place_));
  if (descriptor_ >= 0) return;
  descriptor_ = makeHeld(place_, part_);
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
    bytes.remove_prefix(at(written));
  }
}

void NewFile::giveRandomName() {
  hold(descriptor_);
  fs::path part = randomNameBeside(place_);
  if (::linkat(AT_FDCWD, linkOf(descriptor_).c_str(), AT_FDCWD, part.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(place_);
  part_ = std::move(part);
}

void NewFile::putInPlace() {
  if (part_.empty()) giveRandomName();  // a name that is taken cannot be given to it: only a rename replaces
  const int held = ::dup(descriptor_);  // the lock stays until the name is another one
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
  const bool placed = closed && ::rename(part_.c_str(), place_.c_str()) == 0;
  const int error = errno;
  if (held >= 0) ::close(held);
  errno = error;
  if (!placed) fail(place_);
  part_.clear();
}

}  // namespace halo
