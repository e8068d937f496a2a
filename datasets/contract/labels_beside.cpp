#include "datasets/contract/labels_beside.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "datasets/contract/format.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparators = "-_.";

bool among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

fs::path unpackedName(const fs::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const fs::path lower = name;
  return among(lower.extension().string(), {".gz", ".xz", ".bz2", ".zst", ".zip"}) ? lower.stem() : lower;
}

/// The name in lower case, without packing and ending.
std::string stemOf(const fs::path& file) { return unpackedName(file).stem().string(); }

/// What stands behind the last point of such a name: net.node_labels.
std::string endingOf(const fs::path& file) {
  const std::string ending = unpackedName(file).extension().string();
  return ending.substr(std::min<std::size_t>(1, ending.size()));
}

/// What stands behind `name` and a separator; "" where anything else does.
std::string_view behind(std::string_view stem, std::string_view name) {
  const bool follows = stem.size() > name.size() + 1 && stem.starts_with(name) &&
                       kSeparators.find(stem[name.size()]) != std::string_view::npos;
  return follows ? stem.substr(name.size() + 1) : std::string_view();
}

/// Whether it says labels, or whose labels.
bool saysLabels(std::string_view words) {
  if (among(words, {"label", "labels"})) return true;
  const std::size_t cut = words.find_first_of(kSeparators);
  return cut != std::string_view::npos && among(words.substr(cut + 1), {"label", "labels"}) &&
         among(words.substr(0, cut),
               {"node", "nodes", "vertex", "vertices", "class", "community", "group", "department", "true"});
}

/// What the graph is called where the last part of its name says only its form; "" otherwise.
std::string_view familyOf(std::string_view stem) {
  const std::size_t cut = stem.find_last_of("-_");
  const bool form = cut != std::string_view::npos &&
                    among(stem.substr(cut + 1), {"adj", "adjlist", "adjacency", "edge", "edges", "edgelist",
                                                 "graph", "network", "net", "links", "arcs"});
  return form ? stem.substr(0, cut) : std::string_view();
}

/// The files of a folder: labels by name, the shortest first, and what the others are called.
struct Folder {
  std::vector<fs::path> labels;
  std::vector<std::string> graphs;
};

Folder folderOf(const fs::path& graph) {
  Folder contents;
  std::error_code ignored;  // an unreadable folder holds no labels
  const fs::path folder = graph.parent_path().empty() ? "." : graph.parent_path();
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool file = entry.is_regular_file(ignored) || entry.is_other(ignored);  // a pipe is refused
    if (entry.path().filename() == graph.filename() || !file) continue;
    if (namesLabels(entry.path()))
      contents.labels.push_back(entry.path());
    else
      contents.graphs.push_back(stemOf(entry.path()));
  }
  std::sort(contents.labels.begin(), contents.labels.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a.native().size(), a) < std::pair(b.native().size(), b);
  });
  return contents;
}

}  // namespace

std::string LabelsBeside::remark() const {
  std::string names;
  for (const fs::path& file : leftOut) names += (names.empty() ? "" : ", ") + file.filename().string();
  if (names.empty()) return "";
  return "labels that are not read: " + names + "; dataset.labels names those that are meant";
}

LabelsBeside labelsNear(const fs::path& graph) {
  const std::string stem = stemOf(graph);
  const std::string_view family = familyOf(stem);
  const Folder folder = folderOf(graph);
  const auto anothers = [&](std::string_view labels) {  // "net-2-labels.txt" where there is a "net-2.txt"
    return std::any_of(folder.graphs.begin(), folder.graphs.end(), [&](const std::string& other) {
      return !behind(other, stem).empty() && !behind(labels, other).empty();
    });
  };
  LabelsBeside selection;
  std::vector<fs::path> own, shared;
  for (const fs::path& file : folder.labels) {
    const std::string name = stemOf(file);
    if (saysLabels(endingOf(file)) && (name == stem || name == family)) {
      selection.leftOut.push_back(file);
      continue;
    }
    const std::string_view words = behind(name, stem);
    if (!words.empty() && anothers(name)) continue;
    if (saysLabels(words))
      own.push_back(file);
    else if (!family.empty() && saysLabels(behind(name, family)))
      shared.push_back(file);
    else if (!words.empty() || saysLabels(name))  // of whichever graph
      selection.leftOut.push_back(file);
  }
  own.insert(own.end(), shared.begin(), shared.end());
  if (own.empty()) return selection;
  selection.labels = own[0];
  selection.leftOut.insert(selection.leftOut.end(), own.begin() + 1, own.end());
  return selection;
}

}  // namespace halo
