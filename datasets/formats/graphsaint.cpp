// GraphSAINT folder (Zeng et al., ICLR 2020):
//
//   adj_full.npz      scipy CSR of the whole graph      role.json        { "tr": […], "va": […], "te": […] },
//                                                                        or train, val, test
//   class_map.json    { "vertex": class or [0, 1, …] }  feats.npy        n × f
//
// All but the archive may be packed. adj_train.npz, the graph of the training vertices alone, is not read.

#include <map>

#include "datasets/input/packings.h"
#include "datasets/parts/json_file.h"
#include "datasets/parts/json_place.h"
#include "datasets/parts/sparse_arrays.h"
#include "datasets/parts/split.h"
#include "datasets/parts/table.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

bool recognises(const std::filesystem::path& path) {
  const auto graph = path / "adj_full.npz";
  if (!std::filesystem::exists(graph) || plainOrPacked(path / "role.json").empty()) return false;
  refusePipe(graph);
  return std::filesystem::is_regular_file(graph);
}

std::vector<std::filesystem::path> filesRead(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files = {path / "adj_full.npz"};
  for (const char* name : {"role.json", "class_map.json", "feats.npy"})
    if (const auto file = plainOrPacked(path / name); !file.empty()) files.push_back(file);
  return files;
}

std::filesystem::path required(const std::filesystem::path& file) {
  if (const auto actual = plainOrPacked(file); !actual.empty()) return actual;
  throw DamagedInput(
      {.file = file.string(),
       .message =
           "is missing; a GraphSAINT folder is adj_full.npz, role.json, class_map.json and feats.npy"});
}

/// The keys of role.json by the parts that they name; remarks the others.
std::map<Split, std::string> roleKeys(const nlohmann::json& roles, const std::filesystem::path& file,
                                      std::vector<std::string>& remarks) {
  std::map<Split, std::string> keys;
  for (const auto& [key, list] : roles.items()) {
    const auto part = partNamed(key);
    if (!part) {
      remarks.push_back(file.filename().string() + ": the key " + shown(key) + " is not read");
    } else if (const auto [entry, fresh] = keys.emplace(*part, key); !fresh) {
      damagedJson(file, {key}, key, "names the same part as " + entry->second + "; one list a part");
    }
  }
  return keys;
}

void readRole(const nlohmann::json& list, const std::string& key, Split part,
              const std::filesystem::path& file, RawDataset& raw) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& entry = list[i];
    const auto refuse = [&](const std::string& why) { damagedJson(file, {key, i}, key, why); };
    const double number = entry.is_number_integer() ? entry.get<double>() : -1;
    if (number < 0 || number >= static_cast<double>(raw.vertices))
      refuse(shownJson(entry) + " is not a vertex; 0 to " + std::to_string(raw.vertices - 1));
    const auto vertex = static_cast<std::size_t>(number);
    if (!givePart(raw.split, static_cast<Index>(vertex), part))
      refuse(secondPart(raw.split[vertex], entry.dump(), part));
    if (!raw.labels.empty() && raw.labels[vertex] < 0)
      refuse("vertex " + entry.dump() + " is in " + nameOf(part) + " but has no label in class_map.json");
  }
}

void readRoles(const std::filesystem::path& file, RawDataset& raw) {
  const nlohmann::json roles = readJson(file);
  raw.split.assign(at(raw.vertices), Split::none);
  constexpr std::pair<const char*, Split> kRoles[] = {
      {"tr", Split::train}, {"va", Split::valid}, {"te", Split::test}};
  const auto keys = roles.is_object() ? roleKeys(roles, file, raw.remarks) : std::map<Split, std::string>();
  for (const auto& [usual, part] : kRoles) {
    const auto key = keys.find(part);
    if (key == keys.end() || !roles[key->second].is_array())
      throw DamagedInput({.file = file.string(),
                          .key = usual,
                          .message = "is missing; lists of vertices under tr, va and te"});
    readRole(roles[key->second], key->second, part, file, raw);
  }
}

RawDataset read(const std::filesystem::path& path, const Progress& progress) {
  const auto step = [&](const char* file, double share) {
    if (progress) progress(std::string("reading ") + file, share);
  };
  RawDataset raw;
  remarkOthers(filesRead(path), raw.remarks);
  step("adj_full.npz", 0);
  const auto graph = path / "adj_full.npz";
  const SparseArrays adjacency = sparseArrays(readNpz(graph), "", graph);
  if (adjacency.rows != adjacency.cols)
    throw DamagedInput({.file = graph.string(),
                        .key = "shape",
                        .message = std::to_string(adjacency.rows) + " × " + std::to_string(adjacency.cols) +
                                   " is no graph; as many columns as rows"});
  raw.vertices = adjacency.rows;
  raw.arcs = adjacency.arcs();
  adjacency.remarkValues(raw.remarks);
  raw.everyEdgeOnce = false;
  step("feats.npy", 0.3);
  const auto features = required(path / "feats.npy");
  raw.featureFile = features;
  raw.features = readNpy(features).matrix(features.string());
  requireWidth(raw.features, features.string());
  if (raw.features.rows() == raw.vertices)
    remarkNumbered(raw.features, features.filename().string(), raw.vertices, raw.remarks);
  step("class_map.json", 0.6);
  const auto row = [&](const std::string& key) { return rowNumber(key, raw.vertices); };
  raw.labelFile = required(path / "class_map.json");
  raw.take(readLabelMap(
      raw.labelFile, raw.vertices, [&](const auto&) { return row; }, kNoVertex, raw.remarks));
  step("role.json", 0.9);
  readRoles(required(path / "role.json"), raw);
  return raw;
}

const Registered<FormatEntry> self{
    {{"graphsaint", "GraphSAINT folder (adj_full.npz, role.json, class_map.json, feats.npy)",
      "Zeng et al. 2020"},
     2,
     recognises,
     read,
     "adj_full.npz and role.json",
     nullptr,
     filesRead}};

}  // namespace
}  // namespace halo
