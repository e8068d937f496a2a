#include "engine/run/launch/session_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

constexpr std::size_t kDigits = 16;

/// What the names of this user's begin with; kDigits hexadecimal digits follow.
std::string ourPrefix() { return fmt::format("haloscope-{}-", ::geteuid()); }

bool isOurs(const std::string& name) {
  const std::string prefix = ourPrefix();
  return name.starts_with(prefix) && name.size() == prefix.size() + kDigits &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos;
}

fs::path randomName(const fs::path& parent) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    random = static_cast<std::uint64_t>(::getpid());
  return parent / fmt::format("{}{:0{}x}", ourPrefix(), random, kDigits);
}

/// The lock of the folder, held; −1 where another holds it, or it is no folder of this user, or has no lock.
/// `flags`: O_CREAT | O_EXCL to make one, O_CLOEXEC to keep it from what this program starts.
int heldLock(const fs::path& folder, int flags) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return -1;
  struct stat info {};
  const bool own = ::fstat(opened, &info) == 0 && info.st_uid == ::geteuid();
  const int lock = own ? ::openat(opened, kLock, O_RDWR | O_NOFOLLOW | flags, 0600) : -1;
  ::close(opened);
  if (lock < 0) return -1;
  // a lock without a name is one whose folder somebody has just removed
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock, &info) == 0 && info.st_nlink > 0) return lock;
  ::close(lock);
  return -1;
}

/// With its lock last: what a killed program has half removed is still known for what it is.
void removeFolder(const fs::path& folder) {
  std::error_code ignored;  // the next run removes what stays
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename() != kLock) fs::remove_all(entry.path(), ignored);
  fs::remove(folder / kLock, ignored);
  fs::remove(folder, ignored);
}

/// A folder without a lock is ours only if nothing is in it: then it was left half made or half removed.
void removeAbandoned(const fs::path& parent) {
  std::error_code ignored;  // of folders that others remove at the same time
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    if (!isOurs(entry.path().filename().string())) continue;
    if (const int lock = heldLock(entry.path(), O_CLOEXEC); lock >= 0) {
      removeFolder(entry.path());
      ::close(lock);
    } else {
      ::rmdir(entry.path().c_str());
    }
  }
}

}  // namespace

SessionFolder::SessionFolder(const fs::path& parent, const std::string& remedy) {
  removeAbandoned(parent);
  constexpr int kTries =
      100;  // a folder is lost to a program that takes it for abandoned, never twice in a row
  int error = 0;
  for (int i = 0; lock_ < 0 && i < kTries; ++i) {
    path_ = randomName(parent);
    const bool made = ::mkdir(path_.c_str(), 0700) == 0;
    if (made) lock_ = heldLock(path_, O_CREAT | O_EXCL);
    error = errno;
    if (made && lock_ < 0) ::rmdir(path_.c_str());
  }
  if (lock_ < 0)
    throw EnvironmentError(fmt::format("{}: a folder for the run cannot be made there: {}; {}",
                                       parent.string(), std::strerror(error), remedy));
}

SessionFolder::~SessionFolder() {
  removeFolder(path_);
  ::close(lock_);
}

}  // namespace halo
