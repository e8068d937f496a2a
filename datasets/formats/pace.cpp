// PACE and DIMACS graphs, plain or packed:
//
//   c comment
//   p tw VERTICES EDGES       the word after p names the problem; those that have no graph are refused
//   n vertex value            what the problem says of a vertex: not read; d, v and x lines neither
//   u v                       or `e u v` (an edge), `a u v w` (an arc, of `p min` with three numbers for w);
//                             numbered from 1
//
// An edge is two arcs, also where the user says that the set is directed.

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "datasets/edges/file_head.h"
#include "datasets/edges/numbering.h"
#include "datasets/text/promised.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::string_view kBlanks = " \t";

/// The word at the start of a line, before a blank; "" where a number stands there.
std::string_view leadOf(std::string_view line) {
  std::size_t start = 0;
  while (start < line.size() && isBlank(line[start])) ++start;
  if (start == line.size() || (line[start] >= '0' && line[start] <= '9')) return {};
  std::size_t end = start;
  while (end < line.size() && !isBlank(line[end])) ++end;
  return line.substr(start, end - start);
}

bool isComment(std::string_view line) { return isBlankLine(line) || leadOf(line) == "c"; }

/// `p`, a word, and a number somewhere after it: names of columns have none.
bool isProblem(std::string_view line) {
  if (leadOf(line) != "p") return false;
  std::size_t words = 0;
  for (std::size_t i = line.find_first_not_of(kBlanks); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, i), line.size());
    const bool number = !digitsOf(line.substr(i, end - i)).empty();
    if (words == 1 && number) return false;
    if (++words > 2 && number) return true;
    i = line.find_first_not_of(kBlanks, end);
  }
  return false;
}

bool recognises(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  const FileHead head = headWithLines(path, "c");
  for (const std::string_view line : linesOf(head.lines)) {
    if (isComment(line)) continue;
    return isProblem(line);
  }
  return false;
}

/// Problems whose lines are clauses, sets or hyperedges: `1 2 0` would look like an edge with a weight.
void requireGraph(const TextFile& text, std::string_view problem) {
  constexpr std::string_view kOthers[] = {"cnf",  "wcnf",  "pcnf", "mcnf", "inccnf", "sat",   "satx",
                                          "sate", "satex", "bcnf", "qcnf", "dnf",    "ddnnf", "knf",
                                          "hs",   "htd",   "hgr",  "hg",   "sc"};
  std::string word(problem);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::find(std::begin(kOthers), std::end(kOthers), word) == std::end(kOthers)) return;
  text.damaged(
      "a problem " + shown(problem) +
          " has clauses or sets on its lines and is no graph; a line `p tw VERTICES EDGES` or `p edge …`",
      problem);
}

/// Problems on graphs, each with its edges on lines of their own.
bool isKnown(std::string_view problem) {
  constexpr std::string_view kGraphs[] = {"tw",    "td",  "tww", "fvs", "ds",  "cep", "vc",   "edge",
                                          "edges", "col", "sp",  "max", "min", "asn", "graph"};
  return std::ranges::find(kGraphs, problem) != std::end(kGraphs);
}

/// What the line `p tw VERTICES EDGES` says beside the number of vertices.
struct Declared {
  Index edges = 0, line = 0;
  std::size_t numbers = 3;  // on the line of an edge, at most
  std::size_t ofArcs = 2;   // on the line of an arc, at least
  const char* arc = "";     // how such a line is written, where it needs more than its vertices
};

/// Problems of ways and flows are about the numbers of their arcs.
Declared declaredBy(std::string_view problem) {
  if (problem == "sp") return {.ofArcs = 3, .arc = "`a u v LENGTH`"};
  if (problem == "max") return {.ofArcs = 3, .arc = "`a u v CAPACITY`"};
  if (problem == "min") return {.numbers = 5, .ofArcs = 5, .arc = "`a u v LEAST MOST COST`"};
  return {};
}

Declared readProblem(TextFile& text, RawDataset& raw) {
  std::string_view line;
  while (text.next(line)) {
    if (isComment(line)) continue;
    Fields fields(text, line, Layout::list);
    if (fields.word() != "p") break;
    const std::string_view problem = fields.word();
    requireGraph(text, problem);
    if (!isKnown(problem))
      raw.remarks.push_back("the problem " + shown(problem) +
                            " is not known here; its lines are read as edges `u v`");
    raw.vertices = fields.integer("the number of vertices");
    const Index edges = fields.integer("the number of edges");
    requireEnd(text, fields, "`p tw VERTICES EDGES`");
    if (edges < 0) text.damaged(std::to_string(edges) + " edges cannot be; a number from 0");
    requireVertexCount(raw.vertices, text.path(), "vertices", text.line());
    Declared declared = declaredBy(problem);
    declared.edges = edges;
    declared.line = text.line();
    return declared;
  }
  text.damaged("a line `p tw VERTICES EDGES` has to come first");
}

/// Hyperedges show within so many lines.
constexpr Index kLookedAt = 1000;

/// An edge has two vertices and one weight at most; more numbers are those of a hyperedge or a clause.
void requireEdge(const TextFile& text, std::string_view line, std::size_t most) {
  std::size_t words = 0;
  bool inside = false;
  for (const char& c : line) {
    words += !inside && !isBlank(c);
    inside = !isBlank(c);
    if (words > most)
      text.damaged("more than " + std::string(most == 3 ? "three" : "five") + " numbers; an edge is `u v`, " +
                       (most == 3 ? "perhaps with a weight" : "then its least flow, capacity and cost"),
                   {&c, 1});
  }
}

