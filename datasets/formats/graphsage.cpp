// GraphSAGE folder (Hamilton et al., NeurIPS 2017), files beginning with a common name, plain or packed:
//
//   NAME-G.json           networkx node-link graph, `links` or `edges`; nodes have an id and flags `val` and
//                         `test`, by any name of split.h, true or false, 1 or 0; a node of neither is
//                         trained on, unless some have a flag `train`; without any flags there is no split
//   NAME-id_map.json      { "id": row }
//   NAME-class_map.json   { "id": class or [0, 1, …] }       NAME-feats.npy   n × f (may be absent)
//
// The ends of a link are ids or, where the ids are texts, places in the list of nodes. Both occur, but not in
// one file.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>

#include "datasets/arrays/npz.h"
#include "datasets/contract/format.h"
#include "datasets/edges/numbering.h"
#include "datasets/input/packings.h"
#include "datasets/parts/json_file.h"
#include "datasets/parts/json_place.h"
#include "datasets/parts/link_numbers.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table.h"
#include "datasets/text/columns.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kGraphEnding = "-G.json";

bool isGraph(const std::filesystem::path& file) { return withoutPacking(file).ends_with(kGraphEnding); }

/// The files NAME-G.json in the folder, or the file itself.
std::vector<std::filesystem::path> sets(const std::filesystem::path& path) { return setsAt(path, isGraph); }

bool recognises(const std::filesystem::path& path) { return !sets(path).empty(); }

/// Graph, map of ids, map of classes, features.
std::vector<std::filesystem::path> filesRead(const std::filesystem::path& path) {
  const auto graph = sets(path).at(0);
  const std::string plain = withoutPacking(graph), stem = plain.substr(0, plain.size() - kGraphEnding.size());
  const auto beside = [&](const char* ending) {
    const auto file = plainOrPacked(stem + ending);
    return file.empty() ? std::filesystem::path(stem + ending) : file;
  };
  return {graph, beside("-id_map.json"), beside("-class_map.json"), beside("-feats.npy")};
}

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& key,
                          const std::string& message) {
  throw DamagedInput({.file = file.string(), .key = key, .message = message});
}

void requireThere(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file))
    damaged(file, "",
            "is missing; a set of GraphSAGE is NAME-G.json, NAME-id_map.json and NAME-class_map.json");
}

std::string textOf(const Json& id) { return id.is_string() ? id.get<std::string>() : id.dump(); }

/// From ids to rows, by NAME-id_map.json.
class Rows {
 public:
  Rows(const std::filesystem::path& file, Index vertices) {
    requireThere(file);
    const Json map = readJson(file);
    if (!map.is_object() || std::cmp_not_equal(map.size(), vertices))
      damaged(file, "",
              "holds " + std::to_string(map.size()) + " ids; the graph has " + std::to_string(vertices) +
                  " nodes");
    std::vector<bool> taken(static_cast<std::size_t>(vertices));
    for (const auto& [id, row] : map.items()) {
      const Index number = row.is_number_integer() ? rowNumber(row.dump(), vertices) : -1;
      if (number < 0 || taken[static_cast<std::size_t>(number)])
        damagedJson(file, {id}, shown(id), "is not a row of its own; 0 to " + std::to_string(vertices - 1));
      taken[static_cast<std::size_t>(number)] = true;
      rows_.emplace(id, number);
    }
  }
  Index rowOf(const std::string& id) const {
    const auto row = rows_.find(id);
    return row == rows_.end() ? -1 : row->second;
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

/// At the first id that is not of the kind of the first.
[[noreturn]] void refuseMixed(const Json& nodes, const std::filesystem::path& file) {
  const bool text = nodes[0]["id"].is_string();
  const auto other =
      std::find_if(nodes.begin(), nodes.end(), [&](const Json& n) { return n["id"].is_string() != text; });
  damagedJson(file, {"nodes", static_cast<std::size_t>(other - nodes.begin()), "id"}, "nodes",
              "the ids are texts and numbers; all the one or all the other");
}

/// A number beyond 64 bits has lost digits when it is read, so that two of them are one.
void requireExact(const Json& id, std::size_t place, const std::filesystem::path& file) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (id.is_number_float() && !(std::abs(id.get<double>()) <= kExact))
    damagedJson(file, {"nodes", place, "id"}, "nodes",
                "the id of node " + std::to_string(place) + ", " + shownJson(id) +
                    ", has more digits than a number keeps; write ids as texts in all of the files");
}

/// Whether ids are texts, in which case whole numbers in links are places in the list of nodes.
bool textIds(const Json& nodes, const std::filesystem::path& file) {
  const auto texts =
      std::count_if(nodes.begin(), nodes.end(), [](const Json& n) { return n["id"].is_string(); });
  if (texts != 0 && std::cmp_not_equal(texts, nodes.size())) refuseMixed(nodes, file);
  return texts != 0;
}

/// Whether a number from 0 could be the id of another node than the one at that place.
bool idsDiffer(const Json& nodes) {
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const auto id = rowNumber(textOf(nodes[place]["id"]), static_cast<Index>(nodes.size()));
    if (id >= 0 && std::cmp_not_equal(id, place)) return true;
  }
  return false;
}

