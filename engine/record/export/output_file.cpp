#include "engine/record/export/output_file.h"

#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/base/no_room.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"

namespace halo {
namespace {

/// What `work` gives, its failure in our words.
template <class Work>
auto failingAsOutput(const std::filesystem::path& file, Work work) {
  try {
    return work();
  } catch (const std::system_error& error) {
    failOutput(file, error.code().value());
  }
}

NewFile replacing(const std::filesystem::path& file) {
  requireReplaceable(file);
  return NewFile(file);
}

/// Why zlib could not write; it only says whether the system knows.
int writeError(gzFile zip) {
  const int error = errno;
  int code = Z_OK;
  gzerror(zip, &code);
  return code == Z_ERRNO && error != 0 ? error : EIO;
}

}  // namespace

void failOutput(const std::filesystem::path& file, int error) {
  const std::string message =
      file.string() + ": cannot be written: " + std::generic_category().message(error);
  if (isNoRoom(error))
    throw DiskFull(message, roomRemedy(error) + (error == EFBIG ? "" : " or export to another disk") +
                                "; the recording itself is untouched");
  if (error == EMFILE) throw RecordUnusable(message + "; raise the limit with: ulimit -n");
  throw RecordUnusable(message + "; name another folder");
}

void makeFolder(MadeFolders& folders, const std::filesystem::path& folder) {
  try {
    folders.make(folder);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::not_a_directory || error.code() == std::errc::file_exists)
      throw InputError(
          {.file = folder.string(),
           .key = "--output",
           .message = "cannot be a folder: a file is in its place; name one that is there or can be made"});
    failOutput(folder, error.code().value());
  }
}

bool isTaken(const std::filesystem::path& file) {
  std::error_code ignored;  // what cannot be looked at cannot be written either
  return std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
}

OutputFile::OutputFile(const std::filesystem::path& file)
    : file_(failingAsOutput(file, [&] { return replacing(file); })) {
  if (file.extension() == ".gz") {
    zip_ = gzdopen(dup(file_.descriptor()), "wb4");  // 4: half the time of 6, 5 % larger
    if (zip_ == nullptr) failOutput(file, errno);
  }
  buffer_.reserve(2 * kBufferBytes);
}

OutputFile::~OutputFile() {
  if (zip_ != nullptr) gzclose(static_cast<gzFile>(zip_));
}

void OutputFile::flush() {
  if (zip_ != nullptr) {
    const auto size = static_cast<unsigned>(buffer_.size());
    if (size > 0 && gzwrite(static_cast<gzFile>(zip_), buffer_.data(), size) == 0)
      failOutput(file_.place(), writeError(static_cast<gzFile>(zip_)));
  } else {
    failingAsOutput(file_.place(), [&] { file_.write(buffer_); });
  }
  buffer_.clear();
}

void OutputFile::close() {
  flush();
  if (zip_ != nullptr) {
    errno = 0;  // gzclose need not set it
    if (gzclose(static_cast<gzFile>(std::exchange(zip_, nullptr))) != Z_OK)
      failOutput(file_.place(), errno != 0 ? errno : EIO);
  }
  failingAsOutput(file_.place(), [&] { file_.putInPlace(); });
}

}  // namespace halo
