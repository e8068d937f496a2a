// The index of a recording's log. SQLite maps it and takes for granted that nobody cuts it meanwhile.
#include "engine/record/database/database_index.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/record/database/database_opening.h"
#include "engine/record/database/recording_file.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

// As SQLite's page on the format of the index has it (walformat.html).
constexpr std::int64_t kPieceBytes = 32 << 10;               // its size is a multiple of it
constexpr std::int64_t kFirstFrames = 4062, kFrames = 4096;  // of the log, that a piece tells of
constexpr std::size_t kHeaderBytes = 48;                     // and a copy of it
constexpr off_t kFramesAt = 16;
constexpr off_t kWriteLockAt = 120;

/// The file as this program has it open already. One opened beside it would, when it is closed, take the
/// locks along that SQLite has on it. −1: it is not open.
int openDescriptor(const FileIdentity& file) {
  std::error_code ignored;  // without /proc there is nobody to ask
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored))
    if (identityOf(entry.path()) == file) return std::stoi(entry.path().filename().string());
  return -1;
}

bool lockWriting(int index, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kWriteLockAt;
  lock.l_len = 1;
  return ::fcntl(index, F_SETLK, &lock) == 0;
}

/// Keeps other programs from writing to the recording.
class WriteLock {
 public:
  explicit WriteLock(int index) : index_(index) {
    const std::int64_t begin = wallNs();
    while (!(held_ = lockWriting(index, F_WRLCK)) && wallNs() - begin < kBusyMs * std::int64_t{1'000'000})
      sqlite3_sleep(5);
  }
  ~WriteLock() {
    if (held_) lockWriting(index_, F_UNLCK);
  }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;
  bool held() const { return held_; }

 private:
  int index_;
  bool held_ = false;
};

std::int64_t sizeOf(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 ? info.st_size : 0;
}

/// Whether the index holds less than its own header says, or ends within a piece.
bool isCut(int index) {
  const std::int64_t bytes = sizeOf(index);
  std::uint32_t frames = 0;
  if (::pread(index, &frames, sizeof frames, kFramesAt) != sizeof frames)
    return false;  // no header: built anew
  const std::int64_t further = frames > kFirstFrames ? (frames - kFirstFrames + kFrames - 1) / kFrames : 0;
  return bytes % kPieceBytes != 0 || bytes < (1 + further) * kPieceBytes;
}

/// Without a header SQLite builds the index anew, from the log.
bool dropHeaders(int index) {
  constexpr std::array<char, 2 * kHeaderBytes> kNothing{};
  return ::pwrite(index, kNothing.data(), kNothing.size(), 0) == static_cast<ssize_t>(kNothing.size());
}

[[noreturn]] void fail(const fs::path& index, const std::string& why) {
  throw RecordUnusable(index.string() + ": was cut by another program while it was in use, and " + why +
                       "; what is recorded is whole: leave the files beside a recording alone until nobody "
                       "has it open");
}

}  // namespace

void distrustCutIndex(const fs::path& index) {
  const auto identity = identityOf(index);
  if (!identity) return;
  const int open = openDescriptor(*identity);
  const int own = open < 0 ? ::open(index.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  const int descriptor = open < 0 ? own : open;
  if (descriptor < 0) return;  // who may not write it cannot have SQLite trust it either
  if (isCut(descriptor)) {
    const WriteLock lock(descriptor);  // who makes the index longer holds it too
    if (lock.held() && isCut(descriptor)) dropHeaders(descriptor);
  }
  if (own >= 0) ::close(own);
}

IndexState mendCutIndex(const fs::path& index, std::int64_t& seenBytes, bool writing) {
  struct stat info {};
  if (::stat(index.c_str(), &info) != 0) return IndexState::whole;  // SQLite still has what was removed
  if (info.st_size >= seenBytes) {
    seenBytes = info.st_size;
    return IndexState::whole;
  }
  const int descriptor = openDescriptor({info.st_dev, info.st_ino});
  if (descriptor < 0) return IndexState::whole;  // another file, which SQLite has not mapped
  std::optional<WriteLock> lock;  // of an open transaction SQLite holds it, and shall not lose it here
  if (!writing && !lock.emplace(descriptor).held())
    throw RecordLocked(index.string() +
                       ": was cut by another program, and cannot be made anew while one writes; end its "
                       "transaction");
  if (!dropHeaders(descriptor)) fail(index, std::string("cannot be written: ") + std::strerror(errno));
  if (const int error = ::posix_fallocate(descriptor, 0, seenBytes))
    fail(index, std::string("cannot be made as long as it was: ") + std::strerror(error));
  return IndexState::mended;
}

}  // namespace halo
