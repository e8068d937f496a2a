#include "datasets/parts/split.h"

#include <algorithm>
#include <string>
#include <utility>

#include "datasets/input/packings.h"
#include "datasets/parts/table.h"
#include "datasets/text/columns.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::pair<std::string_view, Split> kNames[] = {
    {"train", Split::train},       {"training", Split::train},
    {"tr", Split::train},          {"val", Split::valid},
    {"valid", Split::valid},       {"va", Split::valid},
    {"validation", Split::valid},  {"validate", Split::valid},
    {"validating", Split::valid},  {"dev", Split::valid},
    {"development", Split::valid}, {"test", Split::test},
    {"testing", Split::test},      {"te", Split::test}};

/// A vertex where a file lists it.
struct Listed {
  Index number = 0, line = 0, column = 0;  // the number as VertexNumbers has it
};

std::vector<Listed> readListed(const std::filesystem::path& file, VertexNumbers& numbers) {
  TextFile text(file);
  std::vector<Listed> listed;
  std::string_view line;
  while (text.next(line)) {
    Fields fields(text, line, Layout::table);
    if (!fields.more()) continue;
    const Index column = fields.rest().data() - line.data() + 1;
    listed.push_back({numbers.next(text, fields), text.line(), column});
    fields.end("one number a line");
  }
  return listed;
}

std::filesystem::path splitFile(const std::filesystem::path& folder, Split part) {
  const auto file = plainOrPacked(folder / (std::string(nameOf(part)) + ".csv"));
  if (!file.empty()) return file;
  std::string others;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (std::filesystem::path name = withoutPacking(entry.path()); partNamed(name.stem().string()) == part)
      others += (others.empty() ? "" : ", ") + entry.path().filename().string();
  throw DamagedInput({.file = (folder / (std::string(nameOf(part)) + ".csv")).string(),
                      .message = "is missing; a split is train.csv, valid.csv and test.csv, packed or not" +
                                 (others.empty() ? "" : ": give " + others + " that name")});
}

}  // namespace

std::optional<Split> partNamed(std::string_view name) {
  const std::string all = plainName(name);
  std::string_view word = all;
  for (const std::string_view before : {"index", "idx", "mask", "is", "in"})
    if (word.starts_with(before)) {
      word.remove_prefix(before.size());
      break;
    }
  for (const std::string_view after :
       {"masks", "mask", "idx", "index", "indices", "ids", "nodes", "set", "flag"})
    if (word.ends_with(after)) {
      word.remove_suffix(after.size());
      break;
    }
  const auto* match = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const auto& entry) { return entry.first == word; });
  return match == std::end(kNames) ? std::nullopt : std::optional(match->second);
}

const char* nameOf(Split part) {
  switch (part) {
    case Split::train:
      return "train";
    case Split::valid:
      return "valid";
    case Split::test:
      return "test";
    case Split::none:
      break;
  }
  return "none";
}

bool givePart(std::vector<Split>& split, Index vertex, Split part) {
  Split& now = split[static_cast<std::size_t>(vertex)];
  if (now != Split::none) return false;
  now = part;
  return true;
}

std::string secondPart(Split now, const std::string& word, Split part) {
  if (now == part) return "vertex " + word + " is listed twice in " + nameOf(part) + "; every vertex once";
  return "vertex " + word + " is in " + nameOf(now) + " and in " + nameOf(part) +
         "; the parts of a split do not overlap";
}

void assignSplit(std::vector<Split>& split, const std::vector<Index>& vertices, Split part,
                 const std::filesystem::path& file, const std::string& key) {
  for (const Index vertex : vertices)
    if (!givePart(split, vertex, part))
      throw DamagedInput(
          {.file = file.string(),
           .key = key,
           .message = secondPart(split[static_cast<std::size_t>(vertex)], std::to_string(vertex), part)});
}

std::vector<Split> readSplitFolder(const std::filesystem::path& folder, const GraphVertices& graph,
                                   std::vector<std::string>& remarks) {
  constexpr Split kParts[] = {Split::train, Split::valid, Split::test};
  VertexNumbers numbers;
  std::vector<std::vector<Listed>> parts;
  for (const Split part : kParts) {
    parts.push_back(readListed(splitFile(folder, part), numbers));
    remarkOthers(folder / (std::string(nameOf(part)) + ".csv"), remarks);
  }
  VertexWords words;
  for (const auto& listed : parts)
    for (const Listed& at : listed) words.numbers.push_back(at.number);
  words.wordAt = [&](Index i) { return numbers.text(words.numbers[static_cast<std::size_t>(i)]); };
  const auto vertices = verticesNamed(graph, words, RowCounts::no, folder.filename().string(), remarks);
  std::vector<Split> split(static_cast<std::size_t>(graph.count), Split::none);
  auto vertex = vertices.begin();
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const Listed& at : parts[p]) {
      const auto refuse = [&](const std::string& wrong) {
        throw DamagedInput({.file = splitFile(folder, kParts[p]).string(),
                            .line = at.line,
                            .column = at.column,
                            .message = wrong});
      };
      if (*vertex < 0) refuse(numbers.text(at.number) + graph.unknown());
      if (!givePart(split, *vertex, kParts[p]))
        refuse(secondPart(split[static_cast<std::size_t>(*vertex)], numbers.text(at.number), kParts[p]));
      ++vertex;
    }
  return split;
}

}  // namespace halo
