// The binary form of a converted set:
//
//   "HALOSET" 0 | length of header | digest of header | header (JSON) | sections, each at a multiple of 64
//   bytes
//
// The header names the sections with place, length and digest. Features with many zeros are stored by rows:
// offsets, columns, values. Everything is as this machine has it in memory.

#include "datasets/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "datasets/graph/digest.h"
#include "datasets/load.h"
#include "engine/base/new_file.h"

namespace halo {
namespace {

using Json = nlohmann::json;

constexpr char kMagic[8] = "HALOSET";
constexpr int kVersion = 6;  // raised when the form or what is stored in it changes
constexpr std::size_t kAlignment = 64;

struct Start {
  char magic[8];
  std::uint64_t headerBytes, headerDigest;
};

std::size_t aligned(std::size_t place) { return (place + kAlignment - 1) / kAlignment * kAlignment; }

// ---- features with many zeros ----

struct SparseRows {
  Buffer<Index> offsets;
  Buffer<std::int32_t> columns;
  Buffer<Scalar> values;
};

/// Only +0 counts as zero: what is opened again has the same bits.
bool isZero(Scalar value) { return value == 0 && !std::signbit(value); }

std::optional<SparseRows> sparseIfSmaller(const Matrix& dense) {
  std::size_t nonzeros = 0;
  for (const Scalar value : dense.values()) nonzeros += !isZero(value);
  const std::size_t bytes = nonzeros * (sizeof(std::int32_t) + sizeof(Scalar)) +
                            static_cast<std::size_t>(dense.rows() + 1) * sizeof(Index);
  if (bytes > dense.bytes() / 2) return std::nullopt;
  SparseRows rows;
  rows.offsets.push_back(0);
  rows.columns.reserve(nonzeros);
  rows.values.reserve(nonzeros);
  for (Index r = 0; r < dense.rows(); ++r) {
    for (Index c = 0; c < dense.cols(); ++c) {
      if (isZero(dense(r, c))) continue;
      rows.columns.push_back(static_cast<std::int32_t>(c));
      rows.values.push_back(dense(r, c));
    }
    rows.offsets.push_back(static_cast<Index>(rows.columns.size()));
  }
  return rows;
}

Matrix denseOf(const SparseRows& rows, Index count, Index cols) {
  Matrix dense;
  dense.setZero(count, cols);
  for (Index r = 0; r < count; ++r)
    for (Index e = rows.offsets[static_cast<std::size_t>(r)];
         e < rows.offsets[static_cast<std::size_t>(r) + 1]; ++e)
      dense(r, rows.columns[static_cast<std::size_t>(e)]) = rows.values[static_cast<std::size_t>(e)];
  return dense;
}

// ---- files ----

class File {
 public:
  explicit File(const std::filesystem::path& path)
      : handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {  // a pipe is not waited for
    struct stat info {};
    if (handle_ < 0 || ::fstat(handle_, &info) != 0) throw std::runtime_error(std::strerror(errno));
    if (S_ISREG(info.st_mode)) return;
    ::close(handle_);
    throw std::runtime_error("it is no plain file");
  }
  ~File() { ::close(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t size() const {
    struct stat info {};
    if (::fstat(handle_, &info) != 0) throw std::runtime_error(std::strerror(errno));
    return static_cast<std::size_t>(info.st_size);
  }
  void read(void* to, std::size_t count, std::size_t place) const {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t bytes =
          ::pread(handle_, at, std::min(count, std::size_t{1} << 30), static_cast<off_t>(place));
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0) throw std::runtime_error(std::strerror(errno));
      if (bytes == 0) throw std::runtime_error("it ends early");
      at += bytes;
      place += static_cast<std::size_t>(bytes);
      count -= static_cast<std::size_t>(bytes);
    }
  }

