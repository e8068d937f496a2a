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

#include "datasets/edges/decimal_marks.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/numbered_columns.h"
#include "datasets/edges/numbering.h"
#include "datasets/edges/row_names.h"
#include "datasets/input/packings.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table.h"
#include "datasets/text/class_number.h"
#include "datasets/text/no_label.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::filesystem::path rawFile(const std::filesystem::path& folder, const std::string& name) {
  return plainOrPacked(folder / "raw" / (name + ".csv"));
}

constexpr const char* kRawFiles[] = {"num-node-list", "num-edge-list", "edge", "node-feat", "node-label"};

void remarkPackings(const std::filesystem::path& folder, std::vector<std::string>& remarks) {
  for (const char* name : kRawFiles) remarkOthers(folder / "raw" / (std::string(name) + ".csv"), remarks);
}

bool recognises(const std::filesystem::path& path) {
  return !rawFile(path, "num-node-list").empty() || !rawFile(path, "edge").empty();
}

std::filesystem::path required(const std::filesystem::path& folder, const std::string& name) {
  const auto file = rawFile(folder, name);
  if (file.empty())
    throw DamagedInput({.file = (folder / "raw" / (name + ".csv.gz")).string(),
                        .message = "is missing; the OGB layout needs it"});
  return file;
}

/// The single number in a file such as num-node-list.csv, and its line.
struct Count {
  Index number = 0, line = 0;
};

Count readCount(const std::filesystem::path& file) {
  TextFile text(file);
  std::string_view line;
  if (!text.next(line)) text.damagedWhole("is empty; one number");
  Fields fields(text, line);
  const Count count{fields.integer("a count"), text.line()};
  if (count.number < 0) text.damaged("a count cannot be " + std::to_string(count.number));
  fields.end("one number");
  while (text.next(line)) Fields(text, line).end("one number");
  return count;
}

/// Two lines of many numbers are the sources and the targets, which are read as columns.
void requireNarrow(const TextFile& text, std::string_view line) {
  constexpr std::size_t kMost = 4;  // with a weight and a time
  if (const std::size_t columns = edgeColumns(line); columns > kMost)
    text.damaged("has " + std::to_string(columns) +
                 " columns; the source and the target of an edge, `u,v` on a line");
}

void readEdges(const std::filesystem::path& folder, RawDataset& raw, const Progress& progress) {
  const auto file = required(folder, "edge");
  TextFile text(file, progress);
  FurtherColumns further;
  NumberedColumns numbered;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line, Layout::edges);
    if (!fields.more()) continue;
    if (raw.arcs.empty()) {
      requireNarrow(text, line);
      numbered.first(text, line, true);
    }
    raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  further.remark(text, raw.remarks);
  const auto counts = rawFile(folder, "num-edge-list");
  if (counts.empty()) return numbered.settle(text, raw);
  if (const Count promised = readCount(counts); std::cmp_not_equal(raw.arcs.size(), promised.number))
    throw DamagedInput({.file = counts.string(),
                        .line = promised.line,
                        .message = "promises " + std::to_string(promised.number) + " edges; " +
                                   file.filename().string() + " holds " + std::to_string(raw.arcs.size())});
}

void readFeatures(const std::filesystem::path& file, RawDataset& raw, const Progress& progress) {
  raw.features = readTable(file, raw.vertices, progress);
  remarkNumbered(raw.features, file.filename().string(), raw.vertices, raw.remarks);
  const std::size_t before = raw.remarks.size();
  remarkMarks(file, raw.features.cols(), PairsOf::features, raw.remarks);
  if (raw.features.cols() == 2 && raw.remarks.size() == before) remarkWholePairs(file, raw.remarks);
}

/// How many cells the first line has that holds any; 0: there is none.
Index columnsOf(const std::filesystem::path& file) {
  TextFile text(file);
  std::string_view line;
  while (text.next(line)) {
    Index columns = 0;
    for (Fields fields(text, line, Layout::table); fields.more(); ++columns) fields.word();
    if (columns > 0) return columns;
  }
  return 0;
}

std::int32_t readClass(const TextFile& text, std::string_view line, Fields& fields) {
  const double label = fields.real("a class, or nan for none");
  if (!isClass(label)) text.damaged(shown(line) + " is no class; " + kClassRange + ", or nan for none", line);
  return static_cast<std::int32_t>(label);
}

