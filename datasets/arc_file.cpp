// A file of arcs:
//
//   header (128 bytes) | offsets (8 bytes a row, and one) | columns (4 bytes an arc) | remarks (lines)
//
// Everything is as this machine has it in memory. Edges pass through two kinds of temporary files. The first
// kind holds pairs of numbers as they stand in the text. The second holds arcs in buckets of rows, each of
// which fits into memory. An arc there is one number, target | source | inverse, whose order is that of rows
// and columns.
#include "datasets/arc_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <system_error>
#include <utility>
#include <vector>

#include "datasets/assemble.h"
#include "datasets/contract/format.h"
#include "datasets/edges/edges.h"
#include "datasets/edges/numbering.h"
#include "datasets/text/text.h"
#include "engine/base/new_file.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = "HALOARC";
constexpr std::size_t kMostPairsHeld = std::size_t{1} << 22;  // of a bucket that is sorted, 32 MB

struct Header {
  char magic[8];
  std::int64_t version, vertices, nonzeros, directed, remarkBytes;
  char stamp[80];
};
static_assert(sizeof(Header) == 128);
constexpr std::int64_t kVersion = 4;

/// A file that is written and read again, gone with this.
class Scratch {
 public:
  /// `place`: where it may be kept, and whose folder has the room.
  explicit Scratch(const fs::path& place) try
      : file_(place), handle_(::fdopen(::dup(file_.descriptor()), "w+b")) {
    if (handle_ == nullptr) fail(place, errno);
  } catch (const std::system_error& error) {
    fail(place, error.code().value());
  }
  ~Scratch() {
    if (handle_ != nullptr) std::fclose(handle_);
  }
  Scratch(Scratch&& other) noexcept
      : file_(std::move(other.file_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Scratch& operator=(Scratch&&) = delete;

  template <class T>
  void write(const T* values, std::size_t count) {
    if (std::fwrite(values, sizeof(T), count, handle_) != count) fail();
  }
  template <class T>
  std::size_t read(T* values, std::size_t count) {
    const std::size_t elements = std::fread(values, sizeof(T), count, handle_);
    if (elements < count && std::ferror(handle_) != 0) fail();
    return elements;
  }
  void seek(std::int64_t place) {
    if (::fseeko(handle_, place, SEEK_SET) != 0) fail();
  }
  /// Closes it and puts it in place.
  void keep() {
    if (std::fflush(handle_) != 0 || std::fclose(std::exchange(handle_, nullptr)) != 0) fail();
    try {
      file_.putInPlace();
    } catch (const std::system_error& error) {
      fail(file_.place(), error.code().value());
    }
  }

 private:
  [[noreturn]] static void fail(const fs::path& place, int error) {
    throw EnvironmentError(place.string() + ": " + std::strerror(error) +
                           "; room for 24 bytes an arc is needed there");
  }
  [[noreturn]] void fail() const { fail(file_.place(), errno); }

  NewFile file_;
  std::FILE* handle_;
};

struct Pair {
  Vertex source, target;
};

/// What the text says of its vertices.
struct Numbers {
  Index smallest = 0, largest = 0, count = 0, occurring = 0;
  bool undirected = false;  // both arcs of an edge, also where the user says directed
  Index first() const { return smallest == 1 ? 1 : 0; }
  Index vertices() const { return largest + 1 - first(); }
  /// As numbering.h has it: at least half of the numbers occur.
  bool dense() const { return largest / 2 <= count && largest + 1 <= 2 * occurring; }
};

/// Writes the pairs of the text one by one; what is to be known of their numbers, and told of the text.
/// Numbers beyond 32 bits end it: they are not dense.
std::optional<Numbers> writePairs(const fs::path& edgeList, Scratch& to, std::vector<std::string>& remarks,
                                  const Progress& progress) {
  TextFile text(edgeList, progress);
  Numbers numbers;
  std::vector<bool> occurs;
  bool small = true;
  const auto note = [&](Index number) {
    numbers.smallest = numbers.count == 0 ? number : std::min(numbers.smallest, number);
    numbers.largest = std::max(numbers.largest, number);
    ++numbers.count;
    if (number < 0 || number >= std::numeric_limits<Vertex>::max()) {
      small = false;
      return;
    }
    const auto at = static_cast<std::size_t>(number);
    if (at >= occurs.size()) occurs.resize(std::max(at + 1, 2 * occurs.size()));
    if (!occurs[at]) ++numbers.occurring;
    occurs[at] = true;
  };
  VertexNumbers names;
  const EdgeListRest rest = eachEdge(text, names, [&](Index source, Index target) {
    note(source);
    note(target);
    if (!small) return;
    const Pair pair{static_cast<Vertex>(source), static_cast<Vertex>(target)};
    to.write(&pair, 1);
  });
  if (!small) return std::nullopt;
  if (const Index all = rest.verticesOfKonect(numbers.smallest, numbers.largest); all >= 0) {
    numbers.smallest = 1;
    numbers.largest = all;
  } else if (!numbers.dense()) {
    return std::nullopt;
  }
  numbers.undirected = rest.undirected;
  remarks = rest.remarks;
  remarkNumbers(numbers.first(), numbers.vertices(), numbers.occurring, remarks);
  rest.promised.remarkVertices(numbers.vertices(), numbers.occurring, "edges", remarks);
  return numbers;
}

/// An arc as one number; `inverse`: it does not stand in the text so.
std::uint64_t keyOf(Vertex source, Vertex target, bool inverse) {
  return static_cast<std::uint64_t>(target) << 32 | static_cast<std::uint64_t>(source) << 1 | inverse;
}
Vertex sourceOf(std::uint64_t key) { return static_cast<Vertex>((key & 0xffffffffU) >> 1); }
Index targetOf(std::uint64_t key) { return static_cast<Index>(key >> 32); }

/// Calls use(key) for the pairs as arcs from 0, loops left out, in both directions unless `oneWay`. Returns
/// how many loops there are.
template <class Use>
Index eachArc(Scratch& pairs, Index first, bool oneWay, const Use& use) {
  std::vector<Pair> some(1 << 16);
  Index loops = 0;
  pairs.seek(0);
  while (const std::size_t count = pairs.read(some.data(), some.size()))
    for (std::size_t i = 0; i < count; ++i) {
      const auto source = static_cast<Vertex>(some[i].source - first),
                 target = static_cast<Vertex>(some[i].target - first);
      if (source == target) {
        ++loops;
        continue;
      }
      use(keyOf(source, target, false));
      if (!oneWay) use(keyOf(target, source, true));
    }
  return loops;
}

/// Rows where buckets begin, so that each has about as many arcs as are held at a time; a longer row has its
/// own.
std::vector<Index> bucketsOf(const std::vector<Index>& degrees) {
  std::vector<Index> begins = {0};
  Index bucketArcs = 0;
  for (std::size_t r = 0; r < degrees.size(); ++r) {
    if (bucketArcs > 0 && bucketArcs + degrees[r] > static_cast<Index>(kMostPairsHeld)) {
      begins.push_back(static_cast<Index>(r));
      bucketArcs = 0;
    }
    bucketArcs += degrees[r];
  }
  begins.push_back(static_cast<Index>(degrees.size()));
  return begins;
}

/// Sorts the arcs of a bucket by rows and writes their columns, each once; degrees become those. Returns how
/// many different arcs of it stand in the text.
Index writeBucket(Scratch& bucket, std::vector<Index>& degrees, Scratch& to) {
  bucket.seek(0);
  std::vector<std::uint64_t> keys, some(1 << 16);
  while (const std::size_t count = bucket.read(some.data(), some.size()))
    keys.insert(keys.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  std::ranges::sort(keys);
  const auto same = std::ranges::unique(keys);
  keys.erase(same.begin(), same.end());
  std::vector<Vertex> columns;
  columns.reserve(keys.size());
  Index written = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    written += (keys[i] & 1) == 0;
    if (i > 0 && keys[i - 1] >> 1 == keys[i] >> 1) continue;  // an inverse arc that stands there as well
    ++degrees[static_cast<std::size_t>(targetOf(keys[i]))];
    columns.push_back(sourceOf(keys[i]));
  }
  to.write(columns.data(), columns.size());
  return written;
}

/// What stands behind the columns, where the file is, and before them.
void writeRest(Scratch& to, const std::vector<Index>& degrees, bool directed,
               const std::vector<std::string>& remarks, const std::string& stamp) {
  std::string lines;
  for (const std::string& remark : remarks) lines += inOneLine(remark) + "\n";
  to.write(lines.data(), lines.size());
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.vertices = static_cast<std::int64_t>(degrees.size());
  header.nonzeros = std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0});
  header.directed = directed ? 1 : 0;
  header.remarkBytes = static_cast<std::int64_t>(lines.size());
  std::memcpy(header.stamp, stamp.data(), std::min(stamp.size(), sizeof header.stamp - 1));
  to.seek(0);
  to.write(&header, 1);
  Index offset = 0;
  to.write(&offset, 1);
  for (const Index degree : degrees) {
    offset += degree;
    to.write(&offset, 1);
  }
}

}  // namespace

