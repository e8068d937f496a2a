#include "app/commands/dataset_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/contract/format.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Calls use(source, target) for every line: undirected edges once, with source < target.
template <class Use>
void eachEdge(const Dataset& dataset, Use use) {
  for (Index v = 0; v < dataset.vertices(); ++v)
    for (const Vertex u : dataset.arcs.row(v))
      if (dataset.directed || u < v) use(static_cast<Index>(u), v);
}

Index edges(const Dataset& dataset) {
  Index count = 0;
  eachEdge(dataset, [&](Index, Index) { ++count; });
  return count;
}

void writeEdges(std::ostream& out, const Dataset& dataset, const char* separator) {
  eachEdge(dataset, [&](Index u, Index v) { out << u << separator << v << '\n'; });
}

void writeMatrixMarket(std::ostream& out, const Dataset& dataset) {
  out << "%%MatrixMarket matrix coordinate pattern " << (dataset.directed ? "general" : "symmetric") << '\n'
      << dataset.vertices() << ' ' << dataset.vertices() << ' ' << edges(dataset) << '\n';
  // a symmetric matrix is stored by its lower triangle: the larger number first
  eachEdge(dataset, [&](Index u, Index v) {
    out << (dataset.directed ? u : v) + 1 << ' ' << (dataset.directed ? v : u) + 1 << '\n';
  });
}

void writeMetis(std::ostream& out, const Dataset& dataset) {
  out << dataset.vertices() << ' ' << edges(dataset) << '\n';
  for (Index v = 0; v < dataset.vertices(); ++v) {
    const char* separator = "";
    for (const Vertex u : dataset.arcs.row(v)) {
      out << separator << u + 1;
      separator = " ";
    }
    out << '\n';
  }
}

void writeRows(std::ostream& out, const Matrix& rows) {
  for (Index r = 0; r < rows.rows(); ++r) {
    const char* separator = "";
    for (const Scalar value : rows.row(r)) {
      out << separator << fmt::format("{}", value);
      separator = ",";
    }
    out << '\n';
  }
}

void writeLabels(std::ostream& out, const Dataset& dataset) {
  if (dataset.multiLabel()) return writeRows(out, dataset.multiLabels);
  for (const std::int32_t label : dataset.labels) label < 0 ? out << "nan\n" : out << label << '\n';
}

void writeSplit(std::ostream& out, const Dataset& dataset, Split part) {
  for (std::size_t v = 0; v < dataset.split.size(); ++v)
    if (dataset.split[v] == part) out << v << '\n';
}

/// Vertices without an edge stand on no line: readers do not know of them, and may number the others anew.
void noteIsolated(const Dataset& dataset, std::vector<std::string>& losses) {
  std::vector<bool> joined(at(dataset.vertices()));
  eachEdge(dataset, [&](Index u, Index v) {
    joined[at(u)] = true;
    joined[at(v)] = true;
  });
  const auto isolated = std::count(joined.begin(), joined.end(), false);
  if (isolated == 0) return;
  const auto first = std::find(joined.begin(), joined.end(), false) - joined.begin();
  losses.push_back(fmt::format(
      "{} of {} vertices have no edge and stand on no line, the first is {}: whoever reads the file "
      "may number the others anew; ogb, matrix-market and metis keep them",
      isolated, dataset.vertices(), first));
}

bool anyHasTwo(const Matrix& labels) {
  for (Index v = 0; v < labels.rows(); ++v) {
    const auto row = labels.row(v);
    if (std::ranges::count(row, Scalar{1}) > 1) return true;
  }
  return false;
}

