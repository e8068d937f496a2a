#include "datasets/assemble.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include "datasets/graph/asking.h"
#include "datasets/input/limits.h"
#include "datasets/overrides.h"
#include "datasets/parts/class_numbers.h"
#include "datasets/parts/one_hot.h"
#include "datasets/text/text.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr Index kRowsPerBlock = 1024;

/// Where each part was read from, for messages. These are files of the user's own where the request names
/// them, or those of a set of several files.
struct Places {
  std::filesystem::path set, features, labels, split;
  std::string featureArray, labelArray;
};

Places placesOf(const std::filesystem::path& set, const DatasetRequest& request, const RawDataset& raw) {
  const auto fileOf = [&](const std::string& own, const std::filesystem::path& file) {
    return !own.empty() ? std::filesystem::path(own) : file.empty() ? set : file;
  };
  return {set,
          fileOf(request.features, raw.featureFile),
          fileOf(request.labels, raw.labelFile),
          fileOf(request.split, {}),
          request.features.empty() ? raw.featureArray : "features",
          request.labels.empty() ? raw.labelArray : "labels"};
}

[[noreturn]] void disagree(const std::filesystem::path& path, const std::string& part,
                           const std::string& message) {
  throw DamagedInput({.file = path.string(), .key = part, .message = message});
}

void checkSizes(const RawDataset& raw, const Places& places) {
  const auto check = [&](const std::string& part, const std::filesystem::path& file, Index rows) {
    if (rows != raw.vertices)
      disagree(file, part,
               std::to_string(rows) + " rows; " + std::to_string(raw.vertices) + " vertices need one each");
  };
  if (raw.vertices == 0) disagree(places.set, "", "holds no vertices");
  const auto refuseNarrow = [&](const char* part, const std::filesystem::path& file, const Matrix& matrix) {
    if (matrix.rows() > 0 && matrix.cols() == 0)
      disagree(file, part, "0 columns; at least one, or no " + std::string(part) + " at all");
  };
  refuseNarrow("features", places.features, raw.features);
  refuseNarrow("labels", places.labels, raw.multiLabels);
  if (raw.features.rows() > 0 || raw.features.cols() > 0)
    check(places.featureArray, places.features, raw.features.rows());
  if (!raw.labels.empty()) check(places.labelArray, places.labels, static_cast<Index>(raw.labels.size()));
  if (!raw.multiLabels.empty()) check(places.labelArray, places.labels, raw.multiLabels.rows());
  if (!raw.split.empty()) check("split", places.split, static_cast<Index>(raw.split.size()));
}

/// Bytes of a file, or of all files of a folder; −1: not known, as of a pipe.
double bytesOnDisk(const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) {
    const auto bytes = std::filesystem::file_size(path, none);
    return none ? -1 : static_cast<double>(bytes);
  }
  double sum = 0;
  constexpr auto kLinksToo = std::filesystem::directory_options::follow_directory_symlink;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path, kLinksToo, none))
    if (entry.is_regular_file(none)) sum += std::max(0.0, bytesOnDisk(entry.path()));
  return sum;
}

/// What justifies memory: the bytes that were read, which may have been packed, but at most those of the
/// files.
double evidenceOf(double read, const Places& places) {
  double files = 0;
  for (const auto& path : std::set{places.set, places.features, places.labels, places.split}) {
    const double bytes = bytesOnDisk(path);
    if (bytes < 0) return read;
    files += bytes;
  }
  return std::min(read, files);
}

/// A vertex takes memory whether or not an edge ends there: what was read has to justify how many there are.
void requireVerticesMeant(const RawDataset& raw, const Places& places) {
  const bool generated = raw.features.cols() == 0;
  const double each = 2 * sizeof(Index) + sizeof(std::int32_t) + sizeof(Split) +
                      (generated ? static_cast<double>(kGeneratedFeatures) * sizeof(Scalar) : 0);
  const auto readBytes =
      static_cast<double>(raw.arcs.size() * sizeof(Arc) + raw.features.bytes() +
                          raw.labels.size() * sizeof(std::int32_t) + raw.multiLabels.bytes());
  requireRoom(static_cast<double>(raw.vertices) * each, evidenceOf(readBytes, places),
              std::to_string(raw.vertices) + (generated ? " vertices with generated features" : " vertices"),
              {.file = places.set.string()});
}

/// The first element (in row order) for which `wrong` holds, or −1; the same for any number of threads.
template <class Wrong>
Index firstWhere(const Matrix& matrix, Wrong wrong) {
  std::atomic<Index> first{matrix.size()};
  parallelBlocks(matrix.size(), Index{1} << 20, [&](Index begin, Index end) {
    if (begin > first.load()) return;
    const Scalar* at = std::find_if(matrix.data() + begin, matrix.data() + end, wrong);
    Index index = at - matrix.data();
    if (index == end) return;
    for (Index now = first.load(); index < now && !first.compare_exchange_weak(now, index);) {
    }
  });
  return first < matrix.size() ? first.load() : -1;
}

