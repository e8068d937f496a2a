// Classes are numbers, or numbered in the alphabetical order of their names; features are the places of ones.

#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

const std::vector<std::string> kNames = {"\"company, inc\"", "\"government\"", "\"politician\"",
                                         "\"tvshow\""};

File target(const Truth& truth, Random& random) {
  File file{"toy_target.csv"};
  file.separator = ",";
  file.cells = true;
  const bool leading = chance(random, 0.5);  // another column of numbers before it
  const bool numbers = chance(random, 0.4);
  Line names{{word(leading ? "new_id" : "id"), word("page_type")}};
  if (leading) names.tokens.insert(names.tokens.begin(), word("id"));
  file.lines.push_back(names);
  for (const Index v : anyOrder(random, truth.vertices)) {
    const std::int32_t label = truth.labels[at(v)];
    Line line{
        {vertex(v, truth.vertices), word(numbers ? std::to_string(label) : kNames[at(label)])}, true, true};
    line.unique = true;
    if (leading) line.tokens.insert(line.tokens.begin(), word(std::to_string(1000 + v)));
    file.lines.push_back(line);
  }
  vary(file, {{}, {}, false, true, true, 0, {Packing::none}}, random);
  return file;
}

File edges(const Truth& truth, Random& random) {
  File file{"toy_edges.csv"};
  file.separator = ",";
  file.cells = true;
  file.lines.push_back({{word("id_1"), word("id_2")}});
  for (const Arc arc : truth.arcs)
    file.lines.push_back({{vertex(arc.source, truth.vertices), vertex(arc.target, truth.vertices)}, true});
  vary(file, {{}, {}, true, true, true, 1}, random);
  return file;
}

File features(Truth& truth, Random& random) {
  File file{"toy.json"};
  file.json = true;
  file.lines.push_back({{word("{")}});
  for (Scalar& value : truth.features.values()) value = value > 0 ? 1 : 0;
  truth.features(0, truth.features.cols() - 1) = 1;  // the largest place says how many there are
  const auto order = anyOrder(random, truth.vertices);
  for (const Index v : order) {
    const std::string key = std::to_string(v);
    Line line{{word("\"" + key + "\":"), word("[")}};
    for (Index c = 0; c < truth.features.cols(); ++c) {
      if (truth.features(v, c) == 0) continue;
      if (line.tokens.size() > 2) line.tokens.push_back(word(","));
      line.tokens.push_back({std::to_string(c), Role::integer, "", key});
    }
    line.tokens.push_back(word(v == order.back() ? "]" : "],"));
    line.unique = v != order.back();
    file.lines.push_back(line);
  }
  file.lines.push_back({{word("}")}});
  return file;
}

Written write(Truth truth, Random& random) {
  onlySingleLabels(random, truth);
  labelAll(random, truth);
  truth.split.clear();
  Written written{{target(truth, random), edges(truth, random)}, "", std::move(truth)};
  if (chance(random, 0.7))
    written.files.push_back(features(written.truth, random));
  else
    written.truth.features = Matrix();
  return written;
}

const Registered<WriterEntry> self{{{"musae", "tables and a map of features in a folder", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