void readLinks(const Json& graph, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  const Json& nodes = graph["nodes"];
  const char* const key = linksKey(graph, file);
  const bool texts = textIds(nodes, file);
  LinkNumbers numbers;
  if (texts)
    numbers.read(graph[key], raw.vertices, [&](const std::string& id) { return rows.rowOf(id) >= 0; });
  const bool places = numbers.arePlaces();
  bool mayBePlaces = !texts;
  const auto vertex = [&](const Json& link, const char* end) -> Vertex {
    Index row = -1;
    if (link.is_object() && link.contains(end)) {
      const Json& value = link[end];
      const bool place = (places || mayBePlaces) && isPlace(value, raw.vertices);
      mayBePlaces = mayBePlaces && place;
      row = rows.rowOf(textOf(place && places ? nodes[value.get<std::size_t>()]["id"] : value));
    }
    if (row < 0)
      damagedJson(file, {key, raw.arcs.size(), end}, key,
                  "link " + std::to_string(raw.arcs.size()) + " has no " + end + " among the nodes");
    return static_cast<Vertex>(row);
  };
  const char* weight = nullptr;  // the key of a link that may be one
  for (const Json& link : graph[key]) {
    const Vertex source = vertex(link, "source");
    raw.arcs.push_back({source, vertex(link, "target")});
    if (weight == nullptr && link.size() > 2)
      for (const char* may : {"value", "weight"})
        if (link.contains(may)) weight = may;
  }
  if (weight != nullptr) raw.remarks.push_back(unusedWeights(weight));
  const bool differ = idsDiffer(nodes);
  if (mayBePlaces && !raw.arcs.empty() && differ)
    raw.remarks.push_back("numbers in " + std::string(key) +
                          " are ids; places in the list of nodes fit as well: write the ids as texts if they "
                          "are meant");
  if (differ) numbers.remark(key, raw.remarks);
}

/// The flag, or a text that says it: an edge without a direction is two arcs, also of a directed set.
void readDirected(const Json& graph, const std::filesystem::path& file, RawDataset& raw) {
  const auto flag = graph.find("directed");
  if (flag == graph.end()) return;
  const std::string word = flag->is_boolean() || flag->is_string() ? plainName(textOf(*flag)) : "";
  const bool directed = word == "true" || *flag == 1 || *flag == "1";
  raw.undirected = word == "false" || *flag == 0 || *flag == "0";
  if (!directed && !raw.undirected)
    damagedJson(file, {"directed"}, "directed", "is " + shownJson(*flag) + "; true or false");
  if (directed)
    raw.remarks.emplace_back(
        "the file says \"directed\": true; inverse arcs are added all the same unless dataset.directed = "
        "true");
}

/// Reads the flags of nodes by whatever names they have.
class Flags {
 public:
  explicit Flags(const std::filesystem::path& file) : file_(file) {}

