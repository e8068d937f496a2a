// Names with anything in them on their way to a terminal and into JSON.
#include <catch2/catch.hpp>
#include <sstream>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"
#include "tests/support/csv.h"
#include "tests/support/hostile_names.h"

using namespace halo;
using test::holds;
using test::Program;

namespace {

/// A completed run for each name, in which everything that can be named is called so.
void record(const Program& haloscope, const std::vector<std::string>& names) {
  Database database(haloscope.folder() / "recordings.db", Access::create);
  Runs runs(database);
  for (const std::string& name : names) {
    RunRow run;
    run.experimentId = runs.addExperiment(name, "name = 'x'\n");
    for (std::string* text : {&run.name, &run.method, &run.dataset, &run.model, &run.error, &run.marks,
                              &run.host, &run.version, &run.tags})
      *text = name;
    run.status = "failed";
    const std::int64_t id = runs.add(run);
    WorkerRow worker;
    worker.host = worker.role = name;
    runs.setWorkers(id, {worker});
    runs.setParameters(id, {{"dataset." + name, name}});
    runs.setLatest(id, {{"loss", 1}, {name, 1}});
    runs.addArtifact(id, {name, name, name});
  }
}

/// Nothing that a terminal would obey, nothing that is no text.
bool isHarmless(const std::string& text) { return visible(text) == text; }

}  // namespace

TEST_CASE("no name of a recording steers the terminal, whatever prints it", "[app]") {
  const Program haloscope;
  const std::vector<std::string> names = test::hostileNames();
  record(haloscope, names);
  const std::string last = std::to_string(names.size());
  for (const std::vector<std::string>& command : {std::vector<std::string>{"list"},
                                                  {"check"},
                                                  {"compare", "1", last, "13", "14"},
                                                  {"tag", "13"},
                                                  {"show", "13"},
                                                  {"show", "14"},
                                                  {"show", "15"},
                                                  {"show", "16"},
                                                  {"list", "--json"},
                                                  {"show", "13", "--json"},
                                                  {"compare", "13", "14", "15", "16", "17", "--json"}}) {
    CAPTURE(command);
    const test::Ended ended = haloscope(command);
    CHECK((ended.out + ended.error).size() > 10);
    CHECK(isHarmless(ended.out));
    CHECK(isHarmless(ended.error));
    if (command.back() == "--json") CHECK_NOTHROW(test::jsonLines(ended.out));
  }
}

TEST_CASE("a name with line ends takes one line of the list, and is whole in JSON", "[app]") {
  const Program haloscope;
  const std::vector<std::string> names = test::hostileNames();
  record(haloscope, names);
  const std::string list = haloscope({"list"}).out;
  const std::ptrdiff_t others = 2;  // the head, and in what the runs differ
  CHECK(std::ranges::count(list, '\n') == static_cast<std::ptrdiff_t>(names.size()) + others);
  CHECK(holds(list, "line 1\\u000Aline 2\\u000D\\u000Aline 3"));
  const auto lines = test::jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(lines.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (validUtf8(names[i]) == names[i]) CHECK(lines[i].at("name") == names[i]);
}

TEST_CASE("an error of several lines takes one line of what `show` prints, and is whole in JSON", "[app]") {
  const Program haloscope;
  const std::string error = "the card does not build:\nline 1;\r\n\n  line 2\x1b[2J\n";
  record(haloscope, {error});
  CHECK(holds(haloscope({"show", "1"}).out, "the card does not build: line 1; line 2\\u001B[2J\n"));
  CHECK(test::jsonLines(haloscope({"show", "1", "--json"}).out).at(0).at("error") == error);
}

TEST_CASE("what is asked for byte by byte is given so, into a file or pipe", "[app]") {
  const Program haloscope;
  record(haloscope, {"x"});
  {
    Database database(haloscope.folder() / "recordings.db", Access::readWrite);
    Runs(database).addArtifact(1, {"log", "text/plain", "red \x1b[31m\xff\n"});
  }
  CHECK(haloscope({"show", "1", "--log"}).out == "red \x1b[31m\xff\n");
}

TEST_CASE("the name of an experiment that would steer the terminal is refused without doing so", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("e.toml", R"(schema = 1
name = "red \u001b[31m\nrun 9 (9/9): forged"
[dataset]
name = "karate"
[training]
epochs = 1
[[run]]
method = "single"
)");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run", file, "--dry-run"}, {"run", file}, {"run", file, "--resume"}}) {
    CAPTURE(command);
    const test::Ended ended = haloscope(command);
    CAPTURE(ended.out, ended.error);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(isHarmless(ended.error));
    CHECK(holds(ended.error, "e.toml:2:8: name: 'red \\u001B[31m\\nrun 9 (9/9): forged'"));
  }
}

TEST_CASE("an export for a spreadsheet keeps text from being a formula", "[app]") {
  const Program haloscope;
  record(haloscope, {"=1+1"});
  const auto nameIn = [&](const std::string& folder) {
    std::ostringstream text;
    text << std::ifstream(haloscope.folder() / folder / "run-1" / "run.csv").rdbuf();
    return test::Csv(text.str()).at(0, "name");
  };
  CHECK(haloscope({"export", "1", "--format", "csv", "-o", "plain"}).status == 0);
  CHECK(nameIn("plain") == "=1+1");
  CHECK(haloscope({"export", "1", "--format", "csv", "--for", "spreadsheet", "-o", "sheet"}).status == 0);
  CHECK(nameIn("sheet") == "'=1+1");
  const test::Ended wrong =
      haloscope({"export", "1", "--format", "chrome-trace", "--for", "spreadsheet", "-o", "t"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.error, "--for: goes with --format csv alone"));
  CHECK(haloscope({"export", "1", "--format", "csv", "--for", "nobody", "-o", "n"}).status == 2);
}

TEST_CASE("what only reads a recording leaves nothing beside it", "[app]") {
  const Program haloscope;
  record(haloscope, {"x", "y"});
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(haloscope.folder()))
      if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
    return names;
  };
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"list"}, {"check"}, {"show", "1"}, {"compare", "1", "2"}}) {
    CAPTURE(command);
    haloscope(command);
    CHECK(files() == std::vector<std::string>{"recordings.db"});
  }
}
