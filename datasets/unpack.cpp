#include "datasets/unpack.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace halo {

class PackedFile::Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::size_t read(char* to, std::size_t count) = 0;
  virtual double share() const = 0;
};

namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, "", message});
}

/// A file of the system, read from the start.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : path_(path), handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (handle_ < 0) damaged(path, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat info {};
    if (::fstat(handle_, &info) == 0) {
      size_ = info.st_size;
      plain_ = S_ISREG(info.st_mode);
      if (S_ISDIR(info.st_mode)) fail("is a folder; a file");
    }
  }
  ~Descriptor() { ::close(handle_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  /// The first bytes, `count` if there are so many, before any is read; read() gives them out again. The file
  /// is opened once: it may be a pipe.
  std::string_view peek(std::size_t count) {
    ahead_.resize(count);
    std::size_t have = 0;
    while (have < count) {
      const std::size_t got = readOn(ahead_.data() + have, count - have);
      if (got == 0) break;
      have += got;
    }
    ahead_.resize(have);
    return ahead_;
  }
  std::size_t read(void* to, std::size_t count) {
    if (ahead_.empty()) return readOn(to, count);
    const std::size_t given = ahead_.copy(static_cast<char*>(to), count);
    ahead_.erase(0, given);
    return given;
  }
  /// Neither a pipe nor a device: it can be opened again, and read from anywhere.
  bool plain() const { return plain_; }
  double share() const {
    return size_ > 0 ? std::min(1.0, static_cast<double>(consumed_) / static_cast<double>(size_)) : 1;
  }
  [[noreturn]] void fail(const std::string& message) const {
    ::close(handle_);  // thrown from the constructor too, where no destructor runs
    handle_ = -1;
    damaged(path_, message);
  }

 private:
  std::size_t readOn(void* to, std::size_t count) {
    for (;;) {
      const ssize_t got = ::read(handle_, to, std::min(count, std::size_t{1} << 30));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
      consumed_ += got;
      return static_cast<std::size_t>(got);
    }
  }

  std::filesystem::path path_;
  std::string ahead_;
  mutable int handle_;
  off_t size_ = 0, consumed_ = 0;
  bool plain_ = false;
};

class Plain final : public PackedFile::Decoder {
 public:
  explicit Plain(std::unique_ptr<Descriptor> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t count) override { return file_->read(to, count); }
  double share() const override { return file_->share(); }

 private:
  std::unique_ptr<Descriptor> file_;
};

constexpr std::size_t kInputBytes = std::size_t{1} << 18;

/// gzip, also several streams one after the other, as `cat a.gz b.gz` makes them.
class Gzip final : public PackedFile::Decoder {
 public:
  Gzip(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : path_(path), file_(std::move(file)), input_(kInputBytes) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK)
      damaged(path, "cannot be unpacked: no memory for zlib");
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  std::size_t read(char* to, std::size_t count) override {
    const auto wanted = static_cast<uInt>(std::min(count, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = wanted;
    // what came out before the damage is given out first
    while (!done_ && damage_.empty() && stream_.avail_out == wanted) step();
    if (!damage_.empty() && stream_.avail_out == wanted) damaged(path_, damage_);
    return wanted - stream_.avail_out;
  }
  double share() const override { return file_->share(); }

 private:
  void step() {
    if (stream_.avail_in == 0 && !refill()) {
      if (!between_) damaged(path_, "the gzip data end early; is the download complete?");
      done_ = true;
      return;
    }
    if (between_) {
      if (*stream_.next_in != 0x1f) {  // padding behind the last stream is allowed
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
      damage_ = std::string("the gzip data are damaged: ") + (stream_.msg ? stream_.msg : "unknown block");
  }
  bool refill() {
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(file_->read(input_.data(), input_.size()));
    return stream_.avail_in > 0;
  }

  std::filesystem::path path_;
  std::unique_ptr<Descriptor> file_;
  std::vector<Bytef> input_;
  z_stream stream_{};
  std::string damage_;
  bool between_ = false, done_ = false;
};

class Xz final : public PackedFile::Decoder {
 public:
  Xz(const std::filesystem::path& path, std::unique_ptr<Descriptor> file)
      : path_(path), file_(std::move(file)), input_(kInputBytes) {
    constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << 30;
    if (lzma_stream_decoder(&stream_, kMemoryLimit, LZMA_CONCATENATED) != LZMA_OK)
      damaged(path, "cannot be unpacked: no memory for xz");
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
  double share() const override { return file_->share(); }

 private:
  void step() {
    if (stream_.avail_in == 0 && !ended_) {
      stream_.next_in = input_.data();
      stream_.avail_in = file_->read(input_.data(), input_.size());
      ended_ = stream_.avail_in == 0;
    }
    const lzma_ret code = lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_STREAM_END)
      done_ = true;
    else if (code == LZMA_BUF_ERROR)
      damaged(path_, "the xz data end early; is the download complete?");
    else if (code != LZMA_OK)
      damaged(path_, "the xz data are damaged");
  }

  std::filesystem::path path_;
  std::unique_ptr<Descriptor> file_;
  std::vector<std::uint8_t> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false, done_ = false;
};

class ZipMember final : public PackedFile::Decoder {
 public:
  explicit ZipMember(const std::filesystem::path& path) : path_(path) {
    int code = 0;
    archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
    if (!archive_) damaged(path, "is a damaged zip archive; is the download complete?");
    const zip_int64_t members = zip_get_num_entries(archive_.get(), 0);
    if (members != 1)
      damaged(path, "holds " + std::to_string(members) + " files; a zip archive with one file");
    zip_stat_t stat;
    if (zip_stat_index(archive_.get(), 0, 0, &stat) == 0) size_ = static_cast<double>(stat.size);
    member_.reset(zip_fopen_index(archive_.get(), 0, 0));
    if (!member_) damaged(path, std::string("cannot be unpacked: ") + zip_strerror(archive_.get()));
  }
  std::size_t read(char* to, std::size_t count) override {
    const zip_int64_t got = zip_fread(member_.get(), to, count);
    if (got < 0) damaged(path_, std::string("cannot be unpacked: ") + zip_file_strerror(member_.get()));
    consumed_ += static_cast<double>(got);
    return static_cast<std::size_t>(got);
  }
  double share() const override { return size_ > 0 ? std::min(1.0, consumed_ / size_) : 1; }

 private:
  struct Close {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_file_t* member) const { zip_fclose(member); }
  };
  std::filesystem::path path_;
  std::unique_ptr<zip_t, Close> archive_;
  std::unique_ptr<zip_file_t, Close> member_;
  double size_ = 0, consumed_ = 0;
};

std::unique_ptr<PackedFile::Decoder> decoderFor(const std::filesystem::path& path) {
  auto file = std::make_unique<Descriptor>(path);
  const std::string_view start = file->peek(6);
  if (start.starts_with("\x1f\x8b")) return std::make_unique<Gzip>(path, std::move(file));
  if (start == std::string_view("\xfd"
                                "7zXZ\0",
                                6))
    return std::make_unique<Xz>(path, std::move(file));
  if (start.starts_with("PK\x03\x04")) {
    if (!file->plain()) file->fail("a zip archive is read from its end, which a pipe does not allow; a file");
    return std::make_unique<ZipMember>(path);
  }
  return std::make_unique<Plain>(std::move(file));
}

/// Editors of Windows put it before the text.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

PackedFile::PackedFile(std::filesystem::path file) : path_(std::move(file)), decoder_(decoderFor(path_)) {}
PackedFile::~PackedFile() = default;

std::size_t PackedFile::read(char* to, std::size_t count) {
  if (!begun_) {
    begun_ = true;
    char mark[kByteOrderMark.size()];
    while (start_.size() < kByteOrderMark.size()) {
      const std::size_t got = decoder_->read(mark, kByteOrderMark.size() - start_.size());
      if (got == 0) break;
      start_.append(mark, got);
    }
    if (start_ == kByteOrderMark) start_.clear();
  }
  if (start_.empty()) return count == 0 ? 0 : decoder_->read(to, count);
  const std::size_t given = start_.copy(to, count);
  start_.erase(0, given);
  return given;
}

double PackedFile::share() const { return decoder_->share(); }

std::string headOf(const std::filesystem::path& file, std::size_t count) {
  std::string head(count, '\0');
  std::size_t used = 0;
  try {
    PackedFile packed(file);
    while (used < count) {
      const std::size_t got = packed.read(head.data() + used, count - used);
      if (got == 0) break;
      used += got;
    }
  } catch (const DamagedInput&) {  // the reader of the whole file will say so, with its place
  }
  head.resize(used);
  return head;
}

std::string contentsOf(const std::filesystem::path& file) {
  PackedFile packed(file);
  std::string bytes;
  std::size_t used = 0;
  for (std::size_t chunk = std::size_t{1} << 20;; chunk = std::max(chunk, used / 2)) {
    bytes.resize(used + chunk);
    const std::size_t got = packed.read(bytes.data() + used, chunk);
    if (got == 0) break;
    used += got;
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace halo
