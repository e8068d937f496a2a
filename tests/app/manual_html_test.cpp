// What packaging/manual.sh makes of the manual, where lowdown is installed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "tests/support/pages.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

/// The values of an attribute, as written.
std::vector<std::string> valuesOf(const std::string& html, const std::string& attribute) {
  const std::string begin = attribute + "=\"";
  std::vector<std::string> values;
  for (auto at = html.find(begin); at != std::string::npos; at = html.find(begin, at + 1)) {
    const auto first = at + begin.size();
    values.push_back(html.substr(first, html.find('"', first) - first));
  }
  return values;
}

std::string fileText(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the manual becomes HTML whose links hold, and man pages of the reference", "[manual]") {
  if (test::run({"sh", "-c", "command -v lowdown"}).status != 0) {
    WARN("SKIPPED: lowdown is not installed");
    return;
  }
  const Scratch folder;
  const fs::path source = kSourceDir, output = folder / "made";
  const auto ended = test::run({(source / "packaging/manual.sh").string(),
                                (source / "resources/manual").string(), output.string(), "0.1.0"});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  std::map<fs::path, std::string> pages;
  for (const fs::path& page : pagesBelow("resources/manual")) {
    const fs::path html = output / "html" / fs::relative(page, "resources/manual").replace_extension(".html");
    REQUIRE(fs::exists(html));
    pages[html] = fileText(html);
  }
  for (const auto& [page, text] : pages) {
    CAPTURE(page.string());
    CHECK(text.find("{#") == std::string::npos);  // an anchor that was not read as such
    for (const std::string& link : valuesOf(text, "href")) {
      if (link.starts_with("http")) continue;
      CAPTURE(link);
      const auto hash = link.find('#');
      const std::string file = link.substr(0, hash);
      const fs::path target = file.empty() ? page : (page.parent_path() / file).lexically_normal();
      CHECK(fs::exists(target));
      if (hash == std::string::npos) continue;
      const auto headings = valuesOf(pages[target], "id");
      CHECK(std::ranges::count(headings, link.substr(hash + 1)) == 1);
    }
  }
  for (const char* page : {"man1/haloscope.1", "man1/haloscope-run.1", "man1/haloscope-desktop.1",
                           "man5/haloscope-experiment-cluster.5", "man7/haloscope-methods-pipegcn.7"}) {
    CAPTURE(page);
    const std::string text = fileText(output / "man" / page);
    CHECK_THAT(text, Catch::Contains(".SH\nNAME"));
    CHECK(text.find("<!--") == std::string::npos);
  }
  CHECK_THAT(fileText(output / "man/man1/haloscope-run.1"),
             Catch::Contains("Checks every file, then trains"));
  CHECK_THAT(fileText(output / "man/man1/haloscope-delete.1"), Catch::Contains("only with --force"));
  CHECK_THAT(fileText(output / "man/man1/haloscope-simulate.1"),
             Catch::Contains("simulations ([[simulate]])"));
}
