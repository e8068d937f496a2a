// The binary form of a converted set:
//
//   "HALOSET" 0 | length of header | digest of header | header (JSON) | sections, each at a multiple of 64
//   bytes
//
// The header names the sections with place, length and digest. Features with many zeros are stored by rows:
// offsets, columns, values. Everything is as this machine has it in memory.

#include "datasets/cache.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "datasets/graph/digest.h"
#include "datasets/input/read_file.h"
#include "datasets/load.h"
#include "datasets/sparse_rows.h"
#include "engine/base/new_file.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

using Json = nlohmann::json;

constexpr char kMagic[8] = "HALOSET";
constexpr int kVersion = 7;  // raised when the form or what is stored in it changes
constexpr std::size_t kAlignment = 64;

struct Start {
  char magic[8];
  std::uint64_t headerBytes, headerDigest;
};

std::size_t aligned(std::size_t place) { return (place + kAlignment - 1) / kAlignment * kAlignment; }

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
  explicit Reader(const std::filesystem::path& path) : path_(path), file_(path) {
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

  /// Where a matrix stands that is stored whole.
  RowsInFile place(const std::string& name) const {
    const Json& shape = header_.at(name);
    RowsInFile rows{path_.string(), 0, shape.at("rows"), shape.at("cols"), 0};
    for (const Json& s : header_.at("sections")) {
      if (s.at("name") != name || s.at("bytes") != rows.bytes()) continue;
      rows.begin = static_cast<std::int64_t>(base_ + s.at("place").get<std::size_t>());
      rows.digest = s.at("digest");
      return rows;
    }
    throw std::runtime_error("section " + name + " is missing");
  }

 private:
  void readChecked(void* to, const Json& s) const {
    const std::size_t bytes = s.at("bytes"), place = s.at("place");
    file_.read(to, bytes, base_ + place);
    if (Digest().add(to, bytes).value() != s.at("digest"))
      throw std::runtime_error("the digest of section " + s.at("name").get<std::string>() + " does not fit");
  }

  std::filesystem::path path_;
  ReadFile file_;
  Json header_;
  std::size_t base_ = 0;
};

/// All but the features.
Dataset partsFrom(const Reader& reader) {
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
  dataset.multiLabels = reader.matrix("multiLabels");
  reader.read("labels", dataset.labels);
  reader.read("split", dataset.split);
  return dataset;
}

Dataset datasetFrom(const Reader& reader) {
  Dataset dataset = partsFrom(reader);
  dataset.features = reader.matrix("features");
  return dataset;
}

void writeSet(const std::filesystem::path& path, const Dataset& dataset, const std::string& stamp,
              StoredFeatures form) {
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
    const bool isWhole = form == StoredFeatures::whole && matrix == &dataset.features;
    const auto& rows = sparse[name] = isWhole ? std::nullopt : sparseIfSmaller(*matrix);
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

/// use(reader, features) where the file holds the set of these sources, its features whole.
template <class Use>
auto ofMapped(const std::filesystem::path& file, const std::string& stamp, Use use)
    -> std::optional<decltype(use(std::declval<const Reader&>(), std::declval<const MappedRows&>()))> {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    const Reader reader(file);
    if (!isOf(reader.header(), stamp)) return std::nullopt;
    return use(reader, MappedRows(reader.place("features")));
  } catch (const DamagedInput&) {
    throw;
  } catch (const std::exception& error) {
    throw DamagedInput({.file = file.string(), .message = "is damaged: " + std::string(error.what())});
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

std::optional<RowsInFile> mappedPlace(const std::filesystem::path& file, const std::string& stamp) {
  return ofMapped(file, stamp, [](const Reader&, const MappedRows& features) { return features.place(); });
}

std::optional<Dataset> openMapped(const std::filesystem::path& file, const std::string& stamp) {
  return ofMapped(file, stamp, [](const Reader& reader, const MappedRows& features) {
    requireDigest(features);
    Dataset dataset = partsFrom(reader);
    dataset.mapped = features.place();
    dataset.features.resize(0, dataset.mapped->cols);
    return dataset;
  });
}

void requireDigest(const MappedRows& rows) {
  const RowsInFile& place = rows.place();
  if (Digest().add(rows.rows().data(), place.bytes()).value() == place.digest) return;
  throw DamagedInput({.file = place.file, .message = "is damaged: the digest of its features does not fit"});
}

std::string storeCached(const std::filesystem::path& file, const Dataset& dataset, const std::string& stamp,
                        StoredFeatures form) {
  try {
    std::filesystem::create_directories(file.parent_path());
    writeSet(file, dataset, stamp, form);
    return "";
  } catch (const std::system_error& error) {
    return error.code().message();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace halo
