#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "datasets/graph/dataset.h"
#include "datasets/text/vertex_names.h"
#include "engine/base/declaration.h"
#include "engine/base/registry.h"

namespace halo {

/// What a file says of labels.
struct LabelFile {
  std::vector<std::int32_t> labels;  // −1: none
  Matrix multiLabels;
  std::int32_t classes = 0;  // of multi-label sets
  bool minusOne = false;     // a −1 is among what says no label
};

/// What a reader returns: the file's own words. `loadDataset` then treats loops, inverses and missing parts.
struct RawDataset {
  Index vertices = 0;
  std::vector<Arc> arcs;  // as written, duplicates and loops included
  bool everyEdgeOnce =
      true;  // each undirected edge stands once (inverse arcs are to be added); false: arcs as they are
  bool undirected =
      false;  // the file says that its edges have no direction: inverse arcs, also of a directed set
  Matrix features;
  std::vector<std::int32_t> labels;
  Matrix multiLabels;
  std::int32_t classes = 0;
  bool minusOne = false;  // a label is written as −1
  std::vector<Split> split;
  std::vector<std::string> marks;                // what the files say of their origin, as "generated graph"
  std::vector<std::string> remarks;              // what the file says that surprised the reader
  VertexOf vertexOf = {};                        // for files beside it that name its vertices
  std::filesystem::path featureFile, labelFile;  // where they stand, for messages; empty: in the set's file
  std::string featureArray = "features", labelArray = "labels";  // as the set's file names them

  void take(LabelFile file) {
    labels = std::move(file.labels);
    multiLabels = std::move(file.multiLabels);
    classes = file.classes;
    minusOne = file.minusOne;
  }
};

/// In the folder of a written data set: the marks of what it was written from.
constexpr const char* kMarksFile = "marks.txt";

/// One file format, registered by its own file in datasets/formats.
struct FormatEntry {
  Declaration declaration;
  int priority =
      0;  // where several readable forms lie side by side the smallest wins: ogb 1, graphsaint 2, npz 3, …
  bool (*recognises)(const std::filesystem::path& path) = nullptr;  // looks at names and first bytes only
  RawDataset (*read)(const std::filesystem::path& path, const Progress& progress) = nullptr;
  /// For what lies in several files of a folder: the file by which the folder is recognised. nullptr: one
  /// file.
  const char* folderSign = nullptr;
  /// For a format that goes by the shape of lines, of a file that it recognises. Says which other formats the
  /// same lines fit, why these are not taken, and how to choose them. Returns "" where there is no other.
  /// nullptr: never in doubt.
  std::string (*doubt)(const std::filesystem::path& path) = nullptr;
  /// For what lies in several files: those of the set at `path` that the reader opens, there or not.
  std::vector<std::filesystem::path> (*filesRead)(const std::filesystem::path& path) = nullptr;
  /// For what lies in several files with a name in common, so that a folder may hold several sets. Gives the
  /// file that stands for each set at `path`, in the order of names. A file that stands for a set may be
  /// named.
  std::vector<std::filesystem::path> (*sets)(const std::filesystem::path& path) = nullptr;
  /// A file beside it may tell its labels (labels_beside.h), which the loader adds to what is read.
  bool labelsBeside = false;
  /// Its arcs can be made a file of their own (arc_file.h).
  bool streams = false;
  /// Whether a file that it recognises surely holds no graph: in a folder such a file is left out. nullptr:
  /// none does.
  bool (*holdsNoGraph)(const std::filesystem::path& path) = nullptr;
};

/// Throws DamagedInput naming `file` for a count that cannot be meant, and `line` where the count stands on
/// one. Vertices are numbered in 32 bits and their offsets must fit into memory. `unit` is counted: vertices,
/// or columns of a matrix.
void requireVertexCount(Index count, const std::filesystem::path& file, const std::string& unit = "vertices",
                        Index line = 0);

/// For FormatEntry::sets: the path itself, or files of the folder, that stand for a set.
std::vector<std::filesystem::path> setsAt(const std::filesystem::path& path,
                                          bool (*standsForSet)(const std::filesystem::path& file));

/// Whether a file is called labels, so that it is no graph.
bool namesLabels(const std::filesystem::path& file);

}  // namespace halo
