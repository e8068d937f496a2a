#include "datasets/table.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Begins with a word that is no number (nan and inf are).
bool namesColumns(std::string_view line) {
  const char first = line.empty() ? '0' : line[0];
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '"';
  return letter && !line.starts_with("nan") && !line.starts_with("NaN") && !line.starts_with("inf");
}

/// Calls take(row, column, fields), which reads the number, for every number of a table as readTable has
/// them. Returns rows and columns.
template <class Take>
std::pair<Index, Index> eachNumber(TextFile& text, Index rows, bool mayHaveNames, Take take) {
  Index found = 0, columns = 0;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line);
    if (!fields.more() || (mayHaveNames && text.line() == 1 && namesColumns(line))) continue;
    if (found == rows) text.damaged("more than the " + std::to_string(rows) + " rows that there should be");
    Index width = 0;
    for (; fields.more(); ++width) take(found, width, fields);
    if (found == 0) columns = width;
    if (width != columns)
      text.damaged("row " + std::to_string(found) + " has " + std::to_string(width) +
                   " columns; the rows above have " + std::to_string(columns));
    ++found;
  }
  if (rows >= 0 && found != rows)
    text.damagedWhole("holds " + std::to_string(found) + " rows; " + std::to_string(rows) +
                      " vertices need one each");
  return {found, columns};
}

constexpr const char* kNumber = "a number";

}  // namespace

Matrix readTable(const std::filesystem::path& file, Index rows, bool mayHaveNames, const Progress& progress) {
  TextFile text(file, progress);
  std::vector<Scalar> values;
  const auto [found, columns] = eachNumber(text, rows, mayHaveNames, [&](Index, Index, Fields& fields) {
    values.push_back(static_cast<Scalar>(fields.scalar(kNumber)));
  });
  Matrix table(found, columns);
  std::copy(values.begin(), values.end(), table.data());
  return table;
}

Matrix readFeatureTable(const std::filesystem::path& file, Index rows, bool& numbered) {
  TextFile text(file);
  std::vector<Scalar> values;
  numbered = true;
  const auto [found, columns] = eachNumber(text, rows, true, [&](Index row, Index column, Fields& fields) {
    const double value = fields.scalar(kNumber);
    numbered = numbered && (column > 0 || value == static_cast<double>(row));
    values.push_back(static_cast<Scalar>(value));
  });
  numbered = numbered && found >= 3 && columns >= 2;  // with fewer rows it may well be chance
  const Index first = numbered ? 1 : 0;
  Matrix features(found, columns - first);
  for (Index r = 0; r < found; ++r)
    std::copy_n(values.begin() + r * columns + first, columns - first, features.row(r).begin());
  return features;
}

NumberTable readNumbers(const std::filesystem::path& file) {
  TextFile text(file);
  NumberTable table;
  std::tie(table.rows, table.cols) = eachNumber(
      text, -1, true, [&](Index, Index, Fields& fields) { table.values.push_back(fields.real(kNumber)); });
  return table;
}

std::vector<Index> readIndices(const std::filesystem::path& file, Index bound, const char* what) {
  TextFile text(file);
  std::vector<Index> indices;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line);
    while (fields.more()) {
      const Index index = fields.integer(what);
      if (index < 0 || index >= bound)
        text.damaged(std::to_string(index) + " is out of range; " + what + " from 0 to " +
                     std::to_string(bound - 1));
      indices.push_back(index);
    }
  }
  return indices;
}

std::filesystem::path plainOrPacked(const std::filesystem::path& path) {
  if (std::filesystem::is_regular_file(path)) return path;
  for (const char* packing : {".gz", ".xz", ".bz2", ".zst"}) {
    const std::filesystem::path packed = path.string() + packing;
    if (std::filesystem::is_regular_file(packed)) return packed;
  }
  return {};
}

const char* nameOf(Split part) {
  switch (part) {
    case Split::train:
      return "train";
    case Split::valid:
      return "valid";
    case Split::test:
      return "test";
    case Split::none:
      break;
  }
  return "none";
}

void assignSplit(std::vector<Split>& split, const std::vector<Index>& vertices, Split part,
                 const std::filesystem::path& file) {
  for (const Index vertex : vertices) {
    Split& now = split[static_cast<std::size_t>(vertex)];
    if (now != Split::none && now != part)
      throw DamagedInput({file.string(), 0, 0, "",
                          "vertex " + std::to_string(vertex) + " is in " + nameOf(now) + " and in " +
                              nameOf(part) + "; the parts of a split do not overlap"});
    now = part;
  }
}

std::vector<Split> readSplitFolder(const std::filesystem::path& folder, Index vertices) {
  std::vector<Split> split(static_cast<std::size_t>(vertices), Split::none);
  for (const Split part : {Split::train, Split::valid, Split::test}) {
    const auto file = plainOrPacked(folder / (std::string(nameOf(part)) + ".csv"));
    if (file.empty())
      throw DamagedInput({(folder / (std::string(nameOf(part)) + ".csv.gz")).string(), 0, 0, "",
                          "is missing; a split is train, valid and test"});
    assignSplit(split, readIndices(file, vertices, "a vertex number"), part, file);
  }
  return split;
}

std::vector<Split> splitMasks(const std::map<std::string, NpyArray>& arrays, Index vertices,
                              const std::filesystem::path& file) {
  constexpr std::pair<const char*, Split> kMasks[] = {
      {"train_mask", Split::train}, {"val_mask", Split::valid}, {"test_mask", Split::test}};
  std::vector<Split> split;
  for (const auto& [key, part] : kMasks) {
    const auto found = arrays.find(key);
    if (found == arrays.end()) continue;
    const auto mask = found->second.reals(file.string() + ": " + key);
    if (std::cmp_not_equal(mask.size(), vertices))
      throw DamagedInput({file.string(), 0, 0, key,
                          "has " + std::to_string(mask.size()) + " elements; " + std::to_string(vertices) +
                              " vertices need one each"});
    split.resize(mask.size(), Split::none);
    std::vector<Index> members;
    for (std::size_t v = 0; v < mask.size(); ++v)
      if (mask[v] != 0) members.push_back(static_cast<Index>(v));
    assignSplit(split, members, part, file);
  }
  return split;
}

}  // namespace halo
