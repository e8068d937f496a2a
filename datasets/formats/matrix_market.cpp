// MatrixMarket, coordinate form, plain or packed:
//
//   %%MatrixMarket matrix coordinate FIELD general|symmetric|skew-symmetric|hermitian
//   FIELD: real, double, integer, unsigned-integer (scipy writes it), complex or pattern
//   % comment
//   ROWS COLUMNS ENTRIES
//   row column [value]          numbered from 1; of a symmetric matrix one triangle stands in the file
//
// An entry (i, j) is the arc i → j. Values have to be of the kind that the banner names; they are not kept. A
// banner that is spelled otherwise (one %, a blank after it, a line later) is read and remarked.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "datasets/contract/format.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/numbering.h"
#include "datasets/parts/sparse_arrays.h"
#include "datasets/text/promised.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// What follows the name in a banner of any spelling; nothing if the line is none.
std::optional<std::string_view> afterName(std::string_view line) {
  const std::size_t start = line.find_first_not_of("%# \t");
  if (start == std::string_view::npos) return std::nullopt;
  line.remove_prefix(start);
  for (const std::string_view name : {"matrixmarket", "matrix market", "matrix-market"}) {
    if (lower(line.substr(0, name.size())) != name) continue;
    const std::string_view rest = line.substr(name.size());
    // without a mark before it the name may begin any text
    if (start > 0 || lower(rest).starts_with(" matrix ")) return rest;
  }
  return std::nullopt;
}

/// The same below other comments, which may begin with the name in prose.
std::optional<std::string_view> afterNameBelow(std::string_view line) {
  const auto rest = afterName(line);
  if (!rest) return rest;
  line.remove_prefix(line.find_first_not_of(" \t"));
  const std::string words = lower(*rest);
  return lower(line.substr(0, 15)) == "%%matrixmarket " || words.starts_with(" matrix coordinate") ||
                 words.starts_with(" matrix array")
             ? rest
             : std::nullopt;
}

/// Looks for the banner from the top, line by line, until something stands there that is no comment.
class BannerSearch {
 public:
  /// Whether to go on with the next line.
  bool pass(std::string_view line) {
    if (isBlankLine(line)) return true;
    remainder = first_ ? afterName(line) : afterNameBelow(line);
    first_ = false;
    return !remainder && isBlankOrComment(line);
  }
  std::optional<std::string_view> remainder;  // what follows the name

 private:
  bool first_ = true;
};

/// What follows the name in the banner, in small letters; nothing: there is none.
std::optional<std::string> bannerOf(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  const FileHead head = headWithLines(path);
  BannerSearch search;
  for (const std::string_view line : linesOf(head.lines))
    if (!search.pass(line)) break;
  return search.remainder ? std::optional(lower(*search.remainder)) : std::nullopt;
}

bool recognises(const std::filesystem::path& path) { return bannerOf(path).has_value(); }

/// SuiteSparse has coordinates and right sides so, beside the matrix.
bool isArray(const std::filesystem::path& path) {
  return bannerOf(path).value_or("").starts_with(" matrix array ");
}

struct Header {
  Index entries = 0, entriesAt = 0;  // the line that counts them
  bool symmetric = false;
  bool skew = false;  // symmetric, with nothing on the diagonal
  std::string field;
  int values = 0;         // of an entry
  bool integers = false;  // values are whole numbers
  bool negative = false;  // they may be below 0
};

/// Words of the banner, each one of those that there are.
class Banner {
 public:
  Banner(const TextFile& text, std::string_view words) : text_(text), fields_(text, words, Layout::list) {}
  std::string word(std::initializer_list<std::string_view> keywords, const std::string& expected) {
    const std::string_view word = fields_.word();
    std::string keyword = lower(word);
    if (std::find(keywords.begin(), keywords.end(), keyword) == keywords.end())
      text_.damaged((word.empty() ? "the banner ends early; " : shown(word) + " cannot be read; ") + expected,
                    word);
    return keyword;
  }
  void end() { requireEnd(text_, fields_, "`%%MatrixMarket matrix coordinate FIELD SYMMETRY`"); }

 private:
  const TextFile& text_;
  Fields fields_;
};