  /// Where the list of nodes has `node`.
  void take(const Json& node, std::size_t place, std::size_t row, RawDataset& raw) {
    std::array<const std::string*, kParts> names{};  // of the flags, by part
    std::optional<Split> set;
    for (const auto& [key, value] : node.items()) {
      const auto part = partOf(key, value);
      if (!part) continue;
      const bool flag = isSet(node, place, key, value);
      const std::string*& name = names[static_cast<std::size_t>(*part)];
      if (name != nullptr && flag != (set == part))
        refuse(node, place, *name + " and " + key + " differ; one of them");
      name = &key;
      if (!flag || set == part) continue;
      if (set) {
        const auto &first = *names[static_cast<std::size_t>(std::min(*set, *part))],
                   &second = *names[static_cast<std::size_t>(std::max(*set, *part))];
        refuse(node, place, first + " and " + second + " are both set; the parts of a split do not overlap");
      }
      set = part;
    }
    trains_ |= names[static_cast<std::size_t>(Split::train)] != nullptr;
    const bool flagged = std::any_of(names.begin(), names.end(), [](auto* name) { return name != nullptr; });
    without_ += flagged ? 0 : 1;
    if (set && isUnlabelled(raw, row))
      refuse(node, place, *names[static_cast<std::size_t>(*set)] + " is set, but it has no label");
    raw.split[row] = set.value_or(Split::none);
  }

  /// After all nodes: those of no part are trained on if they have a label, where no flag says which are.
  void settle(RawDataset& raw) const {
    std::string unknown;
    for (const std::string& key : order_)
      if (const Key& flag = keys_.at(key); !flag.part && (flag.saysMore || flag.small))
        unknown += (unknown.empty() ? "" : ", ") + shown(key);
    if (!unknown.empty())
      raw.remarks.push_back("not read of the nodes: " + unknown + "; flags of a split are val and test");
    if (std::cmp_equal(without_, raw.vertices)) return raw.split.clear();
    if (without_ > 0)
      raw.remarks.push_back(std::to_string(without_) + " of " + std::to_string(raw.vertices) +
                            " nodes have " +
                            (trains_ ? "no flag of the split; they are in no part of it"
                                     : "neither val nor test; they are trained on"));
    for (std::size_t row = 0; row < raw.split.size() && !trains_; ++row)
      if (raw.split[row] == Split::none && !isUnlabelled(raw, row)) raw.split[row] = Split::train;
  }

 private:
  static constexpr std::size_t kParts = 4;

  static bool isUnlabelled(const RawDataset& raw, std::size_t row) {
    return !raw.labels.empty() && raw.labels[row] < 0;
  }

  /// What is known of a key after the nodes so far.
  struct Key {
    std::optional<Split> part;
    bool saysMore = false;  // once it held true, false or the name of a part, or its own name says so
    bool small = true;      // all it held were numbers that may stand for such
  };

  /// The part that a key is a flag of.
  std::optional<Split> partOf(const std::string& key, const Json& value) {
    const auto [at, fresh] = keys_.try_emplace(key);
    Key& flag = at->second;
    if (fresh) {  // a node has the same keys as the others
      flag.part = partNamed(key);
      flag.saysMore = namesSplit(key);
      if (key != "id" && key != "label") order_.push_back(key);
    }
    if (flag.part) return flag.part;
    flag.saysMore = flag.saysMore || value.is_boolean() ||
                    (value.is_string() && saysPart(value.get_ref<const std::string&>()));
    flag.small = flag.small && isSmall(value);
    return std::nullopt;
  }
  static bool namesSplit(const std::string& key) {
    const std::string name = plainName(key);
    return std::ranges::any_of(std::array{"split", "subset", "fold", "mask"},
                               [&](const char* word) { return name.find(word) != std::string::npos; });
  }
  static bool saysPart(const std::string& text) {
    const std::string word = plainName(text);
    return word == "true" || word == "false" || word == "yes" || word == "no" || partNamed(text);
  }
  /// 0 or 1 for a flag, up to 3 for parts of a split and none, as a number or a text.
  static bool isSmall(const Json& value) {
    if (value.is_number()) return value == 0 || value == 1 || value == 2 || value == 3 || value == -1;
    constexpr std::array kSmall = {"0", "1", "2", "3", "-1"};
    return value.is_string() &&
           std::ranges::find(kSmall, value.get_ref<const std::string&>()) != kSmall.end();
  }
  bool isSet(const Json& node, std::size_t place, const std::string& key, const Json& value) const {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number() && (value == 0 || value == 1)) return value == 1;
    damagedJson(file_, {"nodes", place, key}, "nodes",
                "node " + shown(textOf(node["id"])) + ": " + key + " is " + shownJson(value) +
                    "; true or false, 1 or 0");
  }
  [[noreturn]] void refuse(const Json& node, std::size_t place, const std::string& message) const {
    damagedJson(file_, {"nodes", place}, "nodes", "node " + shown(textOf(node["id"])) + ": " + message);
  }

  std::filesystem::path file_;
  std::unordered_map<std::string, Key> keys_;
  std::vector<std::string> order_;  // as they came, without what is no flag for certain
  std::size_t without_ = 0;
  bool trains_ = false;
};

