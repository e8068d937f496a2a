// Ids are numbers or texts, in any order; rows are told by the map of ids.

#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

Line object(std::vector<Token> tokens, bool last) {
  tokens.insert(tokens.begin(), word("{"));
  tokens.push_back(word("}"));
  if (!last) tokens.push_back(word(","));
  return {std::move(tokens)};
}

Token flag(bool value) { return word(value ? "true" : "false"); }

/// `names` by row; nodes and links in any order.
File graphOf(const Truth& truth, const std::vector<std::string>& names, bool texts, Random& random) {
  File file{"toy-G.json"};
  file.json = true;
  const auto id = [&](Index row) {
    const std::string& name = names[at(row)];
    return Token{texts ? "\"" + name + "\"" : name, Role::word, "", "nodes"};
  };
  file.lines = {{{word("{"), word("\"directed\":"), word("true"), word(",")}},
                {{word("\"nodes\":"), word("[")}}};
  const auto order = anyOrder(random, truth.vertices);
  std::vector<Index> placeOf(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) placeOf[at(order[i])] = static_cast<Index>(i);
  for (const Index row : order) {
    const Split part = truth.split[at(row)];
    std::vector<Token> tokens = {word("\"id\":"), id(row)};
    // one flag at least: a graph without any says nothing of a split
    if (part == Split::test || row == order.front() || chance(random, 0.5))
      tokens.insert(tokens.end(), {word(","), word("\"test\":"), flag(part == Split::test)});
    if (part == Split::valid || chance(random, 0.5))
      tokens.insert(tokens.begin(), {word("\"val\":"), flag(part == Split::valid), word(",")});
    file.lines.push_back(object(std::move(tokens), row == order.back()));
  }
  const std::string list = chance(random, 0.3) ? "edges" : "links";
  file.lines.push_back({{word("],"), word("\"" + list + "\":"), word("[")}});
  for (std::size_t i = 0; i < truth.arcs.size(); ++i) {
    const bool places = texts && chance(random, 0.3);
    const auto end = [&](Index row) {
      const Index place = placeOf[at(row)];
      return places ? Token{std::to_string(place), Role::vertex, std::to_string(truth.vertices), list}
                    : id(row);
    };
    file.lines.push_back(object({word("\"source\":"), end(truth.arcs[i].source), word(","),
                                 word("\"target\":"), end(truth.arcs[i].target)},
                                i + 1 == truth.arcs.size()));
  }
  file.lines.push_back({{word("]}")}});
  return file;
}

File idMap(const std::vector<std::string>& names, Random& random) {
  File file{"toy-id_map.json"};
  file.json = true;
  file.lines.push_back({{word("{")}});
  const auto order = anyOrder(random, static_cast<Index>(names.size()));
  for (const Index row : order) {
    const std::string& name = names[at(row)];
    Line line{
        {word("\"" + name + "\":"), {std::to_string(row), Role::vertex, std::to_string(names.size()), name}}};
    if (row != order.back()) line.tokens.push_back(word(","));
    line.unique = row != order.back();
    file.lines.push_back(line);
  }
  file.lines.push_back({{word("}")}});
  return file;
}

Written write(Truth truth, Random& random) {
  labelAll(random, truth);
  for (Split& part : truth.split)
    part = part == Split::none ? Split::train : part;  // the format has no other
  const bool texts = chance(random, 0.5);
  std::vector<std::string> names;
  for (Index v = 0; v < truth.vertices; ++v)
    names.push_back(texts ? "n" + std::to_string(v) : std::to_string(v * 7 + 3));
  shuffle(random, names);
  Written written{{graphOf(truth, names, texts, random), idMap(names, random),
                   labelMap("toy-class_map.json", truth, names, random)},
                  "",
                  std::move(truth)};
  written.files[1].required = written.files[2].required = true;
  if (chance(random, 0.7)) {
    written.files.push_back({"toy-feats.npy"});
    written.files.back().arrays = {matrixArray("", written.truth.features, random)};
  } else {
    written.truth.features = Matrix();
  }
  return written;
}

const Registered<WriterEntry> self{{{"graphsage", "a graph and maps of its ids in a folder", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
