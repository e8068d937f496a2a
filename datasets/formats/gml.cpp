// GML, as M. Newman's collection has it, plain or packed:
//
//   graph [ directed 0  node [ id 1 label "x" value 3 ]  edge [ source 1 target 2 ] ]
//
// `value` of the nodes, if every node has one, is the label. Whole numbers are taken as they are, also where
// all values are texts. Other texts, and numbers too large, are numbered in alphabetical order. A value that
// says there is no label gives none. Fractions are refused. Nodes are the vertices, whatever gaps their ids
// have. Other keys are read over.

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <utility>

#include "datasets/edges/decimal_marks.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/gml_tokens.h"
#include "datasets/edges/numbering.h"
#include "datasets/parts/unread_keys.h"
#include "datasets/text/class_form.h"
#include "datasets/text/columns.h"
#include "datasets/text/no_label.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Keys that may stand beside the graph.
bool isPreamble(std::string_view key) { return key == "Creator" || key == "Version" || key == "comment"; }

/// Whether what stands beside the graph begins on the line, or nothing does.
bool isPreambleLine(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return isBlankOrComment(line, "#") || isPreamble(line.substr(0, line.find_first_of(" \t\"")));
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const std::string head = headWithLines(path, isPreambleLine).lines;
  GmlTokens tokens(head, path.string());
  try {
    std::string_view key = tokens.next();
    for (; isPreamble(key); key = tokens.next()) tokens.word(key);
    if (key != "graph") return false;
    const std::string_view after = tokens.next();
    return after.empty() || after == "[";
  } catch (const DamagedInput&) {  // a key without value
    return false;
  }
}

struct Graph {
  VertexNumbers written;
  std::optional<bool> directed;
  std::vector<Index> ids, lines;                   // of nodes
  std::vector<Index> ends;                         // source target source target …
  std::vector<std::uint32_t> edgeLines;            // half of what an Index takes
  std::vector<std::optional<std::string>> values;  // "": no label
  NoLabelWords none;
  UnreadKeys unread;
  std::string weight;  // the key of an edge that may be one; "": none
};

/// Calls work(key) for every key up to the closing bracket; `work` takes the value.
template <class Work>
void eachKey(GmlTokens& tokens, Work work) {
  for (;;) {
    const std::string_view key = tokens.next();
    if (key == "]") return;
    if (key.empty()) tokens.damaged("ends inside a bracket");
    if (mayBeNumber(key))
      tokens.damaged(shown(key) + " where a key should be; keys and values in turn, blanks between them");
    work(key);
  }
}

template <class Value>
void setOnce(const GmlTokens& tokens, std::string_view key, std::optional<Value>& to, Value value) {
  if (to) tokens.damaged("a second " + std::string(key) + "; one");
  to = std::move(value);
}

/// The name of a class; empty: none.
std::string labelIn(std::string_view value, NoLabelWords& none) {
  const bool text = value.starts_with('"');  // the token is without the closing quote
  return none.take(text ? value.substr(1) : value) ? std::string() : std::string(value);
}

/// Keys that make the graph: in other letters they would be read over without a word.
void requireSmallLetters(const GmlTokens& tokens, std::string_view key) {
  constexpr std::string_view kMeant[] = {"graph", "node", "edge", "id", "source", "target", "directed"};
  if (std::ranges::none_of(key, [](unsigned char c) { return std::isupper(c) != 0; }))
    return;  // nearly every key
  std::string small(key);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::ranges::find(kMeant, small) != std::end(kMeant))
    tokens.damaged(shownToken(key) + " is no key of GML; " + small + ", in small letters");
}

/// What else stands in `where` is read over, but not a graph or a part of one.
void skipOther(GmlTokens& tokens, std::string_view key, const char* where) {
  requireSmallLetters(tokens, key);
  if (key == "graph" || key == "node" || key == "edge")
    tokens.damaged(shown(key) + " inside " + where + "; one graph, with its nodes and edges side by side");
  tokens.skipValue();
}