void checkValues(const RawDataset& raw, const Places& places) {
  const auto place = [](const Matrix& matrix, Index at) {
    return "row " + std::to_string(at / matrix.cols()) + ", column " + std::to_string(at % matrix.cols()) +
           " is " + std::to_string(matrix.data()[at]);
  };
  const auto isNotFinite = [](Scalar x) { return !std::isfinite(x); };
  if (const Index at = firstWhere(raw.features, isNotFinite); at >= 0) {
    const auto values = raw.features.values();
    const Index all = std::count_if(values.begin(), values.end(), isNotFinite);
    disagree(places.features, places.featureArray,
             place(raw.features, at) +
                 (all > 1 ? ", the first of " + std::to_string(all) + " values that are not finite" : "") +
                 "; a finite number");
  }
  if (const Index at = firstWhere(raw.multiLabels, [](Scalar x) { return x != 0 && x != 1; }); at >= 0)
    disagree(places.labels, places.labelArray, place(raw.multiLabels, at) + "; 0 or 1");
  // two parts disagree: the file named is the one that the user has put in
  const auto& splitFile = places.split == places.set ? places.labels : places.split;
  for (std::size_t v = 0; v < raw.split.size() && !raw.labels.empty(); ++v)
    if (raw.split[v] != Split::none && raw.labels[v] < 0)
      disagree(splitFile, "split", "vertex " + std::to_string(v) + " is in the split but has no label");
}

std::string counted(Index count, const std::string& noun, const std::string& outcome) {
  return std::to_string(count) + " " + noun + (count == 1 ? " " : "s ") + outcome;
}

void buildArcs(RawDataset& raw, const std::filesystem::path& set, bool directed, const AskStop& askStop,
               Dataset& dataset) {
  const Index written = static_cast<Index>(raw.arcs.size());
  const Index loops =
      std::count_if(raw.arcs.begin(), raw.arcs.end(), [](Arc arc) { return arc.source == arc.target; });
  // two orders of them, beside each other
  const auto bytes = static_cast<double>(raw.arcs.size() * sizeof(Arc));
  requireRoom(bytes, bytes, std::to_string(written) + " arcs in order", {.file = set.string()});
  dataset.arcs = buildCsr(raw.vertices, raw.arcs, false, askStop);
  std::vector<Arc>().swap(raw.arcs);
  const Index duplicates = written - loops - dataset.arcs.nonzeros();
  dataset.arcsRead = written;
  dataset.selfLoops = loops;
  dataset.repeatedArcs = duplicates;
  remarkMerged(loops, duplicates, dataset.remarks);
  dataset.directed = directed;
  if ((directed && !raw.undirected) || (!raw.everyEdgeOnce && isSymmetric(dataset.arcs, askStop))) return;
  dataset.arcs = symmetrised(dataset.arcs, askStop);
}

std::vector<bool> labelledVertices(const Dataset& dataset) {
  std::vector<bool> labelled(static_cast<std::size_t>(dataset.vertices()), true);
  for (std::size_t v = 0; v < dataset.labels.size(); ++v) labelled[v] = dataset.labels[v] >= 0;
  return labelled;
}

void fillIn(Dataset& dataset, std::uint64_t seed) {
  if (dataset.features.cols() == 0) {
    dataset.features = generatedFeatures(dataset.vertices(), kGeneratedFeatures, seed);
    dataset.marks.push_back("generated features");
  }
  if (dataset.labels.empty() && !dataset.multiLabel()) {
    dataset.classes = static_cast<std::int32_t>(std::min<Index>(kGeneratedClasses, dataset.vertices()));
    dataset.labels = generatedLabels(dataset.arcs, dataset.classes, seed);
    dataset.marks.push_back("generated labels");
  }
  if (dataset.split.empty()) {
    dataset.split = generatedSplit(labelledVertices(dataset), seed);
    dataset.marks.push_back("generated split");
  }
}

/// How many rows something was done to, and the first of them; the same for any number of threads.
class RowTally {
 public:
  void add(Index row) {
    ++count_;
    for (Index now = first_.load(); row < now && !first_.compare_exchange_weak(now, row);) {
    }
  }
  /// Adds "3 rows not normalised: WHY (the first is row 7)" where there are any.
  void remark(const std::string& outcome, const std::string& why, std::vector<std::string>& remarks) const {
    if (count_ > 0)
      remarks.push_back(counted(count_, "row", outcome) + ": " + why + " (the first is row " +
                        std::to_string(first_) + ")");
  }

 private:
  std::atomic<Index> count_{0}, first_{std::numeric_limits<Index>::max()};
};

}  // namespace

void remarkMerged(Index selfLoops, Index repeatedArcs, std::vector<std::string>& remarks) {
  if (selfLoops > 0) remarks.push_back(counted(selfLoops, "self loop", "removed"));
  if (repeatedArcs > 0) remarks.push_back(counted(repeatedArcs, "repeated arc", "merged"));
}

