#include "datasets/input/decoder.h"

#include <bzlib.h>
#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "datasets/input/archive.h"
#include "datasets/input/limits.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({.file = file.string(), .message = message});
}

constexpr std::size_t kInputBytes = std::size_t{1} << 18;

/// What the decoders of streams have in common: input by blocks, and streams that follow each other.
class Stream : public PackedFile::Decoder {
 public:
  Stream(const char* name, const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : name_(name), path_(path), file_(std::move(file)), input_(kInputBytes) {}
  double share() const override { return file_->share(); }
  double packedBytes() const override { return file_->bytes(); }

 protected:
  /// The next block of the file; empty at its end.
  std::string_view block() { return {input_.data(), file_->read(input_.data(), input_.size())}; }
  [[noreturn]] void endsEarly() const {
    damaged(path_, "the " + name_ + " data end early; is the download complete?");
  }
  std::string damage() const { return "the " + name_ + " data are damaged"; }
  [[noreturn]] void noMemory() const { damaged(path_, "cannot be unpacked: no memory for " + name_); }
  /// Behind the last stream only zeros may stand, with which some programs fill blocks. `rest` was read
  /// already.
  void requirePadding(std::string_view rest) {
    for (; !rest.empty(); rest = block())
      if (rest.find_first_not_of('\0') != std::string_view::npos)
        damaged(path_, "something else follows the " + name_ + " data; only " + name_ + " data may follow");
  }

  std::string name_;
  std::filesystem::path path_;
  std::unique_ptr<Descriptor> file_;

 private:
  std::vector<char> input_;
};

class Gzip final : public Stream {
 public:
  Gzip(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : Stream("gzip", path, std::move(file)) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) noMemory();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    const auto capacity = static_cast<uInt>(std::min(count, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = capacity;
    // what came out before the damage is given out first
    while (!done_ && damage_.empty() && stream_.avail_out == capacity) step();
    if (!damage_.empty() && stream_.avail_out == capacity) damaged(path_, damage_);
    return capacity - stream_.avail_out;
  }

 private:
  bool refill() {
    const std::string_view next = block();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
    stream_.avail_in = static_cast<uInt>(next.size());
    return !next.empty();
  }
  void step() {
    if (stream_.avail_in == 0 && !refill()) {
      if (!between_) endsEarly();
      done_ = true;
      return;
    }
    if (between_) {
      if (*stream_.next_in != 0x1f) {
        requirePadding({reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in});
        done_ = true;
        return;
      }
      inflateReset(&stream_);
      between_ = false;
    }
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END)
      between_ = true;
    else if (code != Z_OK && code != Z_BUF_ERROR)
      damage_ = damage() + ": " + (stream_.msg ? stream_.msg : "unknown block");
  }

  z_stream stream_{};
  bool between_ = false, done_ = false;
  std::string damage_;
};

class Bzip2 final : public Stream {
 public:
  Bzip2(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : Stream("bzip2", path, std::move(file)) {
    begin();
  }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2(const Bzip2&) = delete;
  Bzip2& operator=(const Bzip2&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    const auto capacity = static_cast<unsigned>(std::min(count, std::size_t{1} << 30));
    stream_.next_out = to;
    stream_.avail_out = capacity;
    while (!done_ && stream_.avail_out == capacity) step();
    return capacity - stream_.avail_out;
  }

 private:
  void begin() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) noMemory();
  }
  bool refill() {
    const std::string_view next = block();
    stream_.next_in = const_cast<char*>(next.data());
    stream_.avail_in = static_cast<unsigned>(next.size());
    return !next.empty();
  }
  void step() {
    if (stream_.avail_in == 0 && !refill()) {
      if (!between_) endsEarly();
      done_ = true;
      return;
    }
    if (between_ && *stream_.next_in != 'B') {
      requirePadding({stream_.next_in, stream_.avail_in});
      done_ = true;
      return;
    }
    if (between_) {
      BZ2_bzDecompressEnd(&stream_);
      begin();
    }
    const int code = BZ2_bzDecompress(&stream_);
    between_ = code == BZ_STREAM_END;
    if (code != BZ_STREAM_END && code != BZ_OK) damaged(path_, damage());
  }

  bz_stream stream_{};
  bool between_ = false, done_ = false;
};

class Xz final : public Stream {
 public:
  Xz(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : Stream("xz", path, std::move(file)) {
    begin();
  }
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = count;
    while (!done_ && stream_.avail_out == count) step();
    return count - stream_.avail_out;
  }

 private:
  void begin() {
    if (lzma_stream_decoder(&stream_, limit_, 0) != LZMA_OK) noMemory();
  }
  bool refill() {
    const std::string_view next = block();
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(next.data());
    stream_.avail_in = next.size();
    return !next.empty();
  }
  void step() {
    if (stream_.avail_in == 0 && !refill()) {
      if (!between_) endsEarly();
      done_ = true;
      return;
    }
    if (between_ && !beginsNext()) return;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (code == LZMA_STREAM_END)
      between_ = true;
    else if (code == LZMA_MEMLIMIT_ERROR)
      allow(lzma_memusage(&stream_));
    else if (code != LZMA_OK && code != LZMA_BUF_ERROR)
      damaged(path_, damage());
  }
  /// Whether another stream begins here. Zeros may stand before it: the format pads streams with them.
  bool beginsNext() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (*stream_.next_in != 0xfd)
      requirePadding({reinterpret_cast<const char*>(stream_.next_in), stream_.avail_in});
    begin();
    between_ = false;
    return true;
  }
  /// Large dictionaries are rare; the file has to be worth one.
  void allow(std::uint64_t bytes) {
    requireRoom(static_cast<double>(bytes), packedBytes(), "the dictionary of the xz data",
                {.file = path_.string()});
    limit_ = bytes;
    lzma_memlimit_set(&stream_, limit_);
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::uint64_t limit_ = static_cast<std::uint64_t>(kUnjustifiedBytes);
  bool between_ = false, done_ = false;
};