void skipOfNode(GmlTokens& tokens, std::string_view key, Graph& graph) {
  graph.unread.pass(key);
  skipOther(tokens, key, "a node");
}

void readNode(GmlTokens& tokens, Graph& graph) {
  std::optional<Index> id;
  graph.lines.push_back(tokens.line());
  graph.values.emplace_back();
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "id")
      setOnce(tokens, key, id, tokens.vertex(key, graph.written));
    else if (key == "value")
      setOnce(tokens, key, graph.values.back(), labelIn(tokens.word(key), graph.none));
    else
      skipOfNode(tokens, key, graph);
  });
  if (!id) tokens.damagedAt(graph.lines.back(), "a node without an id from 0");
  graph.ids.push_back(*id);
}

/// What else an edge has is read over; weights are remembered.
void skipOfEdge(GmlTokens& tokens, std::string_view key, Graph& graph) {
  if (graph.weight.empty() && (key == "weight" || key == "value")) graph.weight = key;
  skipOther(tokens, key, "an edge");
}

void readEdge(GmlTokens& tokens, Graph& graph) {
  std::optional<Index> source, target;
  const Index line = tokens.line();
  graph.edgeLines.push_back(static_cast<std::uint32_t>(line));
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "source")
      setOnce(tokens, key, source, tokens.vertex(key, graph.written));
    else if (key == "target")
      setOnce(tokens, key, target, tokens.vertex(key, graph.written));
    else
      skipOfEdge(tokens, key, graph);
  });
  if (!source || !target) tokens.damagedAt(line, "an edge without source or target");
  graph.ends.push_back(*source);
  graph.ends.push_back(*target);
}

void readDirected(GmlTokens& tokens, Graph& graph) {
  const std::string_view value = tokens.word("directed");
  if (value != "0" && value != "1") tokens.damaged("directed " + shownToken(value) + " cannot be; 0 or 1");
  setOnce(tokens, "directed", graph.directed, value == "1");
}

[[noreturn]] void refuseBeginning(const GmlTokens& tokens, std::string_view key) {
  tokens.damaged(shownToken(key) + " is not the beginning of a graph; `graph [`");
}

/// What is no GML at all is not unpacked to its end to be told so.
void requireBeginning(const std::filesystem::path& path) {
  const std::string head = headOf(path);
  GmlTokens tokens(head, path.string());
  const std::string_view key = tokens.next();
  if (key.empty() || key == "graph" || isPreamble(key)) return;
  constexpr std::size_t kLongestKey = 7;
  GmlTokens after = tokens;  // none: the head may have cut the key
  if (key.size() > kLongestKey || !after.next().empty()) refuseBeginning(tokens, key);
}

Graph readGraph(GmlTokens& tokens) {
  Graph graph;
  for (std::string_view key = tokens.next(); key != "graph"; key = tokens.next()) {
    if (!isPreamble(key)) refuseBeginning(tokens, key);
    tokens.word(key);
  }
  tokens.open();
  eachKey(tokens, [&](std::string_view key) {
    if (key == "node")
      readNode(tokens, graph);
    else if (key == "edge")
      readEdge(tokens, graph);
    else if (key == "directed")
      readDirected(tokens, graph);
    else
      skipOther(tokens, key, "a graph");
  });
  for (std::string_view key = tokens.next(); !key.empty(); key = tokens.next()) {
    if (!isPreamble(key))
      tokens.damaged(shownToken(key) + " after the end of the graph; nothing, or a comment");
    tokens.word(key);
  }
  return graph;
}

[[noreturn]] void refuseRepeatedId(const GmlTokens& tokens, const Graph& graph) {
  std::unordered_map<Index, Index> lineOf;
  for (std::size_t i = 0; i < graph.ids.size(); ++i)
    if (const auto [before, isNew] = lineOf.emplace(graph.ids[i], graph.lines[i]); !isNew)
      tokens.damagedAt(graph.lines[i], "a second node with the id " + graph.written.text(graph.ids[i]) +
                                           ", which the one on line " + std::to_string(before->second) +
                                           " has; an id once");
  HALO_CHECK(false && "no id is repeated");
}

