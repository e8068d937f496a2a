// A key that is declared in one place is found in every place that has keys. The form's test is in
// tests/views.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>

#include "app/commands/command.h"
#include "app/reference/key_line.h"
#include "tests/engine/experiment/known.h"
#include "tests/support/toy_section.h"

using namespace halo;
using namespace halo::test;

namespace {

const std::string kRuns = "[[run]]\nmethod = \"vanilla\"\n";

/// What `haloscope methods NAME` prints.
std::string methodsOf(const std::string& name) {
  CLI::App app;
  Common common;
  Action action;
  addMethods(app, common, action);
  app.parse("methods " + name);
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stdout);
  const int savedStdout = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  const int status = action();
  std::fflush(stdout);
  ::dup2(savedStdout, STDOUT_FILENO);
  ::close(savedStdout);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  CHECK(status == 0);
  return text;
}

}  // namespace

TEST_CASE("a key that is declared once is read, checked, swept and set", "[experiment][keys]") {
  const std::string text = "schema = 1\n[toy]\nweight_gib = 2.5\n" + kRuns;
  CHECK_THAT(problemsOf(text), Catch::StartsWith("a.toml:2:2: toy: unknown key"));
  const AddedSection added(kToy);
  CHECK(problemsOf(text).empty());
  CHECK(toyWeight() == 2.5);
  parse("schema = 1\n" + kRuns);
  CHECK(toyWeight() == 0.5);
  CHECK(problemsOf("schema = 1\n[toy]\nweight_gib = 9\n" + kRuns) ==
        "a.toml:3:14: toy.weight_gib: 9 cannot be used; a number from 0 to 8");
  CHECK_THAT(problemsOf("schema = 1\n[toy]\nweigth_gib = 1\n" + kRuns),
             Catch::Contains("did you mean 'weight_gib'?"));
  CHECK_THAT(problemsOf("schema = 1\n[model]\nweight_gib = 1\n" + kRuns),
             Catch::Contains("`weight_gib` is a key of [toy]"));
  CHECK(parse("schema = 1\n" + kRuns + "[sweep]\n\"toy.weight_gib\" = [1, 2]\n").runs.size() == 2);
  parse("schema = 1\n" + kRuns, {{"toy.weight_gib", "4"}});
  CHECK(toyWeight() == 4.0);
}

TEST_CASE("a key that is declared once is flattened and handed to the workers", "[experiment][keys]") {
  const auto runOf = [](const std::string& weight) {
    return parse("schema = 1\n" + kRuns, {{"toy.weight_gib", weight}}).runs.at(0);
  };
  const std::string before = runFromJson(toJson(RunSettings())).fingerprint();
  const AddedSection added(kToy);
  CHECK(runOf("0.5").flat().at("toy.weight_gib") == "0.5");
  const RunSettings run = runOf("2.5");
  CHECK(run.flat().at("toy.weight_gib") == "2.5");
  CHECK(run.fingerprint() != before);
  const std::string json = toJson(run);
  CHECK_THAT(json, Catch::Contains(R"("toy":{"weight_gib":2.5})"));
  toyWeight() = 1.0;
  CHECK(runFromJson(json).flat().at("toy.weight_gib") == "2.5");
}

TEST_CASE("a key that is declared once has its help and its line of the manual", "[experiment][keys]") {
  toyWeight() = 0.5;
  const AddedSection added(kToy);
  const std::string help = methodsOf("toy");
  CHECK_THAT(help, Catch::StartsWith("section toy: what is played with\n"));
  CHECK_THAT(help, Catch::Matches("[^]*weight_gib +0.5 +0 to 8 +how much of the memory the toy takes[^]*"));
  CHECK(manualLine(*keyNamed("toy", "weight_gib")) ==
        "| `weight_gib` | `0.5` | 0.0 to 8.0 GiB | how much of the memory the toy takes |");
}

TEST_CASE("a default stands where the member is, and in a row only for a member without one",
          "[experiment][keys]") {
  std::vector<std::string> declared;
  for (const Section& section : keyedSections())
    for (const Key& key : section.keys) {
      const std::string name = std::string(section.declaration.name) + "." + std::string(key.name());
      const bool kept = key.member != nullptr && writtenText(key, RunSettings()) != "\"\"";
      if (!kept && toText(fallback(key.parameter)) != "\"\"") declared.push_back(name);
    }
  CHECK(declared == std::vector<std::string>{"dataset.name"});
}
