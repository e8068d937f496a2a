#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Written write(Truth truth, Random& random) {
  truth.features = truth.multiLabels = Matrix();
  truth.labels.clear();
  truth.split.clear();
  const bool directed = chance(random, 0.5);
  File file{"graph.jlg"};
  file.separator = ",";
  file.cells = true;
  file.lines.push_back({{integer(truth.vertices),
                         {std::to_string(truth.arcs.size()), Role::count},
                         word(directed ? "d" : "u"),
                         word("graph")}});
  for (const Arc arc : truth.arcs) {
    Line line{{vertex(arc.source + 1, truth.vertices + 1), vertex(arc.target + 1, truth.vertices + 1)}, true};
    line.needed = true;
    file.lines.push_back(line);
  }
  vary(file, {{}, {}, true, true, true, 1}, random);
  if (!directed) addInverses(truth);
  return {{file}, file.name, std::move(truth)};
}

const Registered<WriterEntry> self{{{"jlg", "`n,m,u|d,graph`, then `u,v`", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