void readBanner(TextFile& text, RawDataset& raw, Header& header) {
  constexpr const char* kGraph =
      "a graph is a `%%MatrixMarket matrix coordinate`, followed by field and symmetry";
  std::string_view line;
  BannerSearch search;
  do {
    if (!text.next(line)) text.damagedWhole(std::string("has no banner; ") + kGraph);
  } while (search.pass(line));
  const auto remainder = search.remainder;
  if (!remainder) text.damaged(kGraph);
  if (text.line() > 1 || !lower(line).starts_with("%%matrixmarket "))
    raw.remarks.push_back("the banner of MatrixMarket stands on line " + std::to_string(text.line()) +
                          " as " + shown(line) + "; read as `%%MatrixMarket` on line 1");
  Banner banner(text, *remainder);
  banner.word({"matrix"}, kGraph);
  banner.word({"coordinate"}, kGraph);
  header.field = banner.word({"real", "double", "integer", "unsigned-integer", "complex", "pattern"},
                             "real, integer, unsigned-integer, complex or pattern");
  const std::string symmetry = banner.word({"general", "symmetric", "skew-symmetric", "hermitian"},
                                           "general, symmetric, skew-symmetric or hermitian");
  banner.end();
  if (symmetry == "hermitian" && header.field != "complex")
    text.damaged("a hermitian matrix is complex; the banner says " + header.field);
  if (symmetry == "skew-symmetric" && header.field == "pattern")
    text.damaged("a skew-symmetric matrix has values; the banner says pattern");
  header.symmetric = symmetry != "general";
  header.skew = symmetry == "skew-symmetric";
  header.values = header.field == "pattern" ? 0 : header.field == "complex" ? 2 : 1;
  header.integers = header.field == "integer" || header.field == "unsigned-integer";
  header.negative = header.field != "unsigned-integer";
  if (header.values > 0) raw.remarks.emplace_back("values of the matrix are not read");
}

/// The format has no other separators than blanks.
void requireBlanks(const TextFile& text, std::string_view line, const Fields& fields) {
  if (const char mark = fields.separator(); isMark(mark))
    text.damaged(std::string("'") + mark + "' between the numbers; MatrixMarket has blanks",
                 line.substr(std::min(line.find(mark), line.size())));
}

Header readHeader(TextFile& text, RawDataset& raw) {
  Header header;
  readBanner(text, raw, header);
  std::string_view line;
  do {
    if (!text.next(line)) text.damagedWhole("ends before the line with its size");
  } while (isBlankOrComment(line, "%"));
  Fields size(text, line, Layout::list);
  raw.vertices = size.integer("the number of rows");
  const Index columns = size.integer("the number of columns");
  header.entries = size.integer("the number of entries");
  header.entriesAt = text.line();
  requireEnd(text, size, "`ROWS COLUMNS ENTRIES`");
  requireBlanks(text, line, size);
  if (header.entries < 0)
    text.damaged(std::to_string(header.entries) + " entries cannot be; a number from 0");
  if (columns != raw.vertices)
    text.damaged("a matrix of " + std::to_string(raw.vertices) + " × " + std::to_string(columns) +
                 " is no graph; as many columns as rows");
  requireVertexCount(raw.vertices, text.path(), "vertices", text.line());
  return header;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Digits with a sign, a point and an exponent, as C or Fortran writes them; nan and inf in any case. Faster
/// than to make the number, which nobody needs.
bool isReal(std::string_view word) {
  const char *at = word.data(), *end = at + word.size();
  const auto sign = [&] { at += at < end && (*at == '+' || *at == '-'); };
  const auto digits = [&] {
    const char* start = at;
    while (at < end && isDigit(*at)) ++at;
    return at - start;
  };
  sign();
  auto count = digits();
  if (at < end && *at == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) {
    const std::string name = lower({at, static_cast<std::size_t>(end - at)});
    return name == "nan" || name == "inf" || name == "infinity";
  }
  if (at == end) return true;
  if (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D') return false;
  ++at;
  sign();
  return digits() > 0 && at == end;
}

bool isInteger(std::string_view word, bool negative) {
  if (word.starts_with('+') || (negative && word.starts_with('-'))) word.remove_prefix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), isDigit);
}

bool isValue(std::string_view word, const Header& header) {
  return header.integers ? isInteger(word, header.negative) : isReal(word);
}

/// Whether a value that was checked is 0.
bool isZero(std::string_view word) {
  word = word.substr(0, word.find_first_of("eEdD"));
  return word.find_first_not_of("+-0.") == std::string_view::npos;
}