 private:
  int handle_;
};

// ---- sections ----

struct Section {
  std::string name;
  const void* bytes;
  std::size_t count;
};

template <class Values>
Section section(const std::string& name, const Values& values) {
  return {name, values.data(), values.size() * sizeof(*values.data())};
}

/// Fills in where the sections lie, counted from the end of the header.
Json describeSections(const std::vector<Section>& sections) {
  Json list = Json::array();
  std::size_t place = 0;
  for (const Section& s : sections) {
    list.push_back({{"name", s.name},
                    {"place", place},
                    {"bytes", s.count},
                    {"digest", Digest().add(s.bytes, s.count).value()}});
    place = aligned(place + s.count);
  }
  return list;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_(path) {
    Start start{};
    file_.read(&start, sizeof start, 0);
    if (std::memcmp(start.magic, kMagic, sizeof kMagic) != 0)
      throw std::runtime_error("it does not begin as such a file does");
    if (start.headerBytes > file_.size()) throw std::runtime_error("it ends early");
    std::string text(start.headerBytes, '\0');
    file_.read(text.data(), text.size(), sizeof start);
    if (Digest().add(text).value() != start.headerDigest)
      throw std::runtime_error("the digest of its header does not fit");
    header_ = Json::parse(text);
    base_ = aligned(sizeof start + text.size());
  }
  const Json& header() const { return header_; }

  template <class Values>
  void read(const std::string& name, Values& values) const {
    using Element = std::remove_reference_t<decltype(*values.data())>;
    for (const Json& s : header_.at("sections")) {
      if (s.at("name") != name) continue;
      const std::size_t bytes = s.at("bytes");
      if (bytes > file_.size()) throw std::runtime_error("it ends early");
      values.resize(bytes / sizeof(Element));
      readChecked(values.data(), s);
      return;
    }
    throw std::runtime_error("section " + name + " is missing");
  }
  /// How many a section holds.
  template <class Element>
  Index elements(const std::string& name) const {
    for (const Json& s : header_.at("sections"))
      if (s.at("name") == name) return static_cast<Index>(s.at("bytes").get<std::size_t>() / sizeof(Element));
    throw std::runtime_error("section " + name + " is missing");
  }
  Matrix matrix(const std::string& name) const {
    const Json& shape = header_.at(name);
    Matrix result;
    const Index rows = shape.at("rows"), cols = shape.at("cols");
    if (shape.at("sparse")) {
      SparseRows sparse;
      read(name + ".offsets", sparse.offsets);
      read(name + ".columns", sparse.columns);
      read(name + ".values", sparse.values);
      return denseOf(sparse, rows, cols);
    }
    result.resize(rows, cols);
    for (const Json& s : header_.at("sections"))
      if (s.at("name") == name && s.at("bytes") == result.bytes()) readChecked(result.data(), s);
    return result;
  }

 private:
  void readChecked(void* to, const Json& s) const {
    const std::size_t bytes = s.at("bytes"), place = s.at("place");
    file_.read(to, bytes, base_ + place);
    if (Digest().add(to, bytes).value() != s.at("digest"))
      throw std::runtime_error("the digest of section " + s.at("name").get<std::string>() + " does not fit");
  }

  File file_;
  Json header_;
  std::size_t base_ = 0;
};

Dataset datasetFrom(const Reader& reader) {
  const Json& header = reader.header();
  Dataset dataset;
  dataset.name = header.at("name");
  dataset.directed = header.at("directed");
  dataset.classes = header.at("classes");
  dataset.arcsRead = header.at("arcsRead");
  dataset.selfLoops = header.at("selfLoops");
  dataset.repeatedArcs = header.at("repeatedArcs");
  dataset.marks = header.at("marks").get<std::vector<std::string>>();
  dataset.remarks = header.at("remarks").get<std::vector<std::string>>();
  dataset.source = header.at("source");
  dataset.fingerprint = header.at("fingerprint");
  reader.read("offsets", dataset.arcs.offsets);
  reader.read("columns", dataset.arcs.columns);
  dataset.arcs.cols = dataset.arcs.rows();
  dataset.features = reader.matrix("features");
  dataset.multiLabels = reader.matrix("multiLabels");
  reader.read("labels", dataset.labels);
  reader.read("split", dataset.split);
  return dataset;
}

void writeSet(const std::filesystem::path& path, const Dataset& dataset, const std::string& stamp) {
  std::vector<Section> sections = {section("offsets", dataset.arcs.offsets),
                                   section("columns", dataset.arcs.columns),
                                   section("labels", dataset.labels), section("split", dataset.split)};
  Json header = {{"version", kVersion},
                 {"scalarBytes", sizeof(Scalar)},
                 {"stamp", stamp},
                 {"name", dataset.name},
                 {"directed", dataset.directed},
                 {"classes", dataset.classes},
                 {"arcsRead", dataset.arcsRead},
                 {"selfLoops", dataset.selfLoops},
                 {"repeatedArcs", dataset.repeatedArcs},
                 {"marks", dataset.marks},
                 {"remarks", dataset.remarks},
                 {"source", dataset.source},
                 {"fingerprint", dataset.fingerprint}};
  std::map<std::string, std::optional<SparseRows>> sparse;
  for (const auto& [name, matrix] :
       {std::pair{"features", &dataset.features}, std::pair{"multiLabels", &dataset.multiLabels}}) {
    const auto& rows = sparse[name] = sparseIfSmaller(*matrix);
    header[name] = {{"rows", matrix->rows()}, {"cols", matrix->cols()}, {"sparse", rows.has_value()}};
    if (!rows) {
      sections.push_back(section(name, matrix->values()));
      continue;
    }
    sections.push_back(section(std::string(name) + ".offsets", rows->offsets));
    sections.push_back(section(std::string(name) + ".columns", rows->columns));
    sections.push_back(section(std::string(name) + ".values", rows->values));
  }
  header["sections"] = describeSections(sections);
  const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  Start start{};
  std::memcpy(start.magic, kMagic, sizeof kMagic);
  start.headerBytes = text.size();
  start.headerDigest = Digest().add(text).value();
  NewFile file(path);
  file.write({reinterpret_cast<const char*>(&start), sizeof start});
  file.write(text);
  std::size_t place = sizeof start + text.size();
  for (const Section& s : sections) {
    constexpr char kZeros[kAlignment] = {};
    file.write({kZeros, aligned(place) - place});
    file.write({static_cast<const char*>(s.bytes), s.count});
    place = aligned(place) + s.count;
  }
  file.putInPlace();
}

/// Whether the file holds the set of these sources as this program stores sets.
bool isOf(const Json& header, const std::string& stamp) {
  return header.at("version") == kVersion && header.at("scalarBytes") == sizeof(Scalar) &&
         header.at("stamp") == stamp;
}

/// use(reader) where the file holds the set of these sources; nothing where it does not, or is damaged.
template <class Use>
auto ifThere(const std::filesystem::path& file, const std::string& stamp, Use use)
    -> std::optional<decltype(use(std::declval<const Reader&>()))> {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    const Reader reader(file);
    if (!isOf(reader.header(), stamp)) return std::nullopt;
    return use(reader);
  } catch (const std::exception&) {  // who loads the set says so
    return std::nullopt;
  }
}

}  // namespace

