// MatrixMarket, coordinate form, plain or packed:
//
//   %%MatrixMarket matrix coordinate real|integer|complex|pattern general|symmetric|skew-symmetric|hermitian
//   % comment
//   ROWS COLUMNS ENTRIES
//   row column [value]          numbered from 1; of a symmetric matrix one triangle stands in the file
//
// An entry (i, j) is the arc i → j; values are not read.

#include <algorithm>
#include <cctype>

#include "datasets/formats/format.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool recognises(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) && lower(headOf(path, 14)) == "%%matrixmarket";
}

struct Header {
  Index entries = 0;
  bool symmetric = false;
};

Header readHeader(TextFile& text, RawDataset& raw) {
  std::string_view line;
  text.next(line);
  Fields banner(text, line);
  std::vector<std::string> words;
  while (banner.more()) words.push_back(lower(banner.word()));
  if (words.size() != 5 || words[1] != "matrix" || words[2] != "coordinate")
    text.damaged("a graph is a `%%MatrixMarket matrix coordinate`, followed by field and symmetry");
  Header header;
  header.symmetric = words[4] != "general";
  if (words[3] != "pattern") raw.remarks.push_back("values of the matrix are not read");
  do {
    if (!text.next(line)) text.damagedWhole("ends before the line with its size");
  } while (line.empty() || line[0] == '%');
  Fields size(text, line);
  raw.vertices = size.integer("the number of rows");
  const Index columns = size.integer("the number of columns");
  header.entries = size.integer("the number of entries");
  if (columns != raw.vertices)
    text.damaged("a matrix of " + std::to_string(raw.vertices) + " × " + std::to_string(columns) +
                 " is no graph; as many columns as rows");
  requireVertexCount(raw.vertices, text.path());
  return header;
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  RawDataset raw;
  const Header header = readHeader(text, raw);
  raw.everyEdgeOnce = !header.symmetric;
  Index entries = 0;
  std::string_view line;
  while (text.next(line)) {
    if (line.empty() || line[0] == '%') continue;
    Fields fields(text, line);
    const auto vertex = [&](const char* what) {
      const Index number = fields.integer(what);
      if (number < 1 || number > raw.vertices)
        text.damaged(std::string(what) + " " + std::to_string(number) + " does not exist; 1 to " +
                     std::to_string(raw.vertices));
      return static_cast<Vertex>(number - 1);
    };
    const Vertex row = vertex("row"), column = vertex("column");
    raw.arcs.push_back({row, column});
    if (header.symmetric && row != column) raw.arcs.push_back({column, row});
    ++entries;
  }
  if (entries != header.entries)
    text.damagedWhole("holds " + std::to_string(entries) + " entries; its size line promises " +
                      std::to_string(header.entries));
  return raw;
}

const Registered<FormatEntry> self{
    {{"matrix-market", "MatrixMarket coordinate matrix, square (.mtx, .mtx.gz)",
      "math.nist.gov/MatrixMarket"},
     4,
     recognises,
     read}};

}  // namespace
}  // namespace halo
