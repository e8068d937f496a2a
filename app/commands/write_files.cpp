#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <memory>
#include <ostream>
#include <streambuf>
#include <system_error>

#include "app/commands/command.h"
#include "engine/base/index.h"
#include "engine/base/made_folders.h"
#include "engine/base/new_file.h"
#include "engine/base/no_room.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, int error) {
  if (error == ENXIO)  // of a pipe
    throw EnvironmentError(fmt::format(
        "{}: cannot be written: is a pipe that nobody reads; start its reader first, or name another file "
        "with -o",
        onOneLine(file.string())));
  std::string remedy = "name a place where you may write with -o";
  if (isNoRoom(error)) remedy = roomRemedy(error);
  if (isNoRoom(error) && error != EFBIG) remedy += " or name a place on another disk with -o";
  throw EnvironmentError(fmt::format("{}: cannot be written: {}; {}; nothing was left behind", file.string(),
                                     std::generic_category().message(error), remedy));
}

/// A stream into write(bytes), which throws: unlike a std::ofstream's, its failures carry the system's code.
template <class Write>
class Buffered final : public std::streambuf {
 public:
  explicit Buffered(Write write) : write_(std::move(write)) { setp(bytes_.begin(), bytes_.end()); }

 private:
  int_type overflow(int_type c) override {
    sync();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    write_(std::string_view(pbase(), at(pptr() - pbase())));
    setp(bytes_.begin(), bytes_.end());
    return 0;
  }

  std::array<char, 1 << 16> bytes_;
  Write write_;
};

template <class Write>
void writeThrough(const std::function<void(std::ostream&)>& contents, Write write) {
  Buffered buffer(write);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit | std::ios::failbit);  // what write(bytes) throws comes through as it is
  contents(out);
  out.flush();
}

/// What is no plain file (a pipe, /dev/stdout) is written to as it is. A link is replaced, wherever it leads,
/// but for those of the system.
bool isWrittenAsItIs(const fs::path& place) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either
  const fs::file_status status = fs::status(place, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) return true;
  const std::string folder = fs::weakly_canonical(place.parent_path(), ignored).string();
  return folder == "/dev" || folder.starts_with("/dev/fd") || folder.starts_with("/proc/");
}

void writeTo(const fs::path& place, const std::function<void(std::ostream&)>& contents) {
  // a pipe that nobody reads is an error then, where it would be waited for without an end
  const int descriptor = ::open(place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category());
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  const std::unique_ptr<const int, void (*)(const int*)> closed(&descriptor,
                                                                [](const int* d) { ::close(*d); });
  writeThrough(contents, [&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw std::system_error(errno, std::generic_category());
      bytes.remove_prefix(at(written));
    }
  });
}

/// Files on their way. Those not put in place are gone with this, and so are the folders made for them.
class Unfinished {
 public:
  Unfinished() = default;
  ~Unfinished() {
    files_.clear();  // before their folders
    if (done_) return;
    std::error_code ignored;  // there is nothing more to be done about a file that stays
    for (const fs::path& place : placed_) fs::remove(place, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  void write(const FileToWrite& file) {
    const auto& [place, contents] = file;
    makeFolder(place);
    try {
      if (isWrittenAsItIs(place)) return writeTo(place, contents);
      requireReplaceable(place);
      NewFile& out = files_.emplace_back(place);
      writeThrough(contents, [&](std::string_view bytes) { out.write(bytes); });
    } catch (const std::system_error& error) {
      fail(place, error.code().value());
    }
  }
  void putInPlace() {
    for (NewFile& file : files_) {
      std::error_code ignored;
      const bool isNew = !fs::exists(fs::symlink_status(file.place(), ignored));
      try {
        file.putInPlace();
      } catch (const std::system_error& error) {
        fail(file.place(), error.code().value());
      }
      if (isNew) placed_.push_back(file.place());
    }
    done_ = true;
  }

 private:
  void makeFolder(const fs::path& place) {
    absoluteOrThrow(place);
    try {
      if (place.has_parent_path()) folders_.make(place.parent_path());
    } catch (const std::system_error& error) {
      if (error.code() == std::errc::not_a_directory || error.code() == std::errc::file_exists)
        throw InputError(
            Problem{.file = place.parent_path().string(),
                    .key = "--output",
                    .message = "cannot be a folder: a file is in its place; name another with -o"});
      fail(place, error.code().value());
    }
  }

  MadeFolders folders_;  // goes after the files
  std::deque<NewFile> files_;
  std::vector<fs::path> placed_;  // new ones only
  bool done_ = false;
};

}  // namespace

void writeFiles(const std::vector<FileToWrite>& files) {
  Unfinished unfinished;
  for (const FileToWrite& file : files) unfinished.write(file);
  unfinished.putInPlace();
}

}  // namespace halo
