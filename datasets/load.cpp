#include "datasets/load.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>

#include "datasets/arc_file.h"
#include "datasets/assemble.h"
#include "datasets/cache.h"
#include "datasets/catalogue.h"
#include "datasets/edges/label_lists.h"
#include "datasets/generate/generate.h"
#include "datasets/graph/asking.h"
#include "datasets/graph/digest.h"
#include "datasets/input/limits.h"
#include "datasets/locate.h"
#include "datasets/mapped_set.h"
#include "datasets/overrides.h"
#include "datasets/sources.h"
#include "engine/base/address_limit.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

/// A set that needs no files, with the parts replaced that the request names files for.
Dataset loadMade(const CatalogueEntry& entry, const DatasetRequest& request, const Progress& progress) {
  Dataset dataset = makeCatalogued(entry, request.scale, request.seed, progress);
  dataset.arcsRead = dataset.arcs.nonzeros();
  if (dataset.directed && !request.directed) {
    dataset.arcs = symmetrised(dataset.arcs, asking(progress, "adding inverse arcs", 0));
    dataset.directed = false;
    dataset.fingerprint = Digest().add(dataset.fingerprint).add("inverse arcs added").hex();
  }
  if (request.features.empty() && request.labels.empty() && request.split.empty()) return dataset;
  RawDataset raw;
  raw.vertices = dataset.vertices();
  for (Index target = 0; target < dataset.vertices(); ++target)
    for (const Vertex source : dataset.arcs.row(target))
      raw.arcs.push_back({source, static_cast<Vertex>(target)});
  raw.everyEdgeOnce = false;
  raw.features = std::move(dataset.features);
  raw.labels = std::move(dataset.labels);
  raw.multiLabels = std::move(dataset.multiLabels);
  raw.classes = dataset.classes;
  raw.split = std::move(dataset.split);
  raw.marks = std::move(dataset.marks);
  DatasetRequest parts = request;
  parts.directed = dataset.directed;
  Dataset replaced = assemble(std::move(raw), parts, entry.name, progress);
  replaced.source = dataset.source;
  replaced.arcsRead = dataset.arcsRead;
  return replaced;
}

RawDataset readLocated(const Located& located, const Progress& progress) {
  RawDataset raw = located.format->read(located.path, progress);
  if (located.labels.empty()) return raw;
  if (!isLabelJson(located.labels) && !isNpy(located.labels)) {
    readLabelLists(located.labels, raw);
    return raw;
  }
  const std::string fileName = located.labels.filename().string();
  raw.take(readLabelFile(located.labels, {raw.vertices, raw.vertexOf}, raw.remarks));
  raw.labelFile = located.labels;
  raw.remarks.push_back("labels from " + fileName);
  return raw;
}

/// Reads and assembles; what the library says of a file it cannot cope with becomes our words.
Dataset convert(const Located& located, const DatasetRequest& request, const Progress& progress) {
  const auto tooLarge = [&] {
    return DamagedInput(
        {.file = located.path.string(), .message = "needs more memory than this machine has"});
  };
  try {
    return assemble(readLocated(located, progress), request, located.path, progress);
  } catch (const std::bad_alloc&) {
    const std::string limit = addressLimitText();
    if (limit.empty()) throw tooLarge();
    throw EnvironmentError(located.path.string() + ": memory does not suffice: " + limit);
  } catch (const std::length_error&) {
    throw tooLarge();
  }
}

Dataset loadFiles(const Located& located, const DatasetRequest& request, const Progress& progress) {
  const std::string stamp = stampFor(located, request);
  const fs::path file = cacheFile(located, request);
  std::string damage;
  // how the path is spelled this time is not kept with the set
  const auto annotate = [&](Dataset& set) {
    set.source = located.path.string();
    set.remarks.insert(set.remarks.begin(), located.remarks.begin(), located.remarks.end());
  };
  if (auto cached = openCached(file, stamp, damage)) {
    annotate(*cached);
    return std::move(*cached);
  }
  Dataset dataset = convert(located, request, progress);
  // a file that was replaced while it was read must not be taken for what was read
  const std::string wrong = file.empty()                          ? "neither XDG_CACHE_HOME nor HOME is set"
                            : stampFor(located, request) == stamp ? storeCached(file, dataset, stamp)
                                                                  : "its files changed meanwhile";
  annotate(dataset);
  if (!damage.empty()) dataset.remarks.push_back(damage);
  if (!wrong.empty()) dataset.remarks.push_back("the converted set could not be kept in the cache: " + wrong);
  return dataset;
}

