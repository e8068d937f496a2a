// Vertices are known by their arcs alone: numbers from 0 or 1 without gaps, or far apart and in order.

#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Written write(Truth truth, Random& random) {
  dropIsolated(random, truth);
  std::vector<Index> numbers;
  const bool sparse = chance(random, 0.3);
  Index next = sparse ? 1000 : between(random, 0, 1);
  for (Index v = 0; v < truth.vertices; ++v, next += sparse ? between(random, 50, 100'000'000'000) : 1)
    numbers.push_back(next);
  const auto numberOf = [&](Vertex v) { return anyVertex(numbers[at(v)]); };
  File file{"graph.txt"};
  const bool weights = chance(random, 0.3);
  shuffle(random, truth.arcs);
  for (const Arc arc : truth.arcs) {
    Line line{{numberOf(arc.source), numberOf(arc.target)}, !weights};
    if (weights) line.tokens.push_back(real(static_cast<double>(between(random, -8, 8)) / 2, random));
    file.lines.push_back(line);
  }
  if (chance(random, 0.2)) {
    file.lines.insert(file.lines.begin(), Line{{word("source"), word("target")}});
    if (weights) file.lines[0].tokens.push_back(word("weight"));
  } else if (sparse && truth.arcs.size() >= 3 && chance(random, 0.3)) {
    file.lines.insert(file.lines.begin(), Line{{word("0"), word("1")}});  // as pandas counts columns
    if (weights) file.lines[0].tokens.push_back(word("2"));
  }
  vary(file, {{"#", "%"}, {" ", "\t", ",", ", ", ";", " \t "}, true}, random);
  Written written{{file}, file.name, std::move(truth), false};
  if (chance(random, 0.5) && written.truth.vertices > 1)
    written.files.push_back(labelLists("graph-labels.txt", written.truth, numbers, random));
  else
    written.truth.labels.clear(), written.truth.multiLabels = Matrix();
  return written;
}

const Registered<WriterEntry> self{{{"edge-list", "lines `u v`", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
