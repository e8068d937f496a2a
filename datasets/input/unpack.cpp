#include "datasets/input/unpack.h"

#include <algorithm>
#include <vector>

#include "datasets/input/archive.h"
#include "datasets/input/decoder.h"
#include "datasets/input/limits.h"
#include "datasets/input/signature.h"
#include "datasets/input/unpack_limit.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& message) {
  throw DamagedInput({.file = file.string(), .message = message});
}

class Plain final : public PackedFile::Decoder {
 public:
  explicit Plain(std::unique_ptr<Descriptor> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t count) override { return file_->read(to, count); }
  double share() const override { return file_->share(); }
  double packedBytes() const override { return file_->bytes(); }
  double unpackedBytes() const override { return file_->plain() ? file_->bytes() : -1; }

 private:
  std::unique_ptr<Descriptor> file_;
};

class ZipMember final : public PackedFile::Decoder {
 public:
  explicit ZipMember(const std::filesystem::path& path)
      : archive_(path, "zip archive"), member_(only(path)), stream_(archive_.open(member_)) {}
  std::size_t read(char* to, std::size_t count) override {
    const std::size_t bytes = stream_.read(to, count);
    consumed_ += static_cast<double>(bytes);
    return bytes;
  }
  double share() const override { return member_.bytes > 0 ? std::min(1.0, consumed_ / member_.bytes) : 1; }
  double packedBytes() const override { return member_.packedBytes; }
  double unpackedBytes() const override { return member_.bytes; }

 private:
  const ZipArchive::Member& only(const std::filesystem::path& path) const {
    const auto& members = archive_.members();
    const bool torch = std::any_of(members.begin(), members.end(),
                                   [](const auto& member) { return member.name.ends_with("/data.pkl"); });
    if (torch)
      damaged(path, "is a PyTorch file, which only Python can read; save its arrays with numpy.savez");
    if (members.size() != 1)
      damaged(path, "holds " + std::to_string(members.size()) + " files; a zip archive with one file");
    return members.front();
  }

  ZipArchive archive_;
  ZipArchive::Member member_;
  ZipArchive::Stream stream_;
  double consumed_ = 0;
};

std::unique_ptr<Descriptor> opened(const std::filesystem::path& path) {
  if (const std::string absent = absentData(path); !absent.empty()) damaged(path, absent);
  return std::make_unique<Descriptor>(path);
}

/// Editors of Windows put it before the text.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Unpacked bytes before the first look at the memory, and between two.
constexpr double kFirstLook = 1048576.0, kBetweenLooks = 4 * 1048576.0;

/// Text up to this needs no reason. Longer text may have so many times the bytes of the packed file, up to
/// what memory may be taken without a reason. What packs best of honest text is one-hot rows, 10,000 of them
/// 5,100-fold.
constexpr double kAnyText = 32 * 1048576.0, kTextSwelling = 6000;

/// Lines up to this need no reason; a longer one may have so many times the bytes of the packed file.
constexpr double kAnyLine = 64 * 1048576.0, kLineSwelling = 64;

}  // namespace

PackedFile::PackedFile(std::filesystem::path file) : path_(std::move(file)), nextLook_(kFirstLook) {
  auto descriptor = opened(path_);
  const std::string_view start = descriptor->peek(kSignatureBytes);
  if (beginsZip(start)) {
    if (!descriptor->plain())
      descriptor->fail("a zip archive is read from its end, which a pipe does not allow; a file");
    decoder_ = std::make_unique<ZipMember>(path_);
    return;
  }
  if (const std::string problem = notData(start, path_); !problem.empty()) damaged(path_, problem);
  decoder_ = streamDecoder(start, path_, descriptor);
  if (decoder_) return;
  begun_ = !start.starts_with(kByteOrderMark);
  decoder_ = std::make_unique<Plain>(std::move(descriptor));
}

PackedFile::~PackedFile() = default;

/// Unpacks the first bytes, looks at what they are, and leaves a byte order mark out.
void PackedFile::begin() {
  begun_ = true;
  start_.resize(kSignatureBytes);
  std::size_t have = 0;
  try {
    for (std::size_t bytes = 1; bytes > 0 && have < start_.size(); have += bytes)
      bytes = decoder_->read(start_.data() + have, start_.size() - have);
  } catch (const DamagedInput&) {  // after what came out before the damage
    damage_ = std::current_exception();
  }
  start_.resize(have);
  if (beginsPacked(start_)) damaged(path_, "is packed twice; unpack it once");
  if (const std::string problem = notData(start_, path_); !problem.empty()) damaged(path_, problem);
  if (start_.starts_with(kByteOrderMark)) start_.erase(0, kByteOrderMark.size());
}