std::optional<DatasetCounts> convertedCounts(const Located& located, const DatasetRequest& request) {
  auto counts = cachedCounts(cacheFile(located, request), stampFor(located, request));
  if (counts) counts->remarks.insert(counts->remarks.begin(), located.remarks.begin(), located.remarks.end());
  return counts;
}

/// By the header of the converted form alone.
std::optional<DatasetShape> convertedShape(const Located& located, const DatasetRequest& request) {
  auto shape = cachedShape(cacheFile(located, request), stampFor(located, request));
  if (!shape) return std::nullopt;
  shape->source = located.path.string();
  shape->remarks.insert(shape->remarks.begin(), located.remarks.begin(), located.remarks.end());
  return shape;
}

/// Whether the request asks for nothing but the arcs of a file and what is generated for them.
bool mayStream(const DatasetRequest& request) {
  std::error_code unreadable;
  return !catalogued(request.name) && fs::is_regular_file(request.name, unreadable) && request.scale == 1 &&
         request.features.empty() && request.labels.empty() && request.split.empty();
}

/// Of a request that may stream: nothing where what was located cannot be.
std::optional<ArcFile> arcsOf(const Located& located, const DatasetRequest& request,
                              const Progress& progress) {
  if (!located.format->streams || !located.labels.empty()) return std::nullopt;
  fs::path file = cacheFile(located, request);
  if (file.empty()) return std::nullopt;
  file.replace_extension(".arcs");
  const std::string stamp = stampFor(located, request);
  const auto opened = [&] {
    auto arcs = ArcFile::open(file, stamp);
    if (arcs) arcs->precede(located.remarks);
    return arcs;
  };
  if (auto cached = opened()) return cached;
  try {
    std::error_code unwritable;  // told where the file is made
    fs::create_directories(file.parent_path(), unwritable);
    if (!makeArcFile(located.path, request.directed, file, stamp, progress)) return std::nullopt;
  } catch (const EnvironmentError&) {  // no room there: in memory there may be
    return std::nullopt;
  }
  // a file that was replaced while it was read must not be taken for what was read
  return stampFor(located, request) == stamp ? opened() : std::nullopt;
}

std::optional<DatasetCounts> streamedCounts(const Located& located, const DatasetRequest& request) {
  if (!mayStream(request)) return std::nullopt;
  const auto arcs = arcsOf(located, request, {});
  if (!arcs) return std::nullopt;
  const CsrRows rows = arcs->rows();
  return DatasetCounts{rows.rows(), rows.nonzeros(), kGeneratedFeatures,
                       static_cast<std::int32_t>(std::min<Index>(kGeneratedClasses, rows.rows())),
                       arcs->remarks()};
}

Dataset loadUnnormalised(const DatasetRequest& request, const Progress& progress) {
  const CatalogueEntry* entry = catalogued(request.name);
  requireSensible(request, entry);
  if (entry && entry->kind != "published") return loadMade(*entry, request, progress);
  return withFiles(request, entry, [&](const fs::path& path) {
    return loadFiles(locateFor(path, request), request, progress);
  });
}

/// With the name and the rows that the request asks for.
Dataset finished(Dataset dataset, const DatasetRequest& request) {
  dataset.name = calledName(request.name);
  if (request.normalizeFeatures) {
    for (std::string& remark : normalizeRows(dataset.features)) dataset.remarks.push_back(std::move(remark));
    dataset.fingerprint = Digest().add(dataset.fingerprint).add("rows normalised").hex();
  }
  return dataset;
}

