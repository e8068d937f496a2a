#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

File roles(const Truth& truth, Random& random) {
  File file{"role.json"};
  file.json = true;
  file.lines.push_back({{word("{")}});
  std::vector<Line> lists;
  for (const auto& [key, part] : {std::pair("tr", Split::train), {"va", Split::valid}, {"te", Split::test}}) {
    Line line{{word("\"" + std::string(key) + "\":"), word("[")}};
    for (const Index v : anyOrder(random, truth.vertices)) {
      if (truth.split[at(v)] != part) continue;
      if (line.tokens.size() > 2) line.tokens.push_back(word(","));
      line.tokens.push_back({std::to_string(v), Role::vertex, std::to_string(truth.vertices), key});
    }
    line.tokens.push_back(word("]"));
    lists.push_back(line);
  }
  shuffle(random, lists);
  for (std::size_t i = 0; i + 1 < lists.size(); ++i) {
    lists[i].tokens.push_back(word(","));
    lists[i].unique = true;
  }
  file.lines.insert(file.lines.end(), lists.begin(), lists.end());
  file.lines.push_back({{word("}")}});
  return file;
}

Written write(Truth truth, Random& random) {
  File graph{"adj_full.npz"}, features{"feats.npy"};
  graph.packing = chance(random, 0.5) ? Packing::zip : Packing::none;
  graph.arrays = adjacencyArrays("", truth.vertices, truth.arcs, random);
  features.arrays = {matrixArray("", truth.features, random)};
  labelAll(random, truth);
  std::vector<std::string> names;
  for (Index v = 0; v < truth.vertices; ++v) names.push_back(std::to_string(v));
  File labels = labelMap("class_map.json", truth, names, random);
  labels.required = features.required = true;
  return {{graph, features, labels, roles(truth, random)}, "", std::move(truth)};
}

const Registered<WriterEntry> self{{{"graphsaint", "arrays and maps in a folder", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
