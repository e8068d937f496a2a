// Comments are read as pages are: no sentence is out of breath.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <sstream>

#include "tests/support/pages.h"
#include "tests/support/prose.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestSentence = 30;  // with what counts as words in formulas; people aim at 25

/// What a line of comment says; none: the line is none, or one of code with a comment behind it.
std::optional<std::string> commentOn(const std::string& line) {
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line.compare(begin, 2, "//") != 0) return std::nullopt;
  return line.substr(line.find_first_not_of('/', begin) == std::string::npos
                         ? line.size()
                         : line.find_first_not_of('/', begin));
}

/// Lines that are read on: an empty line, one that is drawn in, as a formula is, or one of a table ends them.
std::vector<TextBlock> commentsOf(const std::string& text) {
  std::vector<TextBlock> blocks;
  bool goesOn = false;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::optional<std::string> comment = commentOn(line);
    const bool isProse =
        comment && comment->size() > 1 && (*comment)[0] == ' ' && comment->find("  ") == std::string::npos;
    if (isProse && goesOn)
      blocks.back().text += *comment;
    else if (isProse)
      blocks.push_back({number, TextBlock::Kind::paragraph, comment->substr(1)});
    goesOn = isProse;
  }
  return blocks;
}

}  // namespace

TEST_CASE("a comment is read on to its empty line, without code and formulas", "[prose]") {
  const auto blocks =
      commentsOf("int a;\n// One\n// two.\n//\n///  a = b\n/// Three\n/// x   in columns\nint b;  // four\n");
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].text == "One two.");
  CHECK(blocks[0].line == 2);
  CHECK(blocks[1].text == "Three");
}

TEST_CASE("no comment has a sentence out of breath", "[prose]") {
  std::size_t read = 0;
  for (const char* folder : {"app", "datasets", "engine", "simulator", "views"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(kSourceDir) / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".h" && ending != ".cpp") continue;
      const std::string name = fs::relative(entry.path(), kSourceDir).string();
      for (const TextBlock& block : commentsOf(pageText(name)))
        for (const std::string& sentence : sentences(block.text)) {
          ++read;
          if (wordCount(sentence) <= kLongestSentence) continue;
          FAIL_CHECK(name << ":" << block.line << ": " << wordCount(sentence) << " words: " << sentence);
        }
    }
  CHECK(read > 5000);
}