void PackedFile::look() {
  const Problem place{.file = path_.string()};
  UnpackLimit::require(unpacked_, path_);
  const double justified =
      std::max(kSwelling * packedBytes(), std::min(kUnjustifiedBytes, kTextSwelling * packedBytes()));
  requireJustified(unpacked_, kAnyText, justified, "its unpacked text", place);
  if (!growth_) growth_.emplace();
  growth_->require(packedBytes(), "what was read so far", place);
  nextLook_ = unpacked_ + kBetweenLooks;
}

std::size_t PackedFile::read(char* to, std::size_t count) {
  if (!begun_) begin();
  if (!start_.empty()) {
    const std::size_t bytes = start_.copy(to, count);
    start_.erase(0, bytes);
    return bytes;
  }
  if (damage_) std::rethrow_exception(damage_);
  if (count == 0) return 0;
  const std::size_t bytes = decoder_->read(to, count);
  unpacked_ += static_cast<double>(bytes);
  if (unpacked_ >= nextLook_) look();
  return bytes;
}

double PackedFile::share() const { return decoder_->share(); }

double PackedFile::packedBytes() const { return decoder_->packedBytes(); }
double PackedFile::unpackedBytes() const { return decoder_->unpackedBytes(); }

void PackedFile::requireLine(std::size_t bytes, Index line) const {
  requireJustified(static_cast<double>(bytes), kAnyLine, kLineSwelling * packedBytes(), "the line",
                   {path_.string(), line, 0, "", ""});
}

void PackedFile::requireBeside(std::size_t bytes) const {
  if (growth_)
    growth_->require(packedBytes(), "what was read, and the graph of it,", {.file = path_.string()},
                     static_cast<double>(bytes));
}

std::string headOf(const std::filesystem::path& file, std::size_t count) {
  std::string head(count, '\0');
  std::size_t used = 0;
  try {
    PackedFile packed(file);
    while (used < count) {
      const std::size_t bytes = packed.read(head.data() + used, count - used);
      if (bytes == 0) break;
      used += bytes;
    }
  } catch (const DamagedInput&) {  // the reader of the whole file will say so, with its place
  }
  head.resize(used);
  return head;
}

bool swells(const std::filesystem::path& file) try {
  constexpr double kMuch = 8 * 1048576.0, kManyTimes = 1000;
  PackedFile packed(file);
  if (packed.unpackedBytes() == packed.packedBytes()) return false;  // as every plain file
  std::vector<char> block(std::size_t{1} << 20);
  double bytes = 0;
  while (const std::size_t length = packed.read(block.data(), block.size())) {
    bytes += static_cast<double>(length);
    if (bytes > std::max(kMuch, kManyTimes * packed.packedBytes())) return true;
    const double share = packed.share();  // by blocks: of a small file at once the whole
    if (bytes > kMuch && share < 1 && bytes < kManyTimes * share * packed.packedBytes()) return false;
  }
  return false;
} catch (const Swollen&) {
  throw;
} catch (const DamagedInput&) {  // the readers say what is wrong with it
  return false;
}

namespace {

/// From so many bytes on the system gets memory back at once when it is no longer needed.
constexpr std::size_t kTextBlock = std::size_t{33} << 20;

}  // namespace

Growing<char> contentsOf(const std::filesystem::path& file) {
  PackedFile packed(file);
  Growing<char> text;
  std::size_t used = 0;
  do {
    text.resize(used + kTextBlock);
    for (std::size_t bytes = 1; bytes > 0 && used < text.size(); used += bytes)
      bytes = packed.read(text.data() + used, text.size() - used);
  } while (used == text.size());
  text.resize(used);
  return text;
}

void requireData(const std::filesystem::path& file) {
  if (const std::string absent = absentData(file); !absent.empty()) damaged(file, absent);
  if (!std::filesystem::is_regular_file(file) || beginsZip(Descriptor(file).peek(4))) return;
  char first;
  PackedFile(file).read(&first, 1);
}

}  // namespace halo