/// What the banner promises after row and column. Returns whether there is something and all of it is 0.
bool checkValues(const TextFile& text, Fields& fields, const Header& header) {
  bool zero = header.values > 0;
  for (int i = 0; i < header.values; ++i) {
    const std::string_view word = fields.word();
    if (word.empty()) text.damaged("the line ends early; a value, for the banner says " + header.field);
    if (!isValue(word, header))
      text.damaged(shown(word) + " is not a value; the banner says " + header.field, word);
    zero &= isZero(word);
  }
  if (fields.more()) requireEnd(text, fields, "the banner says " + header.field);
  return zero;
}

/// Row and column of an entry that is digits, blanks and the value promised, as most are. Returns false where
/// the fields have to be looked at one by one. `zero`: whether there is a value and it is 0.
bool plainEntry(std::string_view line, const Header& header, Index& row, Index& column, bool& zero) {
  const char *at = line.data(), *end = at + line.size();
  const auto blanks = [&] {
    const char* start = at;
    while (at < end && (*at == ' ' || *at == '\t')) ++at;
    return at > start;
  };
  const auto number = [&](Index& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop;
    return error == std::errc();
  };
  blanks();
  if (!number(row) || !blanks() || !number(column)) return false;
  zero = header.values > 0;
  for (int i = 0; i < header.values; ++i) {
    if (!blanks()) return false;
    const char* start = at;
    while (at < end && *at != ' ' && *at != '\t') ++at;
    const std::string_view value(start, static_cast<std::size_t>(at - start));
    if (!isValue(value, header)) return false;
    zero &= isZero(value);
  }
  blanks();
  return at == end;
}

bool isVertex(Index number, const RawDataset& raw) { return number >= 1 && number <= raw.vertices; }

/// `number` stands in the line as its row, with no field before it, or as its column, with one.
[[noreturn]] void refuseVertex(const TextFile& text, std::string_view line, Index vertices, Index number,
                               int before) {
  Fields fields(text, line, Layout::list);
  for (int i = 0; i < before; ++i) fields.word();
  text.damaged(std::string(before == 0 ? "row " : "column ") + std::to_string(number) +
                   " does not exist; 1 to " + std::to_string(vertices),
               fields.rest().substr(0, 1));
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  RawDataset raw;
  const Header header = readHeader(text, raw);
  raw.everyEdgeOnce = !header.symmetric;
  reserveArcs(raw, header.entries, header.symmetric ? 2 : 1, path);
  Promised entries(text, header.entries, header.entriesAt);
  entries.call("entries");
  Index zeros = 0;
  std::string_view line;
  while (text.next(line)) {
    Index row = 0, column = 0;
    bool zero = false;
    if (!plainEntry(line, header, row, column, zero)) {
      if (isBlankOrComment(line, "%")) continue;
      Fields fields(text, line, Layout::list);
      row = fields.integer("row");
      column = fields.integer("column");
      zero = checkValues(text, fields, header);
      requireBlanks(text, line, fields);
    }
    if (!isVertex(row, raw)) refuseVertex(text, line, raw.vertices, row, 0);
    if (!isVertex(column, raw)) refuseVertex(text, line, raw.vertices, column, 1);
    const Arc arc{static_cast<Vertex>(row - 1), static_cast<Vertex>(column - 1)};
    if (header.skew && row == column)
      text.damaged("row " + std::to_string(row) + ", column " + std::to_string(column) +
                   " is on the diagonal; a skew-symmetric matrix has no entries there");
    if (!entries.take()) continue;
    raw.arcs.push_back(arc);
    if (header.symmetric && row != column) raw.arcs.push_back({arc.target, arc.source});
    zeros += zero;
  }
  entries.require();
  if (header.entries == 0) raw.remarks.emplace_back("the file holds no edge");
  if (zeros > 0) raw.remarks.push_back(storedZeros(zeros));
  raw.vertexOf = countedFromOne(raw.vertices);
  return raw;
}

const Registered<FormatEntry> self{
    {{"matrix-market", "MatrixMarket coordinate matrix, square (.mtx, .mtx.gz)",
      "math.nist.gov/MatrixMarket"},
     4,
     recognises,
     read,
     nullptr,
     nullptr,
     nullptr,
     nullptr,
     false,
     false,
     isArray}};

}  // namespace
}  // namespace halo