class Zstd final : public Stream {
 public:
  Zstd(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : Stream("zstd", path, std::move(file)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) noMemory();
    // as `zstd --long=31` writes; memory is taken as far as the data fill it
    constexpr int kLargestWindow = 31;
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kLargestWindow);
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    ZSTD_outBuffer out{to, count, 0};
    while (!done_ && out.pos == 0) step(out);
    return out.pos;
  }

 private:
  void step(ZSTD_outBuffer& out) {
    if (in_.pos == in_.size) {
      const std::string_view next = block();
      in_ = {next.data(), next.size(), 0};
      ended_ = next.empty();
    }
    const std::size_t before = in_.pos;
    if (between_ && ended_) {
      done_ = true;
      return;
    }
    if (between_ && static_cast<const char*>(in_.src)[in_.pos] == '\0') {
      requirePadding({static_cast<const char*>(in_.src) + in_.pos, in_.size - in_.pos});
      done_ = true;
      return;
    }
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in_);
    if (ZSTD_isError(left)) damaged(path_, damage() + ": " + ZSTD_getErrorName(left));
    between_ = left == 0;
    if (ended_ && !between_ && out.pos == 0 && in_.pos == before) endsEarly();
  }

  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool between_ = false, ended_ = false, done_ = false;
};

/// Zstandard, or a frame of it that is to be skipped: 50 to 5f, 2a 4d 18.
bool isZstd(std::string_view start) {
  return start.starts_with("\x28\xb5\x2f\xfd") ||
         (start.size() >= 4 && (start[0] & 0xf0) == 0x50 && start.substr(1, 3) == "\x2a\x4d\x18");
}

/// "BZh", a digit, and pi or its root as the sign of a block or of the end, as far as the file goes.
bool isBzip2(std::string_view start) {
  if (!start.starts_with("BZh") || start.size() < 4 || start[3] < '1' || start[3] > '9') return false;
  const std::string_view sign = start.substr(4, 6);
  return std::string_view("\x31\x41\x59\x26\x53\x59").starts_with(sign) ||
         std::string_view("\x17\x72\x45\x38\x50\x90").starts_with(sign);
}

bool isGzip(std::string_view start) { return start.starts_with("\x1f\x8b"); }

constexpr std::string_view kXz(
    "\xfd"
    "7zXZ\0",
    6);

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path)
    : path_(path), handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (handle_ < 0) damaged(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat info {};
  if (::fstat(handle_, &info) == 0) {
    size_ = info.st_size;
    plain_ = S_ISREG(info.st_mode);
    if (S_ISDIR(info.st_mode)) fail("is a folder; a file");
  }
}

Descriptor::~Descriptor() { ::close(handle_); }

std::string_view Descriptor::peek(std::size_t count) {
  ahead_.resize(count);
  std::size_t have = 0;
  while (have < count) {
    const std::size_t bytes = readOn(ahead_.data() + have, count - have);
    if (bytes == 0) break;
    have += bytes;
  }
  ahead_.resize(have);
  return ahead_;
}

std::size_t Descriptor::read(void* to, std::size_t count) {
  if (ahead_.empty()) return readOn(to, count);
  const std::size_t bytes = ahead_.copy(static_cast<char*>(to), count);
  ahead_.erase(0, bytes);
  return bytes;
}

double Descriptor::share() const {
  return size_ > 0 ? std::min(1.0, static_cast<double>(consumed_) / static_cast<double>(size_)) : 1;
}

void Descriptor::fail(const std::string& message) const {
  ::close(handle_);  // thrown from the constructor too, where no destructor runs
  handle_ = -1;
  damaged(path_, message);
}

std::size_t Descriptor::readOn(void* to, std::size_t count) {
  for (;;) {
    const ssize_t bytes = ::read(handle_, to, std::min(count, std::size_t{1} << 30));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    consumed_ += bytes;
    return at(bytes);
  }
}

DecoderPointer streamDecoder(std::string_view start, const std::filesystem::path& path,
                             std::unique_ptr<Descriptor>& file) {
  if (isGzip(start)) return std::make_unique<Gzip>(path, std::move(file));
  if (isBzip2(start)) return std::make_unique<Bzip2>(path, std::move(file));
  if (start.starts_with(kXz)) return std::make_unique<Xz>(path, std::move(file));
  if (isZstd(start)) return std::make_unique<Zstd>(path, std::move(file));
  return nullptr;
}

bool beginsPacked(std::string_view start) {
  return isGzip(start) || isBzip2(start) || start.starts_with(kXz) || isZstd(start) || beginsZip(start);
}

}  // namespace halo
