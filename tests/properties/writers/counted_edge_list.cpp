// An edge list below a line with its counts: vertices are those that are counted, numbered from 0 or 1.

#include <algorithm>

#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Written write(Truth truth, Random& random) {
  truth.features = truth.multiLabels = Matrix();
  truth.labels.clear();
  truth.split.clear();
  // that numbers begin with 0 is told by a 0
  const bool zero =
      std::ranges::any_of(truth.arcs, [](Arc arc) { return arc.source == 0 || arc.target == 0; });
  const Index first = zero && chance(random, 0.5) ? 0 : 1;
  File file{"graph.edges"};
  file.lines.push_back({{integer(truth.vertices), {std::to_string(truth.arcs.size()), Role::count}}, true});
  for (const Arc arc : truth.arcs) {
    const Index beyond = truth.vertices + 1;  // n itself may be the last vertex of numbers from 1
    Line line{{vertex(arc.source + first, beyond), vertex(arc.target + first, beyond)}, true};
    line.needed = true;
    file.lines.push_back(line);
  }
  vary(file, {{"#", "%"}, {" ", "\t", ",", "  "}, true}, random);
  return {{file}, file.name, std::move(truth), false};
}

const Registered<WriterEntry> self{{{"counted-edge-list", "`n m`, then lines `u v`", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
