#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "app/program/known.h"
#include "app/reference/pages.h"
#include "engine/experiment/band.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/toml_text.h"
#include "tests/support/pages.h"

using namespace halo;

TEST_CASE("the manual says what the declarations say", "[manual]") {
  for (const ChangedPage& changed : changedPages(std::filesystem::path(kSourceDir) / "resources/manual"))
    FAIL_CHECK("resources/manual/" << changed.page.string() << " does not say what the declarations say; "
                                   << "`ninja -C build/release reference` puts it right");
}

TEST_CASE("pages of sections are called as their declarations say", "[manual]") {
  for (const Declaration& section : sections()) {
    const std::string name(section.name);
    const std::string text = pageText("resources/manual/reference/experiment/" + name + ".md");
    CHECK(text.starts_with("# [" + name + "]: " + std::string(section.help) + "\n"));
  }
}

TEST_CASE("what stands between marks of the manual is made anew, and nothing else", "[manual]") {
  const std::string page = "# A\nours\n<!-- declared: options check -->\nold\n<!-- end -->\n\nours too\n";
  CHECK(filledPage(page, "a.md") ==
        "# A\nours\n<!-- declared: options check -->\nNone of its own.\n<!-- end -->\n\nours too\n");
  CHECK_THROWS_WITH(filledPage("<!-- declared: options chekc -->\n<!-- end -->\n", "a.md"),
                    "a.md:1:1: options chekc: nothing is declared by this name");
  CHECK_THROWS_WITH(filledPage("x\n<!-- declared: options check -->\n", "a.md"),
                    Catch::StartsWith("a.md:2:1: options check: the mark has no end"));
}

TEST_CASE("every method runs with its name alone", "[manual]") {
  const Known declarations = knownHere();
  const auto runOf = [&](const std::string& method, const std::string& more) {
    const std::string text =
        "schema = 1\n[dataset]\nname = \"karate\"\n[[run]]\nmethod = \"" + method + "\"\n";
    return parseExperiment(text + more, "alone.toml", declarations).runs.at(0);
  };
  for (const Declaration& method : declarations.methods) {
    CAPTURE(method.name);
    const RunSettings run = runOf(std::string(method.name), "");
    CHECK(run.cluster.workers == (method.name == "moa" ? 2 : 1));
  }
  CHECK(runOf("moa", "cluster.workers = 4\n").cluster.workers == 4);
  CHECK_THROWS_AS(runOf("moa", "cluster.workers = 1\n"), InputError);
}

TEST_CASE("every experiment that ships can be read and has runs", "[manual]") {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "resources/experiments")) {
    CAPTURE(entry.path().string());
    const Experiment experiment = readExperiment(entry.path(), knownHere());
    CHECK(experiment.runs.size() + experiment.simulations.size() > 0);
  }
}

TEST_CASE("one set of assumptions counts for all figures of a paper that ship", "[manual]") {
  std::map<std::array<std::string, 3>, std::set<std::string>> counted;  // by paper, key and device
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "resources/experiments")) {
    const std::string name = entry.path().filename().string();
    for (const Published& figure : readPublished(readTomlFile(entry.path(), "an experiment file")).figures) {
      CAPTURE(name, figure.where);
      CHECK(figure.counted.size() == figure.assuming.size());
      const auto device = figure.numerator.find("simulate.device");
      for (const auto& [key, value] : figure.counted)
        counted[{name.substr(0, name.find('-')), key, device == figure.numerator.end() ? "" : device->second}]
            .insert(value);
    }
  }
  CHECK(counted.size() > 10);
  for (const auto& [key, values] : counted) {
    CAPTURE(key[0], key[1], key[2]);
    CHECK(values.size() == 1);
  }
}

TEST_CASE("the published figures that ship keep the rules of their bands; few are orders", "[manual]") {
  std::size_t figures = 0, orders = 0, calibrated = 0, derived = 0, bounds = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "resources/experiments")) {
    const PublishedFigures read = readPublished(readTomlFile(entry.path(), "an experiment file"));
    CAPTURE(entry.path().string(), read.unread);
    CHECK(read.unread.empty());
    for (const Published& figure : read.figures) {
      CAPTURE(figure.where);
      CHECK(bandFaults(figure).empty());
      if (figure.counts == Published::Counts::bound) {  // another file counts it
        ++bounds;
        continue;
      }
      ++figures;
      derived += figure.derived.empty() ? 0U : 1U;
      if (figure.value && figure.derived.empty())
        for (const char* words : {"read off", "no figure", "printed by itself", "ratio of two printed"})
          CHECK((figure.because + figure.note).find(words) == std::string::npos);
      orders += figure.counts == Published::Counts::order ? 1 : 0;
      calibrated += figure.calibrated ? 1 : 0;
    }
  }
  // who adds an order takes care that no number is printed; these were 235, 103 and 0 before
  CHECK(figures == 259);
  CHECK(bounds == 10);
  CHECK(derived == 64);
  CHECK(orders == 80);
  CHECK(calibrated == 41);
}
