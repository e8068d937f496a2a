#pragma once

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/arrays/npz.h"
#include "datasets/graph/dataset.h"
#include "datasets/text/vertex_names.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {

/// A text has another number of rows than vertices need; where they are counted may be told better.
class WrongRows : public DamagedInput {
 public:
  /// `last`: the line of the last one; 0: there is none, or it is not known.
  WrongRows(const std::filesystem::path& file, Index rowCount, Index vertices, Index last = 0);
  Index rows;
};

/// A text file of numbers, one row a line, all of the same length and with the same separator. `rows`: how
/// many there have to be. Throws DamagedInput with line and column, also for empty lines among rows of one
/// column.
Matrix readTable(const std::filesystem::path& file, Index rows, const Progress& progress = {});

/// What is said behind a number in columns of labels that is neither 0 nor 1.
inline constexpr const char* kNoFlag = " is no label; several labels a vertex are columns of 0 and 1";
/// The same of labels, a column a class, each number 0 or 1.
Matrix readLabelColumns(const std::filesystem::path& file, Index rows, const Progress& progress = {});

/// Features of a text file, a row a vertex; of one column without empty lines between them. A first line of
/// names tells whether a column numbers the vertices. Rows then go to the vertices that the column names, and
/// it is no feature. Without names a first column is also taken for such numbers, if there are three rows or
/// more. It then holds exactly 0, 1, 2, … or 1, 2, 3, … or the numbers of the graph's file. The same numbers
/// out of order are refused, whatever names say, or remarked where so few rows may have them by chance.
Matrix readFeatureTable(const std::filesystem::path& file, const GraphVertices& graph,
                        std::vector<std::string>& remarks);

/// Of features that are read as they stand, a row a vertex: remarks columns that may number the vertices.
/// Throws DamagedInput where the first one numbers them in another order.
void remarkNumbered(const Matrix& features, const std::string& file, const GraphVertices& graph,
                    std::vector<std::string>& remarks);

/// Numbers as they stand in a file, by rows. They are doubles, in which every whole number up to 2^53 is
/// exact; in a Scalar vertex numbers above 2^24 are not.
struct NumberTable {
  std::filesystem::path file;
  Index rows = 0, cols = 0;
  std::vector<double> values;
  std::vector<Index> lines = {};           // of the rows; empty: not a text file
  Index vertexColumn = -1;                 // the one that a first line names so
  Index firstLine = 1, lastLine = 0;       // of a text file, but names; empty lines included
  std::vector<std::string> names = {};     // of its columns; empty: they have none
  std::string rowNames = {};               // what is told of names of rows; "": there are none
  std::string type = {};                   // numpy's, of an array
  std::map<Index, std::string> wide = {};  // by row: numbers of vertices that a double does not keep
  double operator()(Index row, Index col) const { return values[at(row * cols + col)]; }
  /// Keeps what `word` says of a vertex where the double of its number does not.
  template <class Word>
  void keepExactly(Index row, double value, const Word& word) {
    if (std::abs(value) >= kExactBelow) wide[row] = word();
  }
  /// The number of a vertex as it stands in a row, exactly.
  std::string vertexWord(Index row, Index col) const;
  /// Throws DamagedInput with the line, or the row, and the column.
  [[noreturn]] void damaged(Index row, Index col, const std::string& message) const;
};
/// As a person writes it: "5", "0.5".
std::string numeral(double value, int digitsAtMost = 15);
/// A text table with any number of rows and perhaps a first line of names. Quotes around nothing, alone on a
/// line, are an empty line.
NumberTable readNumbers(const std::filesystem::path& file);

/// The vertices that `column` of the table numbers (vertex_names.h), a row each. Throws DamagedInput for a
/// number that is no vertex and for a vertex with two rows.
std::vector<Index> verticesOf(const NumberTable& table, Index column, const GraphVertices& graph,
                              std::vector<std::string>& remarks);

/// Features that a file gives have a column at least; throws DamagedInput naming `where` otherwise.
void requireWidth(const Matrix& features, const std::string& where);

}  // namespace halo