/// A column of classes does not tell of classes without vertices. Columns of 0 and 1 do not tell of several
/// labels a vertex where no vertex has them.
void noteClasses(const Dataset& dataset, std::vector<std::string>& losses) {
  if (dataset.multiLabel()) {
    if (dataset.classes == 1)
      losses.emplace_back("the only label of a multi-label set is read again as the classes 0 and 1");
    else if (!anyHasTwo(dataset.multiLabels))
      losses.emplace_back("no vertex has two labels: read again, the set may have one label a vertex");
    return;
  }
  std::vector<bool> used(at(dataset.classes));
  for (const std::int32_t label : dataset.labels)
    if (label >= 0) used[at(label)] = true;
  if (used.empty() || (used.front() && used.back())) return;
  losses.push_back(
      fmt::format("class {} of 0 to {} has no vertex, which the files do not tell: read again, there are "
                  "fewer classes, or they are numbered from another one",
                  used.front() ? dataset.classes - 1 : 0, dataset.classes - 1));
}

std::vector<DatasetFile> ogb(const Dataset& d, const std::filesystem::path& folder) {
  const Dataset* dataset = &d;
  std::vector<DatasetFile> files = {
      {folder / "raw/num-node-list.csv", [=](std::ostream& out) { out << dataset->vertices() << '\n'; }},
      {folder / "raw/num-edge-list.csv", [=](std::ostream& out) { out << edges(*dataset) << '\n'; }},
      {folder / "raw/edge.csv", [=](std::ostream& out) { writeEdges(out, *dataset, ","); }}};
  if (!d.features.empty())
    files.emplace_back(folder / "raw/node-feat.csv",
                       [=](std::ostream& out) { writeRows(out, dataset->features); });
  if (d.multiLabel() || !d.labels.empty())
    files.emplace_back(folder / "raw/node-label.csv", [=](std::ostream& out) { writeLabels(out, *dataset); });
  for (const auto& [name, part] :
       {std::pair{"train", Split::train}, {"valid", Split::valid}, {"test", Split::test}})
    if (!d.split.empty())
      files.emplace_back(folder / "split/given" / (std::string(name) + ".csv"),
                         [=, part = part](std::ostream& out) { writeSplit(out, *dataset, part); });
  // marks that an earlier set has left there are not this one's
  if (!d.marks.empty() || std::filesystem::exists(folder / kMarksFile))
    files.emplace_back(folder / kMarksFile, [=](std::ostream& out) {
      for (const std::string& mark : dataset->marks) out << mark << '\n';
    });
  return files;
}

}  // namespace

std::vector<DatasetFile> datasetFiles(const Dataset& dataset, const std::string& format,
                                      const std::filesystem::path& output) {
  const Dataset* d = &dataset;
  if (format == "ogb") return ogb(dataset, output);
  if (format == "edge-list") return {{output, [=](std::ostream& out) { writeEdges(out, *d, "\t"); }}};
  if (format == "matrix-market") return {{output, [=](std::ostream& out) { writeMatrixMarket(out, *d); }}};
  if (format == "metis" && !dataset.directed)
    return {{output, [=](std::ostream& out) { writeMetis(out, *d); }}};
  throw InputError(
      {.key = "--to",
       .message = format == "metis"
                      ? "a metis file holds undirected graphs only; take ogb, edge-list or matrix-market"
                      : "'" + format + "' cannot be written; one of ogb edge-list matrix-market metis"});
}

std::vector<std::string> lossesOf(const Dataset& dataset, const std::string& format) {
  std::vector<std::string> losses;
  if (format != "ogb") {
    losses.emplace_back("the graph alone was written; ogb also keeps features, labels and split");
    if (!dataset.marks.empty())
      losses.push_back(
          fmt::format("the marks are not kept: {}; ogb keeps them", fmt::join(dataset.marks, ", ")));
  }
  if (format == "edge-list") noteIsolated(dataset, losses);
  if (format == "ogb") noteClasses(dataset, losses);
  if (dataset.directed) losses.emplace_back("read it with directed = true");
  return losses;
}

std::string formatOf(const std::filesystem::path& output) {
  const std::string ending = output.extension().string();
  if (ending == ".mtx") return "matrix-market";
  if (ending == ".graph" || ending == ".metis") return "metis";
  if (ending == ".txt" || ending == ".tsv" || ending == ".edges") return "edge-list";
  return "ogb";
}

}  // namespace halo
