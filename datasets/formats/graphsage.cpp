// GraphSAGE folder (Hamilton et al., NeurIPS 2017), files beginning with a common name:
//
//   NAME-G.json           networkx node-link graph; nodes have an id and flags `val` and `test`
//   NAME-id_map.json      { "id": row }
//   NAME-class_map.json   { "id": class or [0, 1, …] }       NAME-feats.npy   n × f (may be absent)
//
// The ends of a link are ids or, where the ids are texts, places in the list of nodes; both occur.

#include <algorithm>
#include <unordered_map>

#include "datasets/formats/format.h"
#include "datasets/json_file.h"
#include "datasets/npz.h"
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

void readLinks(const Json& graph, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  const Json& nodes = graph["nodes"];
  const bool places = !nodes.empty() && nodes[0]["id"].is_string();
  const auto vertex = [&](const Json& link, const char* end) -> Vertex {
    Index row = -1;
    if (link.is_object() && link.contains(end)) {
      const Json& value = link[end];
      const Index place = places && value.is_number_integer() ? rowNumber(value.dump(), raw.vertices) : -1;
      row = rows.of(textOf(place >= 0 ? nodes[static_cast<std::size_t>(place)]["id"] : value));
    }
    if (row < 0)
      damaged(file, "links",
              "link " + std::to_string(raw.arcs.size()) + " has no " + end + " among the nodes");
    return static_cast<Vertex>(row);
  };
  for (const Json& link : graph["links"]) {
    const Vertex source = vertex(link, "source");
    raw.arcs.push_back({source, vertex(link, "target")});
  }
}

void readFlags(const Json& nodes, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  raw.split.assign(static_cast<std::size_t>(raw.vertices), Split::train);
  const auto flag = [](const Json& node, const char* key) {
    return node.contains(key) && node[key].is_boolean() && node[key].get<bool>();
  };
  for (const Json& node : nodes) {
    const Index row = rows.of(textOf(node["id"]));
    if (row < 0) damaged(file, "nodes", "node " + shown(textOf(node["id"])) + " is not in the id map");
    raw.split[static_cast<std::size_t>(row)] = flag(node, "test")  ? Split::test
                                               : flag(node, "val") ? Split::valid
                                                                   : Split::train;
  }
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto file = graphFile(path);
  const std::string stem = file.string().substr(0, file.string().size() - kGraphEnding.size());
  if (progress) progress("reading " + file.filename().string(), 0);
  const Json graph = readJson(file);
  for (const char* key : {"nodes", "links"})
    if (!graph.is_object() || !graph.contains(key) || !graph[key].is_array())
      damaged(file, key, "is missing; a list");
  const Json& nodes = graph["nodes"];
  for (const Json& node : nodes)
    if (!node.is_object() || !node.contains("id")) damaged(file, "nodes", "a node without id");
  RawDataset raw;
  raw.vertices = static_cast<Index>(nodes.size());
  requireVertexCount(raw.vertices, file);
  const Rows rows(stem + "-id_map.json", raw.vertices);
  readLinks(graph, file, rows, raw);
  readFlags(nodes, file, rows, raw);
  LabelMap map = readLabelMap(stem + "-class_map.json", raw.vertices,
                              [&](const std::string& key) { return rows.of(key); });
  raw.labels = std::move(map.labels);
  raw.multiLabels = std::move(map.multiLabels);
  raw.classes = map.classes;
  const std::filesystem::path features = stem + "-feats.npy";
  if (std::filesystem::is_regular_file(features)) raw.features = readNpy(features).matrix(features.string());
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