void readFlags(const Json& nodes, const std::filesystem::path& file, const Rows& rows, RawDataset& raw) {
  raw.split.assign(static_cast<std::size_t>(raw.vertices), Split::none);
  std::vector<bool> seen(raw.split.size());
  Flags flags(file);
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const Json& node = nodes[place];
    const auto refuse = [&](const char* message) {
      damagedJson(file, {"nodes", place, "id"}, "nodes", "node " + shown(textOf(node["id"])) + message);
    };
    const Index row = rows.rowOf(textOf(node["id"]));
    if (row < 0) refuse(" is not in the id map");
    const auto at = static_cast<std::size_t>(row);
    if (seen[at]) refuse(" stands there twice; every id once");
    seen[at] = true;
    flags.take(node, place, at, raw);
  }
  flags.settle(raw);
}

/// Where there is no NAME-feats.npy, features within the graph are rather missed than meant for others.
void remarkOwnFeatures(const Json& nodes, std::vector<std::string>& remarks) {
  for (const char* key : {"feature", "features", "feat", "x"})
    if (!nodes.empty() && nodes[0].contains(key))
      remarks.push_back("not read of the nodes: " + shown(key) + "; features stand in NAME-feats.npy");
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto files = filesRead(path);
  const auto& file = files[0];
  if (progress) progress("reading " + file.filename().string(), 0);
  const Json graph = readJson(file);
  if (!graph.is_object()) damaged(file, "", "is not a node-link graph; an object with nodes and links");
  for (const char* key : {"nodes", linksKey(graph, file)})
    if (!graph.contains(key) || !graph[key].is_array()) damaged(file, key, "is missing; a list");
  const Json& nodes = graph["nodes"];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_object() || !nodes[i].contains("id"))
      damagedJson(file, {"nodes", i}, "nodes", "a node without id");
    requireExact(nodes[i]["id"], i, file);
  }
  RawDataset raw;
  remarkOthers(filesRead(path), raw.remarks);
  raw.vertices = static_cast<Index>(nodes.size());
  requireVertexCount(raw.vertices, file);
  const auto shared = std::make_shared<const Rows>(files[1], raw.vertices);
  const Rows& rows = *shared;
  readLinks(graph, file, rows, raw);
  readDirected(graph, file, raw);
  const auto row = [&](const std::string& key) { return rows.rowOf(key); };
  raw.labelFile = files[2];
  requireThere(raw.labelFile);
  raw.take(readLabelMap(
      files[2], raw.vertices, [&](const auto&) { return row; }, kNoVertex, raw.remarks));
  readFlags(nodes, file, rows, raw);
  raw.vertexOf = [shared](std::string_view id) { return shared->rowOf(std::string(id)); };
  const auto& features = files[3];
  if (std::filesystem::is_regular_file(features)) {
    raw.featureFile = features;
    raw.features = readNpy(features).matrix(features.string());
    requireWidth(raw.features, features.string());
    if (raw.features.rows() == raw.vertices)
      remarkNumbered(raw.features, features.filename().string(), raw.vertices, raw.remarks);
  } else {
    remarkOwnFeatures(nodes, raw.remarks);
  }
  return raw;
}

const Registered<FormatEntry> self{
    {{"graphsage", "GraphSAGE files (NAME-G.json, NAME-id_map.json, NAME-class_map.json)",
      "Hamilton et al. 2017"},
     20,
     recognises,
     read,
     "NAME-G.json",
     nullptr,
     filesRead,
     sets}};

}  // namespace
}  // namespace halo