/// `line`: behind the letter.
void requireNumbersOfArc(const TextFile& text, std::string_view line, const Declared& declared) {
  std::size_t words = 0;
  std::string_view last;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (isBlank(line[i])) continue;
    if (i == 0 || isBlank(line[i - 1])) {
      last = line.substr(i, 0);
      ++words;
    }
    last = {last.data(), last.size() + 1};
  }
  if (words < 2 || words >= declared.ofArcs) return;  // who reads the vertices misses them
  text.damaged("the line ends behind " + shown(last) + "; an arc is " + declared.arc, last);
}

/// Lines that tell something of a vertex or of the drawing.
class Descriptors {
 public:
  /// Whether a line that begins with `lead` is one; it is then looked at.
  bool take(TextFile& text, std::string_view line, std::string_view lead, Index vertices) {
    if (lead != "n" && lead != "d" && lead != "v" && lead != "x") return false;
    hasUnread_ = true;
    if (lead != "n") return true;
    Fields fields(text, line, Layout::list);
    fields.word();
    const Index vertex = fields.integer("a vertex number");
    if (vertex < 1 || vertex > vertices)
      text.damaged("vertex " + std::to_string(vertex) + " does not exist; 1 to " + std::to_string(vertices));
    if (const auto [before, isNew] = lines_.emplace(vertex, text.line()); !isNew)
      text.damaged("vertex " + std::to_string(vertex) + " has a line `n` already, line " +
                   std::to_string(before->second) + "; one a vertex");
    return true;
  }
  void remark(RawDataset& raw) const {
    if (hasUnread_)
      raw.remarks.emplace_back("lines of the DIMACS file that begin with n, d, v or x are not read");
  }

 private:
  std::unordered_map<Index, Index> lines_;  // by vertex
  bool hasUnread_ = false;
};

/// Arcs of the lines. As long as no line holds an arc of one direction, the loader adds the inverses.
class Arcs {
 public:
  explicit Arcs(RawDataset& raw) : raw_(raw) { raw_.undirected = true; }
  void add(Arc arc, bool oneWay) {
    ++lines_;
    oneWay_ += oneWay;
    if (oneWay && raw_.undirected) {
      raw_.undirected = raw_.everyEdgeOnce = false;
      for (std::size_t i = 0, edges = raw_.arcs.size(); i < edges; ++i) addInverse(raw_.arcs[i]);
    }
    raw_.arcs.push_back(arc);
    if (!oneWay && !raw_.undirected) addInverse(arc);
  }
  void remark(RawDataset& raw) const {
    if (oneWay_ > 0 && oneWay_ == lines_)
      raw.remarks.emplace_back(
          "each line is an arc of one direction, `a`; inverse arcs that are missing are added unless "
          "dataset.directed = true");
    if (oneWay_ > 0 && oneWay_ < lines_)
      raw.remarks.push_back(std::to_string(oneWay_) + " of " + std::to_string(lines_) +
                            " lines are arcs of one direction, `a`; each of the others is two arcs");
  }

 private:
  void addInverse(Arc arc) {
    if (arc.source != arc.target) raw_.arcs.push_back({arc.target, arc.source});
  }
  RawDataset& raw_;
  Index lines_ = 0, oneWay_ = 0;
};

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  TextFile text(path, progress);
  RawDataset raw;
  const Declared declared = readProblem(text, raw);
  reserveArcs(raw, declared.edges, 1, path);
  FurtherColumns further, ofArcs;  // of lines `u v` and `e u v`; of `a u v`
  ofArcs.named();
  Descriptors descriptors;
  Arcs arcs(raw);
  Promised listed(text, declared.edges, declared.line);
  std::string_view line;
  while (text.next(line)) {
    const std::string_view lead = leadOf(line);
    if (lead == "c" || (lead.empty() && isBlankLine(line))) continue;
    if (lead == "e" || lead == "a") {
      further.named();  // no index stands behind the letter
      line.remove_prefix(at(lead.end() - line.begin()));
    } else if (lead == "p") {
      text.damaged("a second line `p`; one a file");
    } else if (descriptors.take(text, line, lead, raw.vertices)) {
      continue;
    }
    if (listed.there() < kLookedAt) requireEdge(text, line, declared.numbers);
    const bool oneWay = lead == "a";  // the word is gone with its line
    if (oneWay && declared.ofArcs > 2) requireNumbersOfArc(text, line, declared);
    Fields fields(text, line, Layout::list);
    const Arc arc = readArc(text, fields, 1, raw.vertices, oneWay ? ofArcs : further);
    if (listed.take()) arcs.add(arc, oneWay);
  }
  (further.any() ? further : ofArcs).remark(text, raw.remarks);
  descriptors.remark(raw);
  arcs.remark(raw);
  listed.require();
  raw.vertexOf = countedFromOne(raw.vertices);
  return raw;
}

const Registered<FormatEntry> self{
    {{"pace", "PACE or DIMACS graph: `p tw n m`, then `u v` on a line (.gr, .gr.xz, .col)",
      "pacechallenge.org"},
     65,
     recognises,
     read}};

}  // namespace
}  // namespace halo
