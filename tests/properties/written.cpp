#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {

Written writtenBy(const WriterEntry& writer, std::uint64_t seed) {
  Random random = randomOf(seed);
  Truth truth = drawTruth(random);
  return writer.write(std::move(truth), random);
}

File labelLists(const std::string& name, const Truth& truth, const std::vector<Index>& numbers,
                Random& random) {
  File file{name};
  for (const Index v : anyOrder(random, truth.vertices)) {
    Line line{{anyVertex(numbers[at(v)])}};
    if (!truth.labels.empty() && truth.labels[at(v)] >= 0)
      line.tokens.push_back(integer(truth.labels[at(v)]));
    for (Index c = 0; !truth.multiLabels.empty() && c < truth.classes; ++c)
      if (truth.multiLabels(v, c) == 1) line.tokens.push_back(integer(c));
    if (line.tokens.size() == 1) continue;  // none
    line.fewer = line.tokens.size() == 2;
    file.lines.push_back(line);
  }
  vary(file, {{"#", "%"}, {" ", "\t"}, true}, random);
  return file;
}

File labelMap(const std::string& name, const Truth& truth, const std::vector<std::string>& names,
              Random& random) {
  File file{name};
  file.json = true;
  file.lines.push_back({{word("{")}});
  const auto order = anyOrder(random, truth.vertices);
  for (const Index v : order) {
    const std::string& key = names[at(v)];
    Line line{{word("\"" + key + "\":")}};
    if (truth.multiLabels.empty()) {
      line.tokens.push_back({std::to_string(truth.labels[at(v)]), Role::integer, "", key});
    } else {
      line.tokens.push_back(word("["));
      for (Index c = 0; c < truth.classes; ++c) {
        if (c > 0) line.tokens.push_back(word(","));
        line.tokens.push_back({truth.multiLabels(v, c) == 1 ? "1" : "0", Role::integer, "", key});
      }
      line.tokens.push_back(word("]"));
    }
    if (v != order.back()) line.tokens.push_back(word(","));
    line.unique = v != order.back();
    file.lines.push_back(line);
  }
  file.lines.push_back({{word("}")}});
  file.crlf = chance(random, 0.2);
  return file;
}

}  // namespace halo::properties
