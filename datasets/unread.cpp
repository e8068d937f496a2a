#include "datasets/unread.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "datasets/input/packings.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparators = "-_.";
constexpr std::size_t kMostNames = 6;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// The name in lower case, without packing.
std::string plainNameOf(const fs::path& file) { return lower(withoutPacking(file.filename())); }

/// What comes with data and holds none.
bool accompanies(const fs::path& file) {
  const std::string name = plainNameOf(file);
  for (const std::string_view begin : {".", "readme", "license", "licence", "copying", "release", "citation",
                                       "checksum", "changelog", "marks.txt", "__macosx"})
    if (name.starts_with(begin)) return true;
  return among(fs::path(name).extension().string(),
               {".md",  ".rst", ".html", ".htm",  ".pdf",    ".py",  ".ipynb", ".r",
                ".m",   ".sh",  ".toml", ".yaml", ".yml",    ".db",  ".log",   ".svg",
                ".png", ".jpg", ".md5",  ".sha1", ".sha256", ".bib", ".scene"});
}

bool holdsPart(std::string_view word) {
  return among(word,
               {"label",   "labels",   "target", "targets", "class",      "classes", "feat",   "feats",
                "feature", "features", "attr",   "attrs",   "attributes", "split",   "splits", "train",
                "valid",   "val",      "test",   "mask",    "masks",      "node",    "nodes",  "vertices",
                "content", "cites",    "group",  "groups",  "x",          "y"});
}

/// Whether a word of the name, behind the first `begin` letters, says what of a graph the file holds.
bool tellsPart(std::string_view name, std::size_t begin) {
  while (begin < name.size()) {
    const std::size_t end = std::min(name.find_first_of(kSeparators, begin), name.size());
    if (holdsPart(name.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

bool saysGraph(std::string_view word) {
  return among(word, {"adj", "adjlist", "adjacency", "edge", "edges", "edgelist", "graph", "g", "network",
                      "net", "links", "arcs", "a", "cites"});
}

/// What the files of the set of this file have in common before their last words. For net.txt and
/// net_edges.txt that is `net`. It is nothing for edges.csv, which is called after no set.
std::vector<std::string> familiesOf(const fs::path& file) {
  const std::string stem = fs::path(plainNameOf(file)).stem().string();
  std::vector<std::string> families = {stem};
  if (const std::size_t cut = stem.find_last_of("-_"); cut != std::string::npos && cut > 0)
    if (saysGraph(std::string_view(stem).substr(cut + 1))) families.push_back(stem.substr(0, cut));
  if (saysGraph(stem)) families.emplace_back();
  return families;
}

bool belongs(const fs::path& file, const std::vector<std::string>& families) {
  const std::string name = plainNameOf(file);
  return std::ranges::any_of(families, [&](const std::string& family) {
    if (family.empty()) return holdsPart(std::string_view(name).substr(0, name.find_first_of(kSeparators)));
    return name.size() > family.size() && name.starts_with(family) &&
           kSeparators.find(name[family.size()]) != std::string_view::npos &&
           tellsPart(name, family.size() + 1);
  });
}

/// `deeper`: also those of the folders in it.
std::vector<fs::path> plainFilesIn(const fs::path& folder, bool deeper = false) {
  std::vector<fs::path> files;
  std::error_code unreadable;  // what cannot be looked into is told by whoever reads it
  for (auto at = fs::directory_iterator(folder, unreadable); at != fs::directory_iterator();
       at.increment(unreadable)) {
    if (at->is_regular_file(unreadable) && !accompanies(at->path())) files.push_back(at->path());
    if (!deeper || !at->is_directory(unreadable)) continue;
    const std::vector<fs::path> more = plainFilesIn(at->path());
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

/// Of a folder that was asked for, or beside a file.
std::vector<fs::path> candidates(const fs::path& path) {
  if (!fs::is_directory(path)) {
    std::vector<fs::path> files = plainFilesIn(path.parent_path().empty() ? "." : path.parent_path());
    const auto families = familiesOf(path);
    std::erase_if(files, [&](const fs::path& file) { return !belongs(file, families); });
    return files;
  }
  std::vector<fs::path> files = plainFilesIn(path);
  for (const char* below : {"raw", "split", "splits"}) {
    const std::vector<fs::path> more = plainFilesIn(path / below, *below == 's');
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

/// Without packings: which of several is read is remarked where they are opened.
std::set<fs::path> filesReadOf(const Located& located, std::span<const fs::path> named) {
  std::vector<fs::path> files(named.begin(), named.end());
  files.push_back(located.path);
  files.push_back(located.labels);
  if (located.format->filesRead != nullptr)
    for (const fs::path& file : located.format->filesRead(located.path)) files.push_back(file);
  std::set<fs::path> unpacked;
  for (const fs::path& file : files)
    if (!file.empty()) unpacked.insert(fs::path(withoutPacking(file)).lexically_normal());
  return unpacked;
}

/// The folder of splits that a file is in, directly or in a folder of one; empty: none.
fs::path splitsAround(const fs::path& file) {
  const fs::path folder = file.parent_path().lexically_normal();
  for (const fs::path& candidate : {folder, folder.parent_path()})
    if (candidate.filename().string().starts_with("split")) return candidate;
  return {};
}

/// One of several splits, of which the first is read and the others are remarked.
bool isFurtherSplit(const fs::path& file, const std::set<fs::path>& read) {
  const fs::path splits = splitsAround(file);
  return !splits.empty() &&
         std::ranges::any_of(read, [&](const fs::path& other) { return splitsAround(other) == splits; });
}

}  // namespace

std::string remarkUnread(const fs::path& path, const Located& located, std::span<const fs::path> named) {
  const std::set<fs::path> read = filesReadOf(located, named);
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  std::vector<std::string> unread;
  for (const fs::path& file : candidates(path)) {
    const std::string name = file.lexically_relative(folder.empty() ? "." : folder).string();
    const bool remarked = std::ranges::any_of(located.remarks, [&](const std::string& remark) {
      return remark.find(file.filename().string()) != std::string::npos;
    });
    if (!remarked && !read.contains(fs::path(withoutPacking(file)).lexically_normal()) &&
        !isFurtherSplit(file, read))
      unread.push_back(name);
  }
  if (unread.empty()) return "";
  std::ranges::sort(unread);
  std::string text = "not read: ";
  for (std::size_t i = 0; i < std::min(unread.size(), kMostNames); ++i)
    text += (i > 0 ? ", " : "") + unread[i];
  if (unread.size() > kMostNames) text += " and " + std::to_string(unread.size() - kMostNames) + " more";
  return text + "; dataset.features, dataset.labels and dataset.split name files that are meant";
}

}  // namespace halo
