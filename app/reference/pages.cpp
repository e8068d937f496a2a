#include "app/reference/pages.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "app/program/known.h"
#include "app/reference/piece.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "<!-- declared: ", kClose = " -->", kEnd = "<!-- end -->";

/// All pages that declarations have, by kind, in rows of four: for who looks for a name.
Piece indexOf(const Pieces& pieces) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"commands", "Commands"},
      {"experiment", "Tables of the experiment file"},
      {"methods", "Methods"},
      {"layers", "Layer kinds"},
      {"partitioners", "Partitioners"},
      {"data/formats", "File formats"},
      {"simulator", "Devices, nodes, machines"},
      {"metrics", "Metrics"}};
  constexpr std::size_t kColumns = 4;
  std::map<fs::path, std::set<std::string>> names;
  for (const auto& [words, piece] : pieces) names[piece.page.parent_path()].insert(piece.page.stem());
  std::string text;
  for (const auto& [folder, kind] : kKinds) {
    MarkdownTable table({fmt::format("[{}]({}/index.md)", kind, folder), "", "", ""});
    std::vector<std::string> row;
    for (const std::string& name : names[fs::path("reference") / folder]) {
      if (name == "index") continue;
      row.push_back(fmt::format("[`{}`]({}/{}.md)", name, folder, name));
      if (row.size() < kColumns) continue;
      table.add(row);
      row.clear();
    }
    row.resize(row.empty() ? 0 : kColumns);
    if (!row.empty()) table.add(row);
    text += (text.empty() ? "" : "\n") + table.text();
  }
  return {"reference/index.md", "Reference by name", text};
}

const Pieces& pieces() {
  static const Pieces all = [] {
    Pieces pieces;
    addSections(pieces);
    addMethods(pieces);
    addLayers(pieces);
    addPartitioners(pieces);
    addFormats(pieces);
    addSimulations(pieces, knownHere());
    addMetrics(pieces);
    addCommands(pieces);
    pieces["pages"] = indexOf(pieces);
    return pieces;
  }();
  return all;
}

std::string marked(const std::string& words, const Piece& piece) {
  return fmt::format("{}{}{}\n{}{}\n", kBegin, words, kClose, piece.text, kEnd);
}

/// The words of a mark; "": the line is none.
std::string wordsOf(const std::string& line) {
  if (!line.starts_with(kBegin) || !line.ends_with(kClose)) return "";
  return line.substr(kBegin.size(), line.size() - kBegin.size() - kClose.size());
}

/// The same as filledPage, and which words the marks have.
std::string filled(const std::string& text, const fs::path& page, std::set<std::string>& marks) {
  std::istringstream in(text);
  std::string output, line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string words = wordsOf(line);
    if (words.empty()) {
      output += line + "\n";
      continue;
    }
    const auto piece = pieces().find(words);
    if (piece == pieces().end())
      throw InputError(Problem{.file = page.string(),
                               .line = number,
                               .column = 1,
                               .key = words,
                               .message = "nothing is declared by this name"});
    output += marked(words, piece->second);
    marks.insert(words);
    const int begin = number;
    while (line != kEnd) {
      ++number;
      if (!std::getline(in, line))
        throw InputError(Problem{.file = page.string(),
                                 .line = begin,
                                 .column = 1,
                                 .key = words,
                                 .message = "the mark has no end; <!-- end -->"});
    }
  }
  return output;
}

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string filledPage(const std::string& text, const fs::path& page) {
  std::set<std::string> marks;
  return filled(text, page, marks);
}

std::vector<ChangedPage> changedPages(const fs::path& manual) {
  std::map<fs::path, std::string> before, after;
  std::set<std::string> marks;
  for (const auto& entry : fs::recursive_directory_iterator(manual))
    if (entry.path().extension() == ".md") {
      const fs::path page = fs::relative(entry.path(), manual);
      before[page] = contents(entry.path());
      after[page] = filled(before[page], page, marks);
    }
  for (const auto& [words, piece] : pieces())
    if (!marks.contains(words)) {
      std::string& text = after[piece.page];
      if (text.empty()) text = fmt::format("# {}\n", piece.title);
      text += "\n" + marked(words, piece);
    }
  std::vector<ChangedPage> changed;
  for (const auto& [page, text] : after)
    if (before[page] != text) changed.push_back({page, text});
  return changed;
}

}  // namespace halo
