#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// Files beside a graph that may tell its labels, by their names.
struct LabelsBeside {
  std::filesystem::path labels;                // empty: none
  std::vector<std::filesystem::path> leftOut;  // called labels of the graph as well

  /// Names those that are left out; "" where there are none.
  std::string remark() const;
};

/// Labels of the graph "net.txt" are in "net-labels.txt", "net_node_labels.csv" or the like. Those of
/// "bc_adjlist.txt" are also looked for in "bc_labels.txt", as the last part of its name says only what form
/// it has. Of several the shortest name of the first kind is taken.
LabelsBeside labelsNear(const std::filesystem::path& graph);

}  // namespace halo