std::filesystem::path cacheFolder() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::filesystem::path(value ? value : "");
  };
  if (const auto cache = named("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "haloscope";
  const auto home = named("HOME");
  return home.is_absolute() ? home / ".cache" / "haloscope" : std::filesystem::path();
}

std::optional<DatasetCounts> cachedCounts(const std::filesystem::path& file, const std::string& stamp) {
  return ifThere(file, stamp, [](const Reader& reader) {
    const Json& header = reader.header();
    return DatasetCounts{reader.elements<Index>("offsets") - 1, reader.elements<Vertex>("columns"),
                         header.at("features").at("cols"), header.at("classes"),
                         header.at("remarks").get<std::vector<std::string>>()};
  });
}

std::optional<DatasetShape> cachedShape(const std::filesystem::path& file, const std::string& stamp) {
  return ifThere(file, stamp, [](const Reader& reader) {
    const Json& header = reader.header();
    DatasetShape shape{header.at("features").at("cols"), header.at("classes")};
    shape.multiLabel = header.at("multiLabels").at("rows") > 0;
    shape.source = header.at("source");
    shape.remarks = header.at("remarks").get<std::vector<std::string>>();
    return shape;
  });
}

std::vector<Split> cachedSplit(const std::filesystem::path& file, const std::string& stamp) {
  const auto split = ifThere(file, stamp, [](const Reader& reader) {
    std::vector<Split> read;
    reader.read("split", read);
    return read;
  });
  return split.value_or(std::vector<Split>());
}

std::optional<Dataset> openCached(const std::filesystem::path& file, const std::string& stamp,
                                  std::string& remark) {
  std::error_code ignored;  // a file that cannot be seen is one that is not there
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    const Reader reader(file);
    if (!isOf(reader.header(), stamp)) return std::nullopt;
    return datasetFrom(reader);
  } catch (const std::exception& error) {
    remark =
        "the cached form was damaged (" + std::string(error.what()) + ") and is made anew: " + file.string();
    return std::nullopt;
  }
}

std::string storeCached(const std::filesystem::path& file, const Dataset& dataset, const std::string& stamp) {
  try {
    std::filesystem::create_directories(file.parent_path());
    writeSet(file, dataset, stamp);
    return "";
  } catch (const std::system_error& error) {
    return error.code().message();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace halo
