// OGB node-property layout (Hu et al., NeurIPS 2020), every file plain or gzip, without header, numbered from
// 0:
//
//   raw/num-node-list.csv     vertices        raw/num-edge-list.csv    lines of edge.csv
//   raw/edge.csv              u,v             raw/node-feat.csv        a row a vertex (may be absent)
//   raw/node-label.csv        class, or one column a class (0/1) when multi-label; nan or empty: none (may be
//   absent) split/NAME/{train,valid,test}.csv          vertex numbers (may be absent; of several the first by
//   name)

#include <algorithm>
#include <cmath>
#include <fstream>

#include "datasets/formats/numbering.h"
#include "datasets/table.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::filesystem::path rawFile(const std::filesystem::path& folder, const std::string& name) {
  return plainOrPacked(folder / "raw" / (name + ".csv"));
}

bool recognises(const std::filesystem::path& path) {
  return !rawFile(path, "num-node-list").empty() || !rawFile(path, "edge").empty();
}

std::filesystem::path required(const std::filesystem::path& folder, const std::string& name) {
  const auto file = rawFile(folder, name);
  if (file.empty())
    throw DamagedInput(
        {(folder / "raw" / (name + ".csv.gz")).string(), 0, 0, "", "is missing; the OGB layout needs it"});
  return file;
}

/// The single number in a file such as num-node-list.csv.
Index readCount(const std::filesystem::path& file) {
  TextFile text(file);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; one number");
  Fields fields(text, line);
  const Index count = fields.integer("a count");
  if (count < 0) text.damaged("a count cannot be " + std::to_string(count));
  return count;
}

void readEdges(const std::filesystem::path& folder, RawDataset& raw, const Progress& progress) {
  const auto file = required(folder, "edge");
  TextFile text(file, progress);
  FurtherColumns further;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line);
    if (!fields.more()) continue;
    raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  further.remark(raw);
  const auto counts = rawFile(folder, "num-edge-list");
  if (counts.empty()) return;
  if (const Index promised = readCount(counts); std::cmp_not_equal(raw.arcs.size(), promised))
    text.damagedWhole("holds " + std::to_string(raw.arcs.size()) + " edges; " + counts.filename().string() +
                      " promises " + std::to_string(promised));
}

void readLabels(const std::filesystem::path& file, RawDataset& raw, const Progress& progress) {
  Matrix table = readTable(file, raw.vertices, false, progress);
  if (table.cols() > 1) {
    raw.classes = static_cast<std::int32_t>(table.cols());
    raw.multiLabels = std::move(table);
    return;
  }
  raw.labels.resize(static_cast<std::size_t>(raw.vertices));
  for (Index v = 0; v < raw.vertices; ++v) {
    const Scalar label = table(v, 0);
    if (!std::isnan(label) && (label != std::floor(label) || label < -1 || label > 1e6F))
      throw DamagedInput({file.string(), v + 1, 0, "", "a label is a whole number from 0, or nan for none"});
    raw.labels[static_cast<std::size_t>(v)] = std::isnan(label) ? -1 : static_cast<std::int32_t>(label);
  }
}

void readSplit(const std::filesystem::path& folder, RawDataset& raw) {
  std::vector<std::filesystem::path> splits;
  if (std::filesystem::is_directory(folder / "split"))
    for (const auto& entry : std::filesystem::directory_iterator(folder / "split"))
      if (entry.is_directory()) splits.push_back(entry.path());
  if (splits.empty()) return;
  std::sort(splits.begin(), splits.end());
  raw.split = readSplitFolder(splits[0], raw.vertices);
  if (splits.size() > 1)
    raw.remarks.push_back("of " + std::to_string(splits.size()) +
                          " splits the first is taken: " + splits[0].filename().string());
}

/// One mark a line, as `haloscope dataset convert` leaves them; not part of OGB's layout.
void readMarks(const std::filesystem::path& file, RawDataset& raw) {
  std::ifstream in(file);
  for (std::string mark; std::getline(in, mark);)
    if (!mark.empty()) raw.marks.push_back(mark);
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  RawDataset raw;
  readMarks(path / kMarksFile, raw);
  const auto nodes = required(path, "num-node-list");
  raw.vertices = readCount(nodes);
  requireVertexCount(raw.vertices, nodes);
  readEdges(path, raw, progress);
  if (const auto file = rawFile(path, "node-feat"); !file.empty())
    raw.features = readTable(file, raw.vertices, false, progress);
  if (const auto file = rawFile(path, "node-label"); !file.empty()) readLabels(file, raw, progress);
  readSplit(path, raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"ogb", "folder in the OGB node-property layout (raw/edge.csv.gz, split/…)", "Hu et al. 2020"},
     1,
     recognises,
     read,
     "raw/edge.csv.gz"}};

}  // namespace
}  // namespace halo