/// One class a line, or what says that there is none; empty lines at the end are no rows.
void readClasses(const std::filesystem::path& file, RawDataset& raw, const Progress& progress) {
  TextFile text(file, progress);
  std::string_view line;
  const auto n = at(raw.vertices);
  while (text.next(line)) {
    const bool none = saysNoLabel(line);
    if (isBlankLine(line) && raw.labels.size() == n) continue;
    if (raw.labels.size() == n)
      text.damaged("more than the " + std::to_string(n) + " rows that there should be");
    Fields fields(text, none ? std::string_view() : line, Layout::table);
    raw.minusOne = raw.minusOne || (none && saysMinusOne(line));
    raw.labels.push_back(none ? -1 : readClass(text, line, fields));
    fields.end("one class a line");
  }
  if (raw.labels.size() != n) throw WrongRows(file, static_cast<Index>(raw.labels.size()), raw.vertices);
  remarkPoints(file, PairsOf::labels, raw.remarks);
}

/// The first line that holds anything tells whether there is a column a class.
void readLabels(const std::filesystem::path& file, RawDataset& raw, const Progress& progress) {
  if (columnsOf(file) < 2) return readClasses(file, raw, progress);
  raw.multiLabels = readLabelColumns(file, raw.vertices, progress);
  raw.classes = static_cast<std::int32_t>(raw.multiLabels.cols());
  remarkMarks(file, raw.classes, PairsOf::labels, raw.remarks);
}

/// A vertex of the split needs a label; names the line that leaves it out.
void requireLabelled(const std::filesystem::path& file, const RawDataset& raw) {
  if (raw.labels.empty()) return;
  for (std::size_t v = 0; v < raw.split.size(); ++v)
    if (raw.split[v] != Split::none && raw.labels[v] < 0)
      throw DamagedInput({.file = file.string(),
                          .line = static_cast<Index>(v) + 1,
                          .message = "vertex " + std::to_string(v) + " is in the " + nameOf(raw.split[v]) +
                                     " part of the split but has no label"});
}

std::vector<std::filesystem::path> splitFolders(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> splits;
  if (std::filesystem::is_directory(folder / "split"))
    for (const auto& entry : std::filesystem::directory_iterator(folder / "split"))
      if (entry.is_directory()) splits.push_back(entry.path());
  std::sort(splits.begin(), splits.end());
  return splits;
}

std::vector<std::filesystem::path> filesRead(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = {folder / kMarksFile};
  for (const char* name : kRawFiles)
    if (auto file = rawFile(folder, name); !file.empty()) files.push_back(std::move(file));
  if (const auto splits = splitFolders(folder); !splits.empty())
    for (const char* part : {"train", "valid", "test"})
      if (auto file = plainOrPacked(splits[0] / (std::string(part) + ".csv")); !file.empty())
        files.push_back(std::move(file));
  return files;
}

void readSplit(const std::filesystem::path& folder, RawDataset& raw) {
  refusePipe(folder / "split");
  const auto splits = splitFolders(folder);
  if (splits.empty()) return;
  raw.split = readSplitFolder(splits[0], raw.vertices, raw.remarks);
  if (splits.size() > 1)
    raw.remarks.push_back("of " + std::to_string(splits.size()) +
                          " splits the first is taken: " + splits[0].filename().string());
}

/// One mark a line, as `haloscope dataset convert` leaves them; not part of OGB's layout.
void readMarks(const std::filesystem::path& file, RawDataset& raw) {
  refusePipe(file);
  std::ifstream in(file);
  for (std::string mark; std::getline(in, mark);)
    if (!mark.empty()) raw.marks.push_back(mark);
}

/// Calls read() for the rows of `file`; where they are not as many as vertices, the line that counts these is
/// named.
template <class Read>
void readCounted(const std::filesystem::path& nodes, Count count, const std::filesystem::path& file,
                 const Read& read) {
  if (file.empty()) return;
  try {
    read();
  } catch (const WrongRows& wrong) {
    throw DamagedInput({.file = nodes.string(),
                        .line = count.line,
                        .message = "promises " + std::to_string(count.number) + " vertices; " +
                                   file.filename().string() + " holds " + std::to_string(wrong.rows) +
                                   " rows"});
  }
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  RawDataset raw;
  readMarks(path / kMarksFile, raw);
  remarkPackings(path, raw.remarks);
  const auto nodes = required(path, "num-node-list");
  const Count count = readCount(nodes);
  raw.vertices = count.number;
  requireVertexCount(raw.vertices, nodes, "vertices", count.line);
  readEdges(path, raw, progress);
  raw.featureFile = rawFile(path, "node-feat");
  readCounted(nodes, count, raw.featureFile, [&] { readFeatures(raw.featureFile, raw, progress); });
  raw.labelFile = rawFile(path, "node-label");
  readCounted(nodes, count, raw.labelFile, [&] { readLabels(raw.labelFile, raw, progress); });
  readSplit(path, raw);
  requireLabelled(raw.labelFile, raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"ogb", "folder in the OGB node-property layout (raw/edge.csv.gz, split/…)", "Hu et al. 2020"},
     1,
     recognises,
     read,
     "raw/edge.csv.gz",
     nullptr,
     filesRead}};

}  // namespace
}  // namespace halo
