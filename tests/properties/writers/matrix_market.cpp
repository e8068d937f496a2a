#include <algorithm>

#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Token valueOf(const std::string& field, Random& random) {
  return field == "real" ? real(static_cast<double>(between(random, 1, 16)) / 4, random)
                         : Token{std::to_string(between(random, 1, 9)), Role::real};
}

Written write(Truth truth, Random& random) {
  truth.features = truth.multiLabels = Matrix();
  truth.labels.clear();
  truth.split.clear();
  const bool symmetric = chance(random, 0.3);
  const std::string field = pick(random, {"real", "integer", "pattern", "complex"});
  if (symmetric) {
    for (Arc& arc : truth.arcs)
      if (arc.source < arc.target) std::swap(arc.source, arc.target);  // the lower triangle
    std::ranges::sort(truth.arcs, {}, [](Arc a) { return std::pair(a.source, a.target); });
    const auto again = std::ranges::unique(truth.arcs);
    truth.arcs.erase(again.begin(), again.end());
  }
  shuffle(random, truth.arcs);
  File file{"graph.mtx"};
  const std::string banner = pick(random, {"%%MatrixMarket", "%%matrixmarket"});
  file.lines.push_back({{word(banner + pick(random, {" matrix", " MATRIX"}) + " coordinate " + field +
                              (symmetric ? " symmetric" : " general"))}});
  file.lines.push_back(
      {{integer(truth.vertices), integer(truth.vertices), {std::to_string(truth.arcs.size()), Role::count}},
       true,
       true});
  for (const Arc arc : truth.arcs) {
    Line line{{vertex(arc.source + 1, truth.vertices + 1), vertex(arc.target + 1, truth.vertices + 1)}, true};
    for (int i = 0; field != "pattern" && i < (field == "complex" ? 2 : 1); ++i)
      line.tokens.push_back(valueOf(field == "complex" ? "real" : field, random));
    line.needed = true;
    line.more = true;
    file.lines.push_back(line);
  }
  vary(file, {{"%"}, {" ", "\t", "  "}, true, true, true, 1}, random);
  if (symmetric) addInverses(truth);
  return {{file}, file.name, std::move(truth)};
}

const Registered<WriterEntry> self{{{"matrix-market", "coordinates below a banner", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
