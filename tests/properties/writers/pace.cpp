#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Written write(Truth truth, Random& random) {
  truth.features = truth.multiLabels = Matrix();
  truth.labels.clear();
  truth.split.clear();
  const std::string kind = pick(random, {"", "e", "a"});
  File file{kind == "e" ? "graph.col" : "graph.gr"};
  const std::string problem = kind.empty() ? "tw" : kind == "e" ? "edge" : "sp";
  file.lines.push_back(
      {{word("p"), word(problem), integer(truth.vertices), {std::to_string(truth.arcs.size()), Role::count}},
       true,
       true});
  for (const Arc arc : truth.arcs) {
    Line line{{vertex(arc.source + 1, truth.vertices + 1), vertex(arc.target + 1, truth.vertices + 1)}, true};
    if (kind == "a") {
      line.tokens.push_back({std::to_string(between(random, 1, 9)), Role::real});
      line.fewer = false;
    }
    if (!kind.empty()) line.tokens.insert(line.tokens.begin(), word(kind));
    line.needed = true;
    file.lines.push_back(line);
  }
  vary(file, {{"c"}, {}, true}, random);
  if (kind != "a") addInverses(truth);
  return {{file}, file.name, std::move(truth)};
}

const Registered<WriterEntry> self{{{"pace", "a line `p`, then edges or arcs", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