ArcFile::Mapping::~Mapping() { ::munmap(memory, bytes); }

std::optional<ArcFile> ArcFile::open(const fs::path& file, const std::string& stamp) {
  const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe is not waited for
  if (handle < 0) return std::nullopt;
  struct stat info {};
  const auto bytes =
      ::fstat(handle, &info) == 0 && S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0;
  void* memory =
      bytes < sizeof(Header) ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, handle, 0);
  ::close(handle);
  if (memory == MAP_FAILED) return std::nullopt;
  ArcFile arcFile(std::make_unique<Mapping>(memory, bytes));
  Header header{};
  std::memcpy(&header, memory, sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.version != kVersion ||
      std::string_view(header.stamp, ::strnlen(header.stamp, sizeof header.stamp)) != stamp ||
      !arcFile.sound())
    return std::nullopt;
  std::string_view text = arcFile.textOfRemarks();
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    arcFile.remarks_.emplace_back(text.substr(0, end));
  return arcFile;
}

CsrRows ArcFile::rows() const {
  const auto* header = static_cast<const Header*>(mapping_->memory);
  const auto n = static_cast<std::size_t>(header->vertices);
  const auto* offsets = reinterpret_cast<const Index*>(header + 1);
  const auto* columns = reinterpret_cast<const Vertex*>(offsets + n + 1);
  return {header->vertices, {offsets, n + 1}, {columns, static_cast<std::size_t>(header->nonzeros)}};
}