DatasetCounts countsOf(Dataset dataset) {
  return {dataset.vertices(), dataset.arcs.nonzeros(), dataset.features.cols(), dataset.classes,
          std::move(dataset.remarks)};
}

DatasetShape shapeOf(Dataset dataset) {
  return {dataset.features.cols(),
          dataset.classes,
          [split = std::move(dataset.split)] { return split; },
          dataset.multiLabel(),
          std::move(dataset.source),
          std::move(dataset.remarks)};
}

/// Of a generated set that is not made: what files replace of it is read.
DatasetShape generatedShape(const GraphShape& graph, const DatasetRequest& request) {
  const auto split = [&graph, scale = request.scale, seed = request.seed] {
    return splitOfGenerated(graph, scale, seed);
  };
  RawDataset raw;
  raw.vertices = generatedVertices(graph, request.scale);
  if (!request.labels.empty() && request.split.empty()) raw.split = split();  // its vertices need labels
  settleParts(raw, request, graph.name);
  DatasetShape shape{graph.features,   graph.classes, split,
                     graph.multiLabel, graph.name,    std::move(raw.remarks)};
  if (!request.features.empty()) shape.features = raw.features.cols();
  if (!request.labels.empty()) {
    shape.classes = raw.classes;
    shape.multiLabel = !raw.multiLabels.empty();
  }
  if (!request.split.empty()) shape.split = [read = std::move(raw.split)] { return read; };
  return shape;
}

}  // namespace

std::string calledName(const std::string& requested) {
  const fs::path path(requested);
  if (catalogued(requested) != nullptr) return requested;
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

Dataset loadDataset(const DatasetRequest& request, const Progress& progress) {
  if (request.mapFeatures) return loadMapped(request);
  const MemoryLimit limit(request.memoryLimitGib);
  return finished(loadUnnormalised(request, progress), request);
}

DatasetShape datasetShape(const DatasetRequest& request, const Progress& progress) {
  if (request.mapFeatures) return mappedShape(request);
  const MemoryLimit limit(request.memoryLimitGib);
  const CatalogueEntry* entry = catalogued(request.name);
  requireSensible(request, entry);
  const auto graph = std::ranges::find(generatedShapes(), request.name, &GraphShape::name);
  if (graph != generatedShapes().end()) return generatedShape(*graph, request);
  if (entry && entry->kind != "published") return shapeOf(loadMade(*entry, request, progress));
  return withFiles(request, entry, [&](const fs::path& path) {
    const Located located = locateFor(path, request);
    if (auto shape = convertedShape(located, request)) {
      shape->split = [located, request] {
        return cachedSplit(cacheFile(located, request), stampFor(located, request));
      };
      return std::move(*shape);
    }
    return shapeOf(loadFiles(located, request, progress));
  });
}

std::optional<ArcFile> streamedArcs(const DatasetRequest& request, const Progress& progress) {
  if (!mayStream(request)) return std::nullopt;
  const MemoryLimit limit(request.memoryLimitGib);
  return arcsOf(locateFor(request.name, request), request, progress);
}

std::optional<DatasetCounts> datasetCounts(const DatasetRequest& request) {
  constexpr double kFew = 10'000;
  const CatalogueEntry* entry = catalogued(request.name);
  if (entry && entry->kind == "generated" && static_cast<double>(entry->arcs) * request.scale > kFew)
    return std::nullopt;
  requireSensible(request, entry);
  const MemoryLimit limit(request.memoryLimitGib);
  if (entry && entry->kind != "published") return countsOf(finished(loadMade(*entry, request, {}), request));
  return withFiles(request, entry, [&](const fs::path& path) {
    const Located located = locateFor(path, request);
    if (auto counts = convertedCounts(located, request)) return std::move(*counts);
    if (auto streamed = streamedCounts(located, request)) return std::move(*streamed);
    return countsOf(finished(loadFiles(located, request, {}), request));
  });
}

}  // namespace halo
