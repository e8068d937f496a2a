#include "tests/support/prose.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "app/program/known.h"
#include "engine/experiment/experiment.h"
#include "tests/support/pages.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestSentence = 35, kLongSentence = 25, kLongestParagraph = 90;
constexpr std::size_t kLongestLimit = 60, kLongestDecision = 150, kLongestBullet = 25;

std::string place(const fs::path& page, int line) { return page.string() + ":" + std::to_string(line); }

std::size_t wordsOf(const MarkdownPage& page) {
  std::size_t words = 0;
  for (const TextBlock& block : page.blocks) words += wordCount(block.text);
  return words;
}

/// The parts of a page below its headings `### `, each with its heading.
std::vector<std::string> entries(const std::string& text) {
  std::vector<std::string> sections;
  for (auto at = text.find("\n### "); at != std::string::npos;) {
    const auto next = text.find("\n### ", at + 1);
    sections.push_back(text.substr(at + 1, next == std::string::npos ? next : next - at));
    at = next;
  }
  return sections;
}

}  // namespace

TEST_CASE("a sentence ends before a capital, never inside code or after an abbreviation", "[prose]") {
  CHECK(sentences("One. Two `a. B` three. Four") ==
        std::vector<std::string>{"One.", "Two `a. B` three.", "Four"});
  CHECK(sentences("Wan et al. Say 1.5 times. `x` is.").size() == 2);
  CHECK(sentences("It is 0.5 % of 3.") == std::vector<std::string>{"It is 0.5 % of 3."});
}

TEST_CASE("words are counted without marks, code as one, links without their targets", "[prose]") {
  CHECK(wordCount("a `b c d` e") == 3);
  CHECK(wordCount("see [two words](a/b c.md#d), done") == 4);
  CHECK(wordCount("n · 4 − 1") == 3);
}

TEST_CASE("a page is taken apart into what is read at one go", "[prose]") {
  const MarkdownPage page = readMarkdown(
      "# `a`: b\n\nOne\ntwo.\n- item\n  goes on\n- [x](y.md)\n\n| a | `b|c` |\n| --- | --- |\n"
      "```toml\nk = 1\n```\nLast.\n");
  REQUIRE(page.blocks.size() == 6);
  CHECK(page.blocks[0].text == "One two.");
  CHECK(page.blocks[1].text == "item goes on");
  CHECK(page.blocks[4].text == "`b|c`");
  CHECK(page.headings.at(0).text == "`a`: b");
  CHECK(page.links.at(0).text == "y.md");
  CHECK(page.fences.at(0).text == "k = 1\n");
  CHECK(anchorOf(page.headings[0].text) == "a-b");
}

TEST_CASE("no page has a sentence or paragraph out of breath", "[manual][prose]") {
  for (const fs::path& name : allPages()) {
    const MarkdownPage page = readMarkdown(pageText(name));
    std::vector<std::size_t> lengths;
    for (const TextBlock& block : page.blocks) {
      CAPTURE(place(name, block.line));
      CHECK(wordCount(block.text) <= kLongestParagraph);
      for (const std::string& sentence : sentences(block.text)) {
        CAPTURE(sentence);
        const std::size_t words = wordCount(sentence);
        CHECK(words <= kLongestSentence);
        if (block.kind != TextBlock::Kind::cell) lengths.push_back(words);
      }
    }
    if (lengths.size() < 10) continue;  // a tenth of fewer is nobody
    CAPTURE(name.string());
    const auto ninth = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() * 9 + 9) / 10 - 1);
    std::nth_element(lengths.begin(), ninth, lengths.end());
    CHECK(*ninth <= kLongSentence);
  }
}

TEST_CASE("limits, decisions and changes are as short as they promise", "[manual][prose]") {
  for (const fs::path& name : pagesBelow("resources/manual/limits"))
    for (const std::string& entry : entries(pageText(name))) {
      CAPTURE(name.string(), entry);
      CHECK(wordsOf(readMarkdown(entry)) <= kLongestLimit);
    }
  const std::string index = pageText("resources/design/decisions/index.md");
  for (const fs::path& name : pagesBelow("resources/design/decisions")) {
    if (name.filename() == "index.md") continue;
    CAPTURE(name.string());
    const std::string text = pageText(name);
    CHECK(wordsOf(readMarkdown(text)) <= kLongestDecision);
    for (const char* part : {"**Context.** ", "**Choice.** ", "**Consequence.** "})
      CHECK(text.find(part) != std::string::npos);
    CHECK(index.find("](" + name.filename().string() + ")") != std::string::npos);
  }
  for (const TextBlock& block : readMarkdown(pageText("CHANGELOG.md")).blocks) {
    CAPTURE(place("CHANGELOG.md", block.line), block.text);
    CHECK(wordCount(block.text) <= kLongestBullet);
  }
}

TEST_CASE("every link of a page leads to a file and to a heading in it", "[manual]") {
  const fs::path root = kSourceDir;
  for (const fs::path& name : allPages())
    for (const Mark& link : readMarkdown(pageText(name)).links) {
      if (link.text.rfind("http", 0) == 0) continue;
      CAPTURE(place(name, link.line), link.text);
      const auto hash = link.text.find('#');
      const std::string file = link.text.substr(0, hash);
      const fs::path target = file.empty() ? name : (name.parent_path() / file).lexically_normal();
      CHECK(fs::exists(root / target));
      if (hash == std::string::npos) continue;
      const MarkdownPage page = readMarkdown(pageText(target));
      CHECK(std::any_of(page.headings.begin(), page.headings.end(), [&](const Mark& heading) {
        return anchorOf(heading.text) == link.text.substr(hash + 1);
      }));
    }
}

TEST_CASE("every page of the manual can be reached from its index", "[manual]") {
  std::vector<fs::path> reached = {"resources/manual/index.md"};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const Mark& link : readMarkdown(pageText(reached[i])).links) {
      const fs::path target =
          (reached[i].parent_path() / link.text.substr(0, link.text.find('#'))).lexically_normal();
      if (target.extension() == ".md" && std::find(reached.begin(), reached.end(), target) == reached.end())
        reached.push_back(target);
    }
  for (const fs::path& name : pagesBelow("resources/manual")) {
    CAPTURE(name.string());
    CHECK(std::find(reached.begin(), reached.end(), name) != reached.end());
  }
}

TEST_CASE("every whole experiment on a page can be read", "[manual]") {
  const Known declarations = knownHere();
  for (const fs::path& name : allPages())
    for (const Fence& fence : readMarkdown(pageText(name)).fences) {
      if (fence.language != "toml" || fence.text.rfind("schema = 1\n", 0) != 0) continue;
      CAPTURE(place(name, fence.line));
      CHECK_NOTHROW(parseExperiment(fence.text, name.string(), declarations));
    }
}
