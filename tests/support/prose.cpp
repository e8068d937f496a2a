#include "tests/support/prose.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace halo {
namespace {

bool isBlank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Length of `- `, `* ` or `12. ` behind leading blanks; 0 where the line begins no item.
std::size_t itemMark(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  if (first == std::string::npos) return 0;
  if ((line[first] == '-' || line[first] == '*') && first + 1 < line.size() && line[first + 1] == ' ')
    return first + 2;
  auto end = first;
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
  return end > first && line.compare(end, 2, ". ") == 0 ? end + 2 : 0;
}

/// Cells of a table's row; a bar inside code or behind a backslash divides nothing.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> row(1);
  bool isCode = false;
  for (std::size_t i = line.find('|') + 1; i < line.size(); ++i) {
    if (line[i] == '`') isCode = !isCode;
    if (line[i] == '|' && !isCode && line[i - 1] != '\\')
      row.emplace_back();
    else
      row.back() += line[i];
  }
  for (std::string& cell : row) cell = trimmed(cell);
  return row;
}

void noteMarks(MarkdownPage& page, int line, const std::string& text) {
  for (auto open = text.find('`'); open != std::string::npos;) {
    const auto close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    page.codes.push_back({line, text.substr(open + 1, close - open - 1)});
    open = text.find('`', close + 1);
  }
  for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2))
    page.links.push_back({line, text.substr(at + 2, text.find(')', at) - at - 2)});
}

bool endsSentence(const std::string& text, std::size_t at) {
  if (std::string_view(".!?").find(text[at]) == std::string_view::npos) return false;
  if (at + 1 == text.size()) return true;
  auto next = at + 1;
  while (next < text.size() && std::string_view(")\"'”*").find(text[next]) != std::string_view::npos) ++next;
  if (next == text.size()) return true;
  if (text[next] != ' ') return false;
  for (const std::string_view word : {"et al.", "e.g.", "i.e.", "Fig.", "vs."})
    if (at + 1 >= word.size() && std::string_view(text).substr(at + 1 - word.size(), word.size()) == word)
      return false;
  const auto follows = static_cast<unsigned char>(text[next + 1]);
  return std::isupper(follows) != 0 || std::isdigit(follows) != 0 || follows >= 0x80 ||
         std::string_view("`[(*\"").find(static_cast<char>(follows)) != std::string_view::npos;
}

}  // namespace

MarkdownPage readMarkdown(std::string_view text) {
  MarkdownPage page;
  std::istringstream in{std::string(text)};
  std::string line;
  int number = 0;
  bool isFence = false, isOpen = false;  // isOpen: the next line may go on with the last block
  while (std::getline(in, line)) {
    ++number;
    const std::string bare = trimmed(line);
    if (bare.rfind("```", 0) == 0) {
      isFence = !isFence;
      if (isFence) page.fences.push_back({number, bare.substr(3), ""});
      isOpen = false;
    } else if (isFence) {
      page.fences.back().text += line + "\n";
    } else if (isBlank(line) || bare.rfind("<!--", 0) == 0) {  // a comment of one line is not shown
      isOpen = false;
    } else if (bare[0] == '#') {
      page.headings.push_back({number, trimmed(bare.substr(bare.find_first_not_of('#')))});
      noteMarks(page, number, bare);
      isOpen = false;
    } else if (bare[0] == '|') {
      noteMarks(page, number, bare);
      if (bare.find_first_not_of("|-: ") == std::string::npos) continue;
      for (const std::string& cell : cells(bare))
        if (!cell.empty()) page.blocks.push_back({number, TextBlock::Kind::cell, cell});
      isOpen = false;
    } else {
      const auto mark = itemMark(line);
      noteMarks(page, number, bare);
      if (mark == 0 && isOpen)
        page.blocks.back().text += " " + bare;
      else
        page.blocks.push_back({number, mark > 0 ? TextBlock::Kind::item : TextBlock::Kind::paragraph,
                               trimmed(line.substr(mark))});
      isOpen = true;
    }
  }
  return page;
}

std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  bool isCode = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') isCode = !isCode;
    if (isCode || !endsSentence(text, i)) continue;
    parts.push_back(trimmed(text.substr(begin, i + 1 - begin)));
    begin = i + 1;
  }
  if (const std::string rest = trimmed(text.substr(begin)); !rest.empty()) parts.push_back(rest);
  return parts;
}

std::size_t wordCount(const std::string& text) {
  std::size_t count = 0;
  bool isCode = false, isTarget = false, isWord = false;
  const auto leave = [&] {
    count += isWord ? 1 : 0;
    isWord = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '`') isCode = !isCode;
    if (!isCode && c == '(' && i > 0 && text[i - 1] == ']') isTarget = true;
    if (isTarget)
      isTarget = c != ')';
    else if (c == ' ' && !isCode)
      leave();
    else
      isWord = isWord || isCode || std::isalnum(c) != 0;
  }
  leave();
  return count;
}

std::string anchorOf(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(u) != 0 || c == '-' || c == '_' || u >= 0x80)
      anchor += static_cast<char>(std::tolower(u));
  }
  return anchor;
}

}  // namespace halo