std::vector<Split> generatedSplit(const std::vector<bool>& labelled, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
  for (std::size_t v = 0; v < labelled.size(); ++v) {
    if (!labelled[v]) continue;
    const auto words = philox(seed, Purpose::dataSplit, v);
    drawn.emplace_back(std::uint64_t{words[0]} << 32 | words[1], v);
  }
  std::sort(drawn.begin(), drawn.end());
  // at least one to train on
  const std::size_t train = std::min(drawn.size(), std::max<std::size_t>(1, drawn.size() * 3 / 5));
  const std::size_t valid = drawn.size() / 5;
  std::vector<Split> split(labelled.size(), Split::none);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    split[drawn[i].second] = i < train ? Split::train : i < train + valid ? Split::valid : Split::test;
  return split;
}

Matrix generatedFeatures(Index vertices, Index columns, std::uint64_t seed) {
  Matrix features(vertices, columns);
  parallelBlocks(vertices, kRowsPerBlock, [&](Index begin, Index end) {
    for (Index v = begin; v < end; ++v)
      for (Index c = 0; c < columns; ++c) {
        const auto words = philox(seed, Purpose::generatedFeatures, static_cast<std::uint64_t>(v),
                                  static_cast<std::uint32_t>(c));
        features(v, c) = static_cast<Scalar>(normal(words));
      }
  });
  return features;
}

std::vector<std::int32_t> generatedLabels(const Csr& arcs, std::int32_t classes, std::uint64_t seed) {
  const auto n = static_cast<std::size_t>(arcs.rows());
  std::vector<std::int32_t> labels(n, -1);
  std::vector<Vertex> queue;
  queue.reserve(n);
  PhiloxStream random(seed, Purpose::generate, 0);
  const auto start = [&](Vertex vertex, std::int32_t label) {
    labels[static_cast<std::size_t>(vertex)] = label;
    queue.push_back(vertex);
  };
  for (std::int32_t label = 0; label < classes;) {
    const auto centre = static_cast<Vertex>(random.below(n));
    if (labels[static_cast<std::size_t>(centre)] < 0) start(centre, label++);
  }
  const auto spread = [&](std::size_t next) {
    for (; next < queue.size(); ++next)
      for (const Vertex neighbour : arcs.row(queue[next]))
        if (labels[static_cast<std::size_t>(neighbour)] < 0)
          start(neighbour, labels[static_cast<std::size_t>(queue[next])]);
  };
  spread(0);
  // other components become regions of their own
  for (std::size_t v = 0; v < n; ++v) {
    if (labels[v] >= 0) continue;
    start(static_cast<Vertex>(v),
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes))));
    spread(queue.size() - 1);
  }
  return labels;
}

std::vector<std::string> normalizeRows(Matrix& features) {
  constexpr double kRounding = std::numeric_limits<float>::epsilon();
  RowTally leftAlone, turned;
  parallelBlocks(features.rows(), kRowsPerBlock, [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      double sum = 0, size = 0;
      for (const Scalar value : features.row(r)) {
        sum += static_cast<double>(value);
        size += std::abs(static_cast<double>(value));
      }
      if (size == 0) continue;
      if (!(std::abs(sum) > kRounding * size)) {  // also a sum that is no number
        leftAlone.add(r);
        continue;
      }
      if (sum < 0) turned.add(r);
      for (Scalar& value : features.row(r)) value = static_cast<Scalar>(static_cast<double>(value) / sum);
    }
  });
  std::vector<std::string> remarks;
  leftAlone.remark("not normalised", "the sum is 0 within rounding", remarks);
  turned.remark("with changed signs", "the sum by which a row is divided is below 0", remarks);
  return remarks;
}

void settleParts(RawDataset& raw, const DatasetRequest& request, const std::filesystem::path& path) {
  const Places places = placesOf(path, request, raw);
  replaceParts(request, raw);
  checkSizes(raw, places);
  checkValues(raw, places);
  raw.vertexOf = {};  // nothing names its vertices any more
  settleOneHot(raw);
  settleClassNumbers(raw, places.labels, places.labelArray);
}

Dataset assemble(RawDataset raw, const DatasetRequest& request, const std::filesystem::path& path,
                 const Progress& progress) {
  settleParts(raw, request, path);
  requireVerticesMeant(raw, placesOf(path, request, raw));
  Dataset dataset;
  dataset.marks = std::move(raw.marks);
  for (std::string& remark : raw.remarks) dataset.remarks.push_back(inOneLine(std::move(remark)));
  buildArcs(raw, path, request.directed, asking(progress, "building the graph", 0), dataset);
  dataset.features = std::move(raw.features);
  dataset.labels = std::move(raw.labels);
  dataset.multiLabels = std::move(raw.multiLabels);
  dataset.classes = raw.classes;
  dataset.split = std::move(raw.split);
  fillIn(dataset, request.seed);
  dataset.fingerprint = contentDigest(dataset);
  if (progress) progress("building the graph", 1);
  return dataset;
}

}  // namespace halo
