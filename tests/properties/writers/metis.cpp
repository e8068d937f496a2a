#include <algorithm>

#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Written write(Truth truth, Random& random) {
  truth.features = truth.multiLabels = Matrix();
  truth.labels.clear();
  truth.split.clear();
  std::erase_if(truth.arcs, [](Arc arc) { return arc.source == arc.target; });
  makeSymmetric(truth);
  const bool sizes = chance(random, 0.2), weights = chance(random, 0.3), edgeWeights = chance(random, 0.3);
  const Index several = between(random, 1, 2);
  File file{pick(random, {"graph.graph", "graph.metis"})};
  Line header{{integer(truth.vertices), {std::to_string(truth.arcs.size() / 2), Role::count}}, true};
  const std::string format =
      std::string(sizes ? "1" : "0") + (weights ? "1" : "0") + (edgeWeights ? "1" : "0");
  if (format != "000" || chance(random, 0.3)) header.tokens.push_back(word(format));
  header.fewer = header.tokens.size() == 2;
  if (weights && several != 1) header.tokens.push_back(word(std::to_string(several)));
  file.lines.push_back(header);
  auto lists = targets(truth);
  for (Index v = 0; v < truth.vertices; ++v) {
    Line line;
    for (Index i = 0; i < (sizes ? 1 : 0) + (weights ? several : 0); ++i)
      line.tokens.push_back(integer(between(random, 2, 9)));  // with 1 they might number the vertices
    std::vector<Index>& neighbours = lists[at(v)];
    shuffle(random, neighbours);
    for (const Index u : neighbours) {
      line.tokens.push_back(vertex(u + 1, truth.vertices + 1));
      if (edgeWeights) line.tokens.push_back(integer(3));
    }
    line.needed = !line.tokens.empty();
    file.lines.push_back(line);
  }
  vary(file, {{"%"}, {" ", "  ", "\t"}}, random);
  return {{file}, file.name, std::move(truth)};
}

const Registered<WriterEntry> self{{{"metis", "line i: the neighbours of vertex i", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
