#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/npz.h"

namespace halo {

/// A text file of numbers, one row a line, all of the same length. `rows`: how many there have to be; −1: as
/// many as there are. `mayHaveNames`: a first line that begins with a word names the columns and is skipped.
/// Throws DamagedInput with line and column.
Matrix readTable(const std::filesystem::path& file, Index rows, bool mayHaveNames,
                 const Progress& progress = {});

/// Features of a text file, a row a vertex, a first line of names skipped. A first column that holds exactly
/// 0, 1, 2, … (of three rows or more) numbers the vertices: it is left out, and `numbered` says so.
Matrix readFeatureTable(const std::filesystem::path& file, Index rows, bool& numbered);

/// Numbers as they stand in a file, by rows: in a double every whole number up to 2^53 is exact, in a Scalar
/// vertex numbers above 2^24 are not.
struct NumberTable {
  Index rows = 0, cols = 0;
  std::vector<double> values;
  double operator()(Index row, Index col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
};
/// Like readTable, with any number of rows and perhaps a first line of names.
NumberTable readNumbers(const std::filesystem::path& file);

/// A text file of whole numbers, in the order in which they stand, each in [0, bound).
std::vector<Index> readIndices(const std::filesystem::path& file, Index bound, const char* what);

/// `path`, or packed beside it: with ".gz", ".xz", ".bz2" or ".zst". Empty: none of them is there.
std::filesystem::path plainOrPacked(const std::filesystem::path& path);

/// A split from a folder with train, valid and test .csv(.gz). Throws DamagedInput naming file and line.
std::vector<Split> readSplitFolder(const std::filesystem::path& folder, Index vertices);

/// A split from the arrays train_mask, val_mask and test_mask. Absent masks mark nothing; none at all: empty.
std::vector<Split> splitMasks(const std::map<std::string, NpyArray>& arrays, Index vertices,
                              const std::filesystem::path& file);

/// Gives the vertices listed in `file` the part `part`; a vertex of two parts is damaged input.
void assignSplit(std::vector<Split>& split, const std::vector<Index>& vertices, Split part,
                 const std::filesystem::path& file);

/// "train", "valid" or "test".
const char* nameOf(Split part);

}  // namespace halo
