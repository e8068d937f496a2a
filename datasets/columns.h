#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text.h"

namespace halo {

/// Letters and digits of a name, in lower case: "Node_ID" and "node id" are one.
std::string plainName(std::string_view name);

/// What the first line of a table says of its columns.
struct ColumnNames {
  std::vector<std::string> names;
  char separator = ' ';
};

/// The names in `line`; nothing where it holds values. Names begin with a word that is neither a number nor a
/// sign of a missing value; or with nothing, as an index without a name, and names or 0, 1, 2, … behind it.
std::optional<ColumnNames> columnNames(std::string_view line);

/// How many cells of `line` are 0, 1, 2, … in order, as pandas names columns without names; 0: it has others.
std::size_t countedColumns(std::string_view line);

/// Whether the first cell is such a name as vertexColumn looks for.
bool namesVertexFirst(std::string_view line);

/// The column that numbers the vertices, by its name (node_id, vertex, index, …, or none at all); −1: none
/// does. Throws DamagedInput at the current line of `text` for several.
Index vertexColumn(const TextFile& text, const ColumnNames& columns);

/// For a line above edges or labels that begins with a word: throws DamagedInput at the word where numbers
/// follow, unless they stand behind known names of two ends. `right`: "a vertex number from 0".
void requireNamesAlone(const TextFile& text, std::string_view line, const std::string& right);

/// Which columns are read as the ends of an edge, where the names in a line above them do not say so; "".
std::string endsTaken(std::string_view line);

/// What is told where the names in a line above edges are those of two kinds of vertices (user, item); "".
std::string twoKinds(std::string_view line);

/// Whether the names in a line above edges say that the ends stand in the first two columns.
bool namesEndsFirst(std::string_view line);
/// Whether they are as many as the `columns` of the edges and say that the ends stand in others.
bool namesEndsElsewhere(std::string_view line, std::size_t columns);

/// For a line of names above edges: throws DamagedInput where they say that the ends of an edge do not stand
/// in the first two columns.
void requireEndsFirst(const TextFile& text, std::string_view line);

/// The same above lists of labels: where they number the vertices in another column than the first.
void requireVertexFirst(const TextFile& text, std::string_view line);

/// Whole numbers from `first`, 0 or 1, each once: what numbers the rows of a table.
struct RowNumbers {
  Index first = 0;
  bool inOrder = false;
};
/// Nothing: they are something else.
std::optional<RowNumbers> rowNumbers(std::span<const double> numbers);

}  // namespace halo
