// GraphSAGE folder (Hamilton et al., NeurIPS 2017), files beginning with a common name:
//
//   NAME-G.json           networkx node-link graph, `links` or `edges`; nodes have an id and flags `val` (or
//                         `valid`) and `test`, true or false, 1 or 0; without any flags there is no split
//   NAME-id_map.json      { "id": row }
//   NAME-class_map.json   { "id": class or [0, 1, …] }       NAME-feats.npy   n × f (may be absent)
//
// The ends of a link are ids or, where the ids are texts, places in the list of nodes; both occur.

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "datasets/formats/format.h"
#include "datasets/json_file.h"
#include "datasets/npz.h"
#include "datasets/table.h"
#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kGraphEnding = "-G.json";

/// The NAME-G.json in the folder (or the file itself); empty: there is none.
std::filesystem::path graphFile(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().filename().string().ends_with(kGraphEnding)) found.push_back(entry.path());
  } else if (path.filename().string().ends_with(kGraphEnding)) {
    found.push_back(path);
  }
  return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

bool recognises(const std::filesystem::path& path) { return !graphFile(path).empty(); }

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& key,
                          const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, key, message});
}

std::string textOf(const Json& id) { return id.is_string() ? id.get<std::string>() : id.dump(); }

/// From ids to rows, by NAME-id_map.json.
class Rows {
 public:
  Rows(const std::filesystem::path& file, Index vertices) {
    const Json map = readJson(file);
    if (!map.is_object() || std::cmp_not_equal(map.size(), vertices))
      damaged(file, "",
              "holds " + std::to_string(map.size()) + " ids; the graph has " + std::to_string(vertices) +
                  " nodes");
    std::vector<bool> taken(static_cast<std::size_t>(vertices));
    for (const auto& [id, row] : map.items()) {
      const Index number = row.is_number_integer() ? rowNumber(row.dump(), vertices) : -1;
      if (number < 0 || taken[static_cast<std::size_t>(number)])
        damaged(file, shown(id), "is not a row of its own; 0 to " + std::to_string(vertices - 1));
      taken[static_cast<std::size_t>(number)] = true;
      rows_.emplace(id, number);
    }
  }
  Index of(const std::string& id) const {
    const auto found = rows_.find(id);
    return found == rows_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::string, Index> rows_;
};

/// The list of links has two names: networkx writes `edges` since version 3.4.
const char* linksKey(const Json& graph, const std::filesystem::path& file) {
  if (graph.contains("links") && graph.contains("edges"))
    damaged(file, "links", "stands beside edges; one list of links");
  return graph.contains("edges") ? "edges" : "links";
}

/// Whether ids are texts, in which case whole numbers in links are places in the list of nodes.
bool textIds(const Json& nodes, const std::filesystem::path& file) {
  const auto texts =
      std::count_if(nodes.begin(), nodes.end(), [](const Json& n) { return n["id"].is_string(); });
  if (texts != 0 && std::cmp_not_equal(texts, nodes.size()))
    damaged(file, "nodes", "the ids are texts and numbers; all the one or all the other");
  return texts != 0;
}

/// Whether a number in the links could also be a text id of another node than the one at that place.
bool mayBeIds(const Json& nodes) {
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const auto id =
        rowNumber(nodes[place]["id"].get_ref<const std::string&>(), static_cast<Index>(nodes.size()));
    if (id >= 0 && std::cmp_not_equal(id, place)) return true;
  }
  return false;
}

void readLinks(const Json& graph, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  const Json& nodes = graph["nodes"];
  const char* const key = linksKey(graph, file);
  const bool texts = textIds(nodes, file);
  bool places = false;
  const auto vertex = [&](const Json& link, const char* end) -> Vertex {
    Index row = -1;
    if (link.is_object() && link.contains(end)) {
      const Json& value = link[end];
      const Index place = texts && value.is_number_integer() ? rowNumber(value.dump(), raw.vertices) : -1;
      places |= place >= 0;
      row = rows.of(textOf(place >= 0 ? nodes[static_cast<std::size_t>(place)]["id"] : value));
    }
    if (row < 0)
      damaged(file, key, "link " + std::to_string(raw.arcs.size()) + " has no " + end + " among the nodes");
    return static_cast<Vertex>(row);
  };
  for (const Json& link : graph[key]) {
    const Vertex source = vertex(link, "source");
    raw.arcs.push_back({source, vertex(link, "target")});
  }
  if (places && mayBeIds(nodes))
    raw.remarks.push_back("numbers in " + std::string(key) +
                          " are places in the list of nodes: the ids are texts, though some of them numbers");
}

