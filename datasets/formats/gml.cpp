// GML, as M. Newman's collection has it, plain or packed:
//
//   graph [ directed 0  node [ id 1 label "x" value 3 ]  edge [ source 1 target 2 ] ]
//
// `value` of the nodes, if every node has one, is the label: whole numbers as they are, texts in alphabetical
// order. Other keys are read over.

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "datasets/formats/numbering.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const std::string head = headOf(path, 8192);
  for (std::string_view line : linesOf(head)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("graph")) {
      const std::size_t after = line.find_first_not_of(" \t", 5);
      return after == std::string_view::npos || line[after] == '[';
    }
    const bool preamble = line.empty() || line[0] == '#' || line.starts_with("Creator") ||
                          line.starts_with("Version") || line.starts_with("comment");
    if (!preamble) return false;
  }
  return false;
}

/// Words, brackets and quoted texts, with the line each stands in.
class Tokens {
 public:
  Tokens(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}

  /// Empty at the end. A quoted text keeps its opening quote, so that it is never taken for a key.
  std::string_view next() {
    while (at_ < text_.size() && (isBlank(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ < text_.size() && text_[at_++] == '\n') ++line_;
    }
    const std::size_t start = at_;
    if (start == text_.size()) return {};
    if (text_[at_] == '[' || text_[at_] == ']') return take(start, ++at_);
    if (text_[at_] == '"') {
      at_ = text_.find('"', start + 1);
      if (at_ == std::string::npos) damaged("a text without closing quote");
      line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(start),
                          text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
      return take(start, at_++);
    }
    while (at_ < text_.size() && !isBlank(text_[at_]) && text_[at_] != '[' && text_[at_] != ']') ++at_;
    return take(start, at_);
  }
  [[noreturn]] void damaged(const std::string& message) const {
    throw DamagedInput({file_, line_, 0, "", message});
  }

  Index number(std::string_view key) {
    const std::string_view word = next();
    Index value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      damaged(std::string(key) + " " + shown(word) + " is not a whole number");
    return value;
  }
  /// The value of a key that does not matter: a word, or everything in brackets.
  void skipValue() {
    int depth = 0;
    do {
      const std::string_view word = next();
      if (word.empty()) damaged("ends inside a bracket");
      depth += word == "[" ? 1 : word == "]" ? -1 : 0;
    } while (depth > 0);
  }
  void open() {
    if (const std::string_view word = next(); word != "[") damaged(shown(word) + " where '[' should be");
  }

 private:
  static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  std::string_view take(std::size_t begin, std::size_t end) const {
    return std::string_view(text_).substr(begin, end - begin);
  }

  std::string text_, file_;
  std::size_t at_ = 0;
  Index line_ = 1;
};

struct Graph {
  std::vector<Index> ids, ends;  // ends: source target source target …
  std::vector<std::optional<std::string>> values;
};

/// Calls work(key) for every key up to the closing bracket; `work` takes the value.
template <class Work>
void eachKey(Tokens& tokens, Work work) {
  for (;;) {
    const std::string_view key = tokens.next();
    if (key == "]") return;
    if (key.empty()) tokens.damaged("ends inside a bracket");
    work(key);
  }
}

void readNode(Tokens& tokens, Graph& graph) {
  std::optional<Index> id;
  graph.values.emplace_back();
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "id")
      id = tokens.number(key);
    else if (key == "value")
      graph.values.back() = tokens.next();
    else
      tokens.skipValue();
  });
  if (!id || *id < 0) tokens.damaged("a node without an id from 0");
  graph.ids.push_back(*id);
}

void readEdge(Tokens& tokens, Graph& graph) {
  std::optional<Index> source, target;
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "source")
      source = tokens.number(key);
    else if (key == "target")
      target = tokens.number(key);
    else
      tokens.skipValue();
  });
  if (!source || !target) tokens.damaged("an edge without source or target");
  graph.ends.push_back(*source);
  graph.ends.push_back(*target);
}

Graph readGraph(Tokens& tokens) {
  Graph graph;
  for (std::string_view key = tokens.next(); key != "graph"; key = tokens.next()) {
    if (key.empty()) tokens.damaged("holds no graph");
    tokens.skipValue();
  }
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "node")
      readNode(tokens, graph);
    else if (key == "edge")
      readEdge(tokens, graph);
    else
      tokens.skipValue();
  });
  return graph;
}

/// Whole numbers first and in their order, then texts in alphabetical order.
std::map<std::string, std::int32_t> classesOf(const Graph& graph) {
  std::map<std::string, std::int32_t> classes;
  for (const auto& value : graph.values) classes[*value] = 0;
  const bool numbers = std::all_of(classes.begin(), classes.end(), [](const auto& entry) {
    return entry.first.size() < 9 && entry.first.find_first_not_of("0123456789") == std::string::npos;
  });
  std::int32_t next = 0;
  for (auto& [text, label] : classes) label = numbers ? static_cast<std::int32_t>(std::stoi(text)) : next++;
  return classes;
}

RawDataset read(const std::filesystem::path& path, const Progress&) {
  Tokens tokens(contentsOf(path), path.string());
  const Graph graph = readGraph(tokens);
  if (graph.ids.empty()) tokens.damaged("holds no nodes");
  RawDataset raw;
  const Numbering numbering(graph.ids, path, raw.remarks);
  raw.vertices = numbering.vertices();
  for (std::size_t i = 0; i < graph.ends.size(); i += 2) {
    const Vertex source = numbering.vertex(graph.ends[i]), target = numbering.vertex(graph.ends[i + 1]);
    if (source < 0 || target < 0)
      tokens.damaged("the edge " + std::to_string(graph.ends[i]) + " – " + std::to_string(graph.ends[i + 1]) +
                     " ends at a node that does not exist");
    raw.arcs.push_back({source, target});
  }
  const bool labelled = std::all_of(graph.values.begin(), graph.values.end(),
                                    [](const auto& value) { return value.has_value(); });
  if (labelled) {
    const auto classes = classesOf(graph);
    raw.labels.assign(static_cast<std::size_t>(raw.vertices), -1);
    for (std::size_t i = 0; i < graph.ids.size(); ++i)
      raw.labels[static_cast<std::size_t>(numbering.vertex(graph.ids[i]))] = classes.at(*graph.values[i]);
    raw.remarks.push_back("labels are the `value` of the nodes");
  }
  return raw;
}

const Registered<FormatEntry> self{
    {{"gml", "Graph Modelling Language; `value` of the nodes is the label", "Himsolt 1997"},
     62,
     recognises,
     read}};

}  // namespace
}  // namespace halo
