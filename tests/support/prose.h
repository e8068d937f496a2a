#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// What a person reads at one go: a paragraph, an item of a list, or a cell of a table.
struct TextBlock {
  enum class Kind { paragraph, item, cell };
  int line = 0;  // where it begins, from 1
  Kind kind = Kind::paragraph;
  std::string text;  // on one line; code and links as they are written
};

/// A heading, a link's target or a span of code, as written.
struct Mark {
  int line = 0;
  std::string text;
};

/// A fenced block; `language` is the word behind the fence.
struct Fence {
  int line = 0;
  std::string language, text;
};

/// A Markdown file taken apart as far as our pages use Markdown: `#` headings, paragraphs, lists, tables,
/// fences, inline code and inline links.
struct MarkdownPage {
  std::vector<TextBlock> blocks;
  std::vector<Mark> headings;  // without their marks
  std::vector<Mark> links;     // targets
  std::vector<Mark> codes;     // between backticks, outside fences
  std::vector<Fence> fences;
};

MarkdownPage readMarkdown(std::string_view text);

/// A sentence ends at `.`, `!` or `?` before a blank and a capital letter, digit, backtick or bracket, or at
/// the end.
std::vector<std::string> sentences(const std::string& text);

/// Words between blanks that hold a letter or digit. A span of code is one word, and so is a link's target
/// left out.
std::size_t wordCount(const std::string& text);

/// The anchor that GitHub gives a heading: lower case, blanks to hyphens, marks left out.
std::string anchorOf(const std::string& heading);

}  // namespace halo
