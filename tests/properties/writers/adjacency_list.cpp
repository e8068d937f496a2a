#include <algorithm>

#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

/// Where no vertex lists another, lines may as well be those of another kind of list, and are refused: a
/// number a line is the neighbour of the vertex with the line's number.
void joinTwo(Truth& truth) {
  const bool joined =
      std::ranges::any_of(truth.arcs, [](const Arc& arc) { return arc.source != arc.target; });
  if (!joined && truth.vertices > 1) truth.arcs.push_back({0, 1});
}

Written write(Truth truth, Random& random) {
  joinTwo(truth);
  truth.features = Matrix();
  truth.split.clear();
  const bool gaps = chance(random, 0.3);  // a number without a list is no vertex
  std::vector<Index> numbers;
  Index next = between(random, 0, 1);
  for (Index v = 0; v < truth.vertices; ++v, next += gaps ? between(random, 1, 3) : 1)
    numbers.push_back(next);
  const auto numberOf = [&](Index v) { return anyVertex(numbers[at(v)]); };
  File file{"bc_adjlist.txt"};
  const auto lists = targets(truth);
  for (const Index v : anyOrder(random, truth.vertices)) {
    Line line{{numberOf(v)}};
    for (const Index u : lists[at(v)]) line.tokens.push_back(numberOf(u));
    file.lines.push_back(line);
  }
  vary(file, {{"#", "%"}, {" ", "\t", ","}, true}, random);
  Written written{{file}, file.name, std::move(truth), false};
  if (chance(random, 0.5) && written.truth.vertices > 1)
    written.files.push_back(labelLists("bc_labels.txt", written.truth, numbers, random));
  else
    written.truth.labels.clear(), written.truth.multiLabels = Matrix();
  return written;
}

const Registered<WriterEntry> self{{{"adjacency-list", "lines `vertex neighbour …`", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
