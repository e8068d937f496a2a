#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/text.h"

namespace halo {

/// Letters and digits of a name, in lower case: "Node_ID" and "node id" are one.
std::string plainName(std::string_view name);

/// What the first line of a table says of its columns.
struct ColumnNames {
  std::vector<std::string> names;
  char separator = ' ';
};

/// The cells of a line as if they were names.
ColumnNames cellsOf(std::string_view line);
/// Whether the cell is a number, in a double's range or not.
bool isNumberText(std::string_view cell);
/// Whether it is a name: it begins with a letter, perhaps behind a mark (`:START_ID`, `~from`), and is no
/// sign of a missing value.
bool isColumnName(std::string_view cell);

/// The names in `line`; nothing where it holds values. Names begin with a word that is neither a number nor a
/// sign of a missing value. They may also begin with nothing, as an index without a name, and names or 0, 1,
/// 2, … behind it.
std::optional<ColumnNames> columnNames(std::string_view line);

/// Whether a column called so is an index without a name: "", or what pandas makes of that.
bool isIndexName(std::string_view name);
/// Whether they begin with such an index.
bool namesIndexFirst(std::string_view line);

/// How many cells of `line` are 0, 1, 2, … in order, as pandas names columns without names; 0: it has others.
std::size_t countedColumns(std::string_view line);

/// Whether the first cell is such a name as vertexColumn looks for.
bool namesVertexFirst(std::string_view line);

/// Whether a column is called a label: label, class, target, group, y, …
bool namesLabel(std::string_view name);
/// What is told of a column beside the only one that is called so.
std::string labelAlone(const std::string& file, const std::string& label, const std::string& other);

/// The column that numbers the vertices, by its name (node_id, vertex, index, …, or none at all); −1: none
/// does. Throws DamagedInput at the current line of `text` for several.
Index vertexColumn(const TextFile& text, const ColumnNames& columns);

/// For a line of names above lists of labels: throws DamagedInput where they number the vertices in another
/// column than the first.
void requireVertexFirst(const TextFile& text, std::string_view line);

/// For names above features, `before` columns without one standing before them. Throws DamagedInput where a
/// column is called a label, which would tell a model what it is to learn. Remarks others that may be labels.
void requireNoLabel(const TextFile& text, const ColumnNames& columns, Index vertexColumn, Index before,
                    std::vector<std::string>& remarks);

/// Whole numbers from `first`, 0 or 1, each once: what numbers the rows of a table.
struct RowNumbers {
  Index first = 0;
  bool inOrder = false;
};
/// Nothing: they are something else.
std::optional<RowNumbers> rowNumbers(std::span<const double> numbers);

}  // namespace halo
