// Declared nodes are the vertices, in ascending order of their ids, wherever they stand; gaps are none.

#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

const std::vector<std::string> kClassNames = {"\"a b\"", "\"c\"", "\"d\"", "\"e\""};

Line node(Index id, const std::string& label, Random& random) {
  Line line{{word("node"), word("["), word("id"), anyVertex(id)}};
  line.unique = true;
  if (chance(random, 0.3)) {
    line.tokens.insert(line.tokens.begin() + 2,
                       {word("label"), word("\"node ] " + std::to_string(id) + "\"")});
  }
  if (!label.empty()) {
    line.tokens.insert(line.tokens.end(), {word("value"), word(label)});
  }
  line.tokens.push_back(word("]"));
  return line;
}

Written write(Truth truth, Random& random) {
  onlySingleLabels(random, truth);
  truth.features = Matrix();
  truth.split.clear();
  const bool labelled = chance(random, 0.6), names = chance(random, 0.5), gaps = chance(random, 0.3),
             directed = chance(random, 0.5);
  if (labelled)
    labelAll(random, truth);
  else
    truth.labels.clear();
  std::vector<Index> ids;
  Index next = between(random, 0, 1);
  for (Index v = 0; v < truth.vertices; ++v, next += gaps ? between(random, 1, 3) : 1) ids.push_back(next);
  File file{"graph.gml"};
  std::vector<Line> parts;
  for (Index v = 0; v < truth.vertices; ++v) {
    const auto at = static_cast<std::size_t>(v);
    const auto label = labelled ? static_cast<std::size_t>(truth.labels[at]) : 0;
    parts.push_back(node(ids[at],
                         !labelled ? ""
                         : names   ? kClassNames[label]
                                   : std::to_string(label),
                         random));
  }
  for (const Arc arc : truth.arcs) {
    Line line{
        {word("edge"),
         word("["),
         word("source"),
         {std::to_string(ids[static_cast<std::size_t>(arc.source)]), Role::vertex, std::to_string(next)},
         word("target"),
         {std::to_string(ids[static_cast<std::size_t>(arc.target)]), Role::vertex, std::to_string(next)}}};
    if (chance(random, 0.1)) {
      line.tokens.insert(line.tokens.end(), {word("value"), word("0.5")});
    }
    line.tokens.push_back(word("]"));
    parts.push_back(line);
  }
  if (chance(random, 0.3)) shuffle(random, parts);
  file.lines = {Line{{word("Creator"), word("\"somebody\"")}}, Line{{word("graph"), word("[")}},
                Line{{word("directed"), word(directed ? "1" : "0")}}};
  file.lines.insert(file.lines.end(), parts.begin(), parts.end());
  file.lines.push_back(Line{{word("]")}});
  vary(file, {{}, {" ", "\t", "  "}, true}, random);
  if (!directed) addInverses(truth);
  Written written{{file}, file.name, std::move(truth)};
  written.breaks = {{"words behind the graph",
                     {"graph.gml", kAnyLine},
                     [](Written& w) { w.files[0].lines.push_back({{word("rubbish")}}); }},
                    {"the last bracket left out", {"graph.gml", kAnyLine}, [](Written& w) {
                       auto& lines = w.files[0].lines;
                       while (lines.back().tokens[0].text != "]") lines.pop_back();
                       lines.pop_back();
                     }}};
  return written;
}

const Registered<WriterEntry> self{{{"gml", "nodes and edges in brackets", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
