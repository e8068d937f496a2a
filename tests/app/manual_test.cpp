#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/program/known.h"
#include "engine/experiment/band.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/figure_file.h"
#include "engine/experiment/toml_text.h"
#include "engine/methods/contract/method_entry.h"
#include "tests/app/manual_line.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

std::string manual(const std::string& page) {
  std::ifstream in(std::filesystem::path(kSourceDir) / "resources/manual" / page);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the manual has the line of every key of an experiment file as its declaration says it",
          "[manual]") {
  for (const Section& section : keyedSections()) {
    const Declaration& declared = section.declaration;
    CAPTURE(declared.name);
    const std::string name(declared.name);
    const std::string part = manual("reference/experiment/" + name + ".md");
    CHECK(part.rfind("# [" + name + "]: " + std::string(declared.help) + "\n", 0) == 0);
    std::string lines = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n";
    for (const Key& key : section.keys) lines += test::manualLine(key) + "\n";
    CHECK_THAT(part, Catch::Contains(lines));
  }
}

TEST_CASE("the manual has every method with its parameters and their defaults", "[manual]") {
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    CAPTURE(name);
    const std::string part = manual("reference/methods/" + name + ".md");
    CHECK(part.rfind("# `" + name + "`\n", 0) == 0);
    for (const Parameter& parameter : entry.declaration.parameters) {
      CAPTURE(parameter.key);
      CHECK(part.find("| `" + std::string(parameter.key) + "` | `" + toText(fallback(parameter)) + "` |") !=
            std::string::npos);
    }
  }
}

TEST_CASE("the manual has every key of every kind of simulation, and every model with its figures",
          "[manual]") {
  const auto check = [](const std::string& page, const std::string& title, const Declaration& declaration,
                        const Values& values) {
    CAPTURE(page, title);
    const std::string part = manual("reference/" + page + ".md");
    CHECK(part.rfind("# " + title + "\n", 0) == 0);
    for (const Parameter& parameter : declaration.parameters) {
      CAPTURE(parameter.key);
      const auto value = values.find(parameter.key);  // none: files of several names give it
      const std::string row = "| `" + std::string(parameter.key) + "` |" +
                              (value == values.end() ? "" : " `" + toText(value->second) + "` |");
      CHECK(part.find(row) != std::string::npos);
    }
  };
  for (const SimulationKind& kind : knownHere().simulations) {
    const Declaration& declaration = kind.declaration;
    const std::string name(declaration.name);
    check("experiment/simulate-" + name, "[[simulate]] `" + name + "`", declaration,
          fallbacks(declaration.parameters));
    for (const FigureKey& key : kind.figures)
      for (const Declaration& model : key.models) {
        // a file that ships gives the figures; the declaration has none
        const auto file = key.folder / (std::string(model.name) + ".toml");
        const Values values =
            std::filesystem::exists(file) ? readFigureFile(file, key.header, key.models).figures : Values();
        check("simulator/" + std::string(model.name), "`" + std::string(model.name) + "`", model, values);
      }
  }
}

TEST_CASE("every method runs with its name alone", "[manual]") {
  const Known known = knownHere();
  const auto runOf = [&](const std::string& method, const std::string& more) {
    const std::string text =
        "schema = 1\n[dataset]\nname = \"karate\"\n[[run]]\nmethod = \"" + method + "\"\n";
    return parseExperiment(text + more, "alone.toml", known).runs.at(0);
  };
  for (const Declaration& method : known.methods) {
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
      derived += figure.derived.empty() ? 0 : 1;
      if (figure.value && figure.derived.empty())
        for (const char* words : {"read off", "no figure", "printed by itself", "ratio of two printed"})
          CHECK((figure.because + figure.note).find(words) == std::string::npos);
      orders += figure.counts == Published::Counts::order ? 1 : 0;
      calibrated += figure.calibrated ? 1 : 0;
    }
  }
  // who adds an order takes care that no number is printed; these were 235, 103 and 0 before
  CHECK(figures == 227);
  CHECK(bounds == 5);
  CHECK(derived == 24);
  CHECK(orders == 58);
  CHECK(calibrated == 41);
}
