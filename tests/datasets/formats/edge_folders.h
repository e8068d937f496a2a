#pragma once

#include <string>

#include "tests/datasets/loading.h"

namespace halo {

/// Folders musae, geom-gcn and ogb of these formats, with these lines of edges beside the vertices 0 to 9.
inline void writeEdgeFolders(const OwnCache& own, const std::string& edges) {
  std::string target = "id,target\n", nodes = "node_id\tfeature\tlabel\n";
  for (int v = 0; v < 10; ++v) {
    target += std::to_string(v) + ",a\n";
    nodes += std::to_string(v) + "\t1,0\t0\n";
  }
  own.write("musae/a_target.csv", target);
  own.write("musae/a_edges.csv", edges);
  own.write("geom-gcn/out1_node_feature_label.txt", nodes);
  own.write("geom-gcn/out1_graph_edges.txt", edges);
  own.write("ogb/raw/num-node-list.csv", "10\n");
  own.write("ogb/raw/edge.csv", edges);
}

}  // namespace halo