/// A flag of a node: true or false, 1 or 0; nothing: absent.
std::optional<bool> flag(const Json& node, const char* key, const std::filesystem::path& file) {
  const auto found = node.find(key);
  if (found == node.end()) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  if (found->is_number() && (*found == 0 || *found == 1)) return *found == 1;
  damaged(file, "nodes",
          "node " + shown(textOf(node["id"])) + ": " + key + " is " + shownJson(*found) +
              "; true or false, 1 or 0");
}

/// The part that its flags give a node; nothing: it has none.
std::optional<Split> partOf(const Json& node, const std::filesystem::path& file) {
  const auto val = flag(node, "val", file), valid = flag(node, "valid", file),
             test = flag(node, "test", file);
  const auto refuse = [&](const char* message) {
    damaged(file, "nodes", "node " + shown(textOf(node["id"])) + ": " + message);
  };
  if (val && valid && *val != *valid) refuse("val and valid differ; one of them");
  const bool validates = val.value_or(false) || valid.value_or(false);
  if (validates && test.value_or(false))
    refuse("val and test are both set; the parts of a split do not overlap");
  if (!val && !valid && !test) return std::nullopt;
  return test.value_or(false) ? Split::test : validates ? Split::valid : Split::train;
}

void readFlags(const Json& nodes, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  raw.split.assign(static_cast<std::size_t>(raw.vertices), Split::train);
  std::vector<bool> seen(raw.split.size());
  Index without = 0;
  for (const Json& node : nodes) {
    const Index row = rows.of(textOf(node["id"]));
    if (row < 0) damaged(file, "nodes", "node " + shown(textOf(node["id"])) + " is not in the id map");
    const auto at = static_cast<std::size_t>(row);
    if (seen[at])
      damaged(file, "nodes", "node " + shown(textOf(node["id"])) + " stands there twice; every id once");
    seen[at] = true;
    const auto part = partOf(node, file);
    without += !part;
    raw.split[at] = part.value_or(Split::train);
  }
  if (without == raw.vertices)
    raw.split.clear();
  else if (without > 0)
    raw.remarks.push_back(std::to_string(without) + " of " + std::to_string(raw.vertices) +
                          " nodes have neither val nor test; they are trained on");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto file = graphFile(path);
  const std::string stem = file.string().substr(0, file.string().size() - kGraphEnding.size());
  if (progress) progress("reading " + file.filename().string(), 0);
  const Json graph = readJson(file);
  if (!graph.is_object()) damaged(file, "", "is not a node-link graph; an object with nodes and links");
  for (const char* key : {"nodes", linksKey(graph, file)})
    if (!graph.contains(key) || !graph[key].is_array()) damaged(file, key, "is missing; a list");
  const Json& nodes = graph["nodes"];
  for (const Json& node : nodes)
    if (!node.is_object() || !node.contains("id")) damaged(file, "nodes", "a node without id");
  RawDataset raw;
  raw.vertices = static_cast<Index>(nodes.size());
  requireVertexCount(raw.vertices, file);
  const Rows rows(stem + "-id_map.json", raw.vertices);
  readLinks(graph, file, rows, raw);
  readFlags(nodes, file, rows, raw);
  LabelMap map = readLabelMap(
      stem + "-class_map.json", raw.vertices, [&](const std::string& key) { return rows.of(key); },
      raw.remarks);
  raw.labels = std::move(map.labels);
  raw.multiLabels = std::move(map.multiLabels);
  raw.classes = map.classes;
  const std::filesystem::path features = stem + "-feats.npy";
  if (std::filesystem::is_regular_file(features)) {
    raw.features = readNpy(features).matrix(features.string());
    requireWidth(raw.features, features.string());
  }
  return raw;
}

const Registered<FormatEntry> self{
    {{"graphsage", "GraphSAGE files (NAME-G.json, NAME-id_map.json, NAME-class_map.json)",
      "Hamilton et al. 2017"},
     20,
     recognises,
     read,
     "NAME-G.json"}};

}  // namespace
}  // namespace halo