/// The first node whose value has the form.
std::size_t firstNode(const Graph& graph, ClassForm form) {
  const auto node = std::find_if(graph.values.begin(), graph.values.end(), [&](const auto& value) {
    return !value->empty() && classForm(*value) == form;
  });
  return at(node - graph.values.begin());
}

/// A value as it stands in the file.
std::string asInFile(const std::string& value) { return value.starts_with('"') ? value + '"' : value; }

/// Of a node that has a value.
bool isQuotedNumber(const std::optional<std::string>& value) {
  return value->starts_with('"') && classForm(value->substr(1)) == ClassForm::number;
}

/// Texts that are classes by their numbers, all of them, become these numbers.
void takeQuotedNumbers(Graph& graph, std::vector<std::string>& remarks) {
  const auto isLabel = [](const auto& value) { return !value->empty(); };
  const auto isNumber = [](const auto& value) { return value->empty() || isQuotedNumber(value); };
  if (!std::ranges::any_of(graph.values, isLabel) || !std::ranges::all_of(graph.values, isNumber)) return;
  for (auto& value : graph.values)
    if (!value->empty()) value->erase(0, 1);
  remarks.emplace_back("value: all texts are numbers; they are read as the numbers of the classes");
}

/// Remarks a text that may be meant as a number.
void remarkLikeNumber(const Graph& graph, std::vector<std::string>& remarks) {
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const std::string& value = *graph.values[i];
    if (!value.starts_with('"') || !isForeignNumber(value.substr(1))) continue;
    remarks.push_back("value: " + shown(asInFile(value)) + " on line " + std::to_string(graph.lines[i]) +
                      " looks like a number; it is the name of a class");
    return;
  }
}

/// Texts of which some are numbers of classes are all names.
void remarkNumberAmongTexts(const Graph& graph, std::vector<std::string>& remarks) {
  if (std::ranges::none_of(graph.values, isQuotedNumber)) return;
  const auto name = std::ranges::find_if(
      graph.values, [](const auto& value) { return !value->empty() && !isQuotedNumber(value); });
  const auto node = at(name - graph.values.begin());
  remarkReadAsNames(asInFile(**name), graph.lines[node], "value", remarks);
}

/// Whole numbers as they are, or texts in alphabetical order.
Spellings classesOf(const GmlTokens& tokens, const Graph& graph, std::vector<std::string>& remarks) {
  Spellings classes;
  for (const auto& value : graph.values)
    if (!value->empty()) classes[*value] = 0;
  const auto forms = formsOf(classes);
  const bool texts = forms.contains(ClassForm::name), numbers = areNumbers(forms), mixed = forms.size() > 1;
  if (!texts && forms.contains(ClassForm::noClass)) {
    const std::size_t node = firstNode(graph, ClassForm::noClass);
    tokens.damagedAt(graph.lines[node], "value " + refusedClass(*graph.values[node]));
  }
  numberClasses(classes);
  if (!numbers && (!texts || mixed)) {
    const std::size_t node = firstNode(graph, texts ? ClassForm::name : ClassForm::tooLarge);
    remarkReadAsNames(asInFile(*graph.values[node]), graph.lines[node], "value", remarks);
  }
  if (numbers) remarkPoints(classes, "value", remarks);
  if (texts) remarkLikeNumber(graph, remarks);
  if (texts && !mixed) remarkNumberAmongTexts(graph, remarks);
  if (texts) remarkCases(classes, "value", remarks);
  graph.none.remark(!numbers, "value", remarks);
  return classes;
}

[[noreturn]] void refuseEdge(const GmlTokens& tokens, const Graph& graph, std::size_t edge) {
  tokens.damagedAt(graph.edgeLines[edge], "the edge " + graph.written.text(graph.ends[2 * edge]) + " – " +
                                              graph.written.text(graph.ends[2 * edge + 1]) +
                                              " ends at a node that does not exist");
}

