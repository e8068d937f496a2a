#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/made_folders.h"
#include "engine/base/new_file.h"

namespace halo {

/// Whether a file of this name would be written over; a link that leads nowhere is somebody's too.
bool isTaken(const std::filesystem::path& file);

/// Throws why a file or folder cannot be written, by the system's code: DiskFull or RecordUnusable.
[[noreturn]] void failOutput(const std::filesystem::path& file, int error);

/// Makes a folder to write into. Throws as failOutput() does, and InputError where a file is in its place.
void makeFolder(MadeFolders& folders, const std::filesystem::path& folder);

/// A file being exported: put in place by close(), so that nobody ever finds half a file.
/// Compressed when the name ends in .gz. Throws DiskFull or RecordUnusable with the system's words.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& file);
  ~OutputFile();  // not closed: nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  OutputFile& operator<<(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() > kBufferBytes) flush();
    return *this;
  }
  OutputFile& operator<<(char c) { return *this << std::string_view(&c, 1); }
  OutputFile& operator<<(std::int64_t value) { return number(value); }
  /// The shortest digits that read back as the same number.
  OutputFile& operator<<(double value) { return number(value); }
  /// Everything so far is with the system, which may say that there is no room.
  void flush();
  void close();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  template <class T>
  OutputFile& number(T value) {
    char digits[32];
    return *this << std::string_view(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }

  NewFile file_;
  std::string buffer_;
  void* zip_ = nullptr;  // gzFile
};

}  // namespace halo