bool ArcFile::directed() const { return static_cast<const Header*>(mapping_->memory)->directed != 0; }

std::string_view ArcFile::textOfRemarks() const {
  const auto* header = static_cast<const Header*>(mapping_->memory);
  const auto bytes = static_cast<std::size_t>(header->remarkBytes);
  return {static_cast<const char*>(mapping_->memory) + mapping_->bytes - bytes, bytes};
}

void ArcFile::release() const { (void)::madvise(mapping_->memory, mapping_->bytes, MADV_DONTNEED); }

bool ArcFile::sound() const {
  const auto* header = static_cast<const Header*>(mapping_->memory);
  if (header->vertices < 0 || header->vertices > std::numeric_limits<Vertex>::max() || header->nonzeros < 0 ||
      header->remarkBytes < 0)
    return false;
  const double needed = static_cast<double>(sizeof(Header)) + 8 * static_cast<double>(header->vertices + 1) +
                        4 * static_cast<double>(header->nonzeros) + static_cast<double>(header->remarkBytes);
  if (needed != static_cast<double>(mapping_->bytes)) return false;
  const CsrRows all = rows();
  if (all.offsets.front() != 0 || all.offsets.back() != header->nonzeros ||
      !std::ranges::is_sorted(all.offsets))
    return false;
  constexpr Index kBetween = 1 << 22;
  Index next = kBetween;
  for (Index r = 0; r < all.rows(); ++r) {
    const auto row = all.row(r);
    if (!row.empty() && (row.front() < 0 || row.back() >= all.cols || !std::ranges::is_sorted(row)))
      return false;
    if (all.offsets[static_cast<std::size_t>(r)] < next) continue;
    next += kBetween;
    release();
  }
  release();
  return true;
}

bool makeArcFile(const fs::path& edgeList, bool directed, const fs::path& to, const std::string& stamp,
                 const Progress& progress) {
  if (saysBipartite(edgeList)) return false;  // sides are told apart once all numbers are known
  Scratch pairs(to);
  std::vector<std::string> remarks;
  const std::optional<Numbers> numbers = writePairs(edgeList, pairs, remarks, progress);
  if (!numbers) return false;
  requireVertexCount(numbers->vertices(), edgeList);
  const bool oneWay = directed && !numbers->undirected;
  std::vector<Index> degrees(static_cast<std::size_t>(numbers->vertices()), 0);
  const Index loops = eachArc(pairs, numbers->first(), oneWay,
                              [&](std::uint64_t arc) { ++degrees[static_cast<std::size_t>(targetOf(arc))]; });
  const std::vector<Index> begins = bucketsOf(degrees);
  std::vector<Scratch> buckets;
  for (std::size_t b = 0; b + 1 < begins.size(); ++b) buckets.emplace_back(to);
  eachArc(pairs, numbers->first(), oneWay, [&](std::uint64_t arc) {
    const auto bucket = std::ranges::upper_bound(begins, targetOf(arc)) - begins.begin() - 1;
    buckets[static_cast<std::size_t>(bucket)].write(&arc, 1);
  });
  std::ranges::fill(degrees, 0);
  Scratch out(to);
  out.seek(static_cast<std::int64_t>(sizeof(Header) + 8 * (degrees.size() + 1)));
  Index once = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    if (progress) progress("sorting arcs", static_cast<double>(b) / static_cast<double>(buckets.size()));
    once += writeBucket(buckets[b], degrees, out);
  }
  remarkMerged(loops, numbers->count / 2 - loops - once, remarks);
  writeRest(out, degrees, directed, remarks, stamp);
  out.keep();
  return true;
}

}  // namespace halo