/// Names (numbers below 0) that no node has are refused before vertices are counted by their names.
void requireDeclaredNames(const GmlTokens& tokens, const Graph& graph) {
  std::vector<bool> declared(graph.written.names().size());
  if (declared.empty()) return;
  for (const Index id : graph.ids)
    if (id < 0) declared[at(-1 - id)] = true;
  for (std::size_t i = 0; i < graph.ends.size(); ++i)
    if (graph.ends[i] < 0 && !declared[at(-1 - graph.ends[i])]) refuseEdge(tokens, graph, i / 2);
}

void setArcs(const GmlTokens& tokens, const Graph& graph, const FileNumbering& numbering, RawDataset& raw) {
  const bool directed = graph.directed.value_or(false);
  raw.everyEdgeOnce = false;
  raw.arcs.reserve((directed ? 1 : 2) * graph.edgeLines.size());
  for (std::size_t i = 0; i < graph.edgeLines.size(); ++i) {
    const Index from = graph.ends[2 * i], to = graph.ends[2 * i + 1];
    const Vertex source = numbering.vertex(from), target = numbering.vertex(to);
    if (source < 0 || target < 0) refuseEdge(tokens, graph, i);
    raw.arcs.push_back({source, target});
    if (!directed && source != target) raw.arcs.push_back({target, source});
  }
  if (graph.edgeLines.empty()) raw.remarks.emplace_back("the file holds no edge");
  if (!graph.weight.empty()) raw.remarks.push_back(unusedWeights(graph.weight));
  if (directed)
    raw.remarks.emplace_back(
        "the file says directed 1; inverse arcs are added all the same unless dataset.directed = true");
}

void setLabels(const GmlTokens& tokens, Graph& graph, const FileNumbering& numbering, RawDataset& raw) {
  const auto valued = std::count_if(graph.values.begin(), graph.values.end(),
                                    [](const auto& value) { return value.has_value(); });
  if (valued == 0) return;
  if (std::cmp_less(valued, graph.values.size())) {
    raw.remarks.push_back("only " + std::to_string(valued) + " of " + std::to_string(graph.values.size()) +
                          " nodes have a `value`; it is not taken for the label");
    return;
  }
  takeQuotedNumbers(graph, raw.remarks);
  const auto classes = classesOf(tokens, graph, raw.remarks);
  raw.labels.assign(at(raw.vertices), -1);
  for (std::size_t i = 0; i < graph.ids.size(); ++i)
    if (!graph.values[i]->empty())
      raw.labels[at(numbering.vertex(graph.ids[i]))] = classes.at(*graph.values[i]);
  raw.minusOne = graph.none.minusOne();
  raw.remarks.emplace_back("labels are the `value` of the nodes");
}

RawDataset read(const std::filesystem::path& path, const Progress&) {
  requireBeginning(path);
  const Growing<char> text = contentsOf(path);
  GmlTokens tokens(viewOf(text), path.string());
  Graph graph = readGraph(tokens);
  if (graph.ids.empty()) tokens.damaged("holds no nodes");
  requireDeclaredNames(tokens, graph);
  RawDataset raw;
  FileNumbering numbering(graph.ids, graph.written.names(), AbsentNumbers::none, path, raw.remarks);
  raw.vertices = numbering.vertices();
  if (std::cmp_not_equal(raw.vertices, graph.ids.size())) refuseRepeatedId(tokens, graph);
  setArcs(tokens, graph, numbering, raw);
  setLabels(tokens, graph, numbering, raw);
  graph.unread.remark(raw.remarks);
  raw.vertexOf = vertexOf(std::move(numbering));
  return raw;
}

const Registered<FormatEntry> self{
    {{"gml", "Graph Modelling Language; `value` of the nodes is the label", "Himsolt 1997"},
     62,
     recognises,
     read}};

}  // namespace
}  // namespace halo
