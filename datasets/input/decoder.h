#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "datasets/input/unpack.h"

namespace halo {

/// A file of the system, read from the start.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// The first bytes, `count` if there are so many, before any is read; read() gives them out again. The file
  /// is opened once: it may be a pipe.
  std::string_view peek(std::size_t count);
  std::size_t read(void* to, std::size_t count);
  /// Neither a pipe nor a device: it can be opened again, and read from anywhere.
  bool plain() const { return plain_; }
  double share() const;
  /// Of the whole file, or of what was read of a pipe.
  double bytes() const { return static_cast<double>(plain_ ? size_ : consumed_); }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::size_t readOn(void* to, std::size_t count);

  std::filesystem::path path_;
  std::string ahead_;
  mutable int handle_;
  off_t size_ = 0, consumed_ = 0;
  bool plain_ = false;
};

/// What unpacks one file.
class PackedFile::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::size_t read(char* to, std::size_t count) = 0;
  virtual double share() const = 0;
  /// Packed, of the whole file if that is known.
  virtual double packedBytes() const = 0;
  /// −1: unknown before the end.
  virtual double unpackedBytes() const { return -1; }
};

using DecoderPointer = std::unique_ptr<PackedFile::Decoder>;

/// The decoder of a stream that begins with `start`; none: it is not packed as gzip, bzip2, xz or zstd. All
/// of them may be several streams one after the other, as `cat a.gz b.gz` makes them.
DecoderPointer streamDecoder(std::string_view start, const std::filesystem::path& path,
                             std::unique_ptr<Descriptor>& file);

/// Whether a file that begins so is packed as one of them, or is a zip archive.
bool beginsPacked(std::string_view start);

}  // namespace halo
