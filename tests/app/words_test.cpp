// Mistyped words of the command line are told with what may have been meant; hostile TOML ends nothing.
#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;
using Catch::Contains;

namespace {

std::string deep(int levels = 50'000) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += "a.";
  return text + "a = 1\n";
}

const char* const kTooDeep = "nested too deeply; at most 64 levels";

/// The recorded text of every experiment, replaced.
void replaceText(const Program& haloscope, const std::string& text) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &database) == SQLITE_OK);
  sqlite3_stmt* update = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, "UPDATE experiment SET text = ?", -1, &update, nullptr) == SQLITE_OK);
  sqlite3_bind_text(update, 1, text.c_str(), -1, SQLITE_TRANSIENT);
  CHECK(sqlite3_step(update) == SQLITE_DONE);
  sqlite3_finalize(update);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("a mistyped word of the command line is told with the nearest that is right", "[app]") {
  const Program haloscope;
  const auto [words, hint] = GENERATE(table<std::vector<std::string>, std::string>(
      {{{"rnu"}, "'rnu' is not a command; did you mean 'run'?"},
       {{"dataset", "inof"}, "'inof' is not a command of `haloscope dataset`; did you mean 'info'?"},
       {{"dataset", "inof", "karate"}, "did you mean 'info'?"},
       {{"dataset", "info", "karat"}, "did you mean 'karate'?"},
       {{"dataset", "info", "karate", "--fromat", "ogb"}, "did you mean '--format'?"},
       {{"run", "x.toml", "--worker", "2"}, "'--worker' is not an option of `haloscope run`"},
       {{"run", "--dry", "x.toml"}, "did you mean '--dry-run'?"},
       {{"list", "--stauts", "failed"}, "did you mean '--status'?"},
       {{"list", "--status", "fialed"}, "did you mean 'failed'?"},
       {{"list", "-q"}, "'-q' is not an option of `haloscope list`"},
       {{"--json", "list", "-q"}, "'-q' is not an option of `haloscope list`"},
       {{"--json", "dataset", "info", "karate", "-q"}, "'-q' is not an option of `haloscope dataset info`"},
       {{"export", "1", "--format", "cvs", "-o", "x"}, "did you mean 'csv'?"},
       {{"export", "1", "-o", "x", "--formt", "csv"}, "did you mean '--format'?"},
       {{"completion", "bsah"}, "did you mean 'bash'?"},
       {{"dataset", "convert", "karate", "-o", "x", "--to", "metsi"}, "did you mean 'metis'?"},
       {{"dataset", "generate", "redit-like", "-o", "x"}, "did you mean 'reddit-like'?"},
       {{"partition", "karate", "--parts", "2", "--balance", "nonzeroes"}, "did you mean 'nonzeros'?"},
       {{"partition", "karate", "--parts", "2", "--method", "metsi"}, "did you mean 'metis'?"},
       {{"partition", "karate", "--parts", "2", "--set", "largest=2"},
        "'metis' has no such key; connectivity has"},
       {{"list", "runs.db"}, "a recording is named by --db: `haloscope --db runs.db list`"},
       {{"--json", "check", "runs.db"}, "`haloscope --db runs.db check`"},
       {{"list", "--status", "failed", "runs.db"}, "'runs.db' is more than `haloscope list` takes"},
       {{"methods", "vanila"}, "did you mean 'vanilla'?"}}));
  CAPTURE(words);
  const Ended ended = haloscope(words);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.error, Contains(hint));
}

TEST_CASE("help and version are given beside words that are wrong", "[app]") {
  const Program haloscope;
  CHECK(haloscope({"dataset", "info", "--help"}).status == 0);
  CHECK(haloscope({"dataset", "--help"}).status == 0);
  CHECK(haloscope({"--version"}).status == 0);
}

TEST_CASE("a key in the wrong place says where it belongs, among all that the program knows", "[app]") {
  const Program haloscope;
  const auto [lines, message] = GENERATE(table<std::string, std::string>(
      {{"[[run]]\nmethod = \"vanilla\"\nworkers = 4\n",
        "a.toml:4:1: run.workers: `workers` is a key of [cluster]. To vary it by run, use [sweep] with "
        "\"cluster.workers\".\n"},
       {"workers = 4\n[[run]]\nmethod = \"vanilla\"\n",
        "a.toml:2:1: workers: `workers` is a key of [cluster]\n"},
       {"[cluster]\nepochs = 4\n[[run]]\nmethod = \"vanilla\"\n",
        "a.toml:3:1: cluster.epochs: `epochs` is a key of [training]\n"},
       {"[[run]]\nmethod = \"vanilla\"\nsmoothing = \"both\"\n",
        "run.smoothing: `smoothing` is a key of the method pipegcn."},
       {"[partition]\ncycles = 3\n[[run]]\nmethod = \"vanilla\"\n",
        "partition.cycles: `cycles` is a key of the partitioner connectivity."},
       {"[model]\nslices = 3\n[[run]]\nmethod = \"vanilla\"\n",
        "model.slices: `slices` is a key of [[simulate]] with device"},
       {"[[run]]\nmethod = \"vanilla\"\nrun.workers = 2\n",
        "a.toml:4:5: run.run.workers: `workers` is a key of [cluster]. To vary it by run, use [sweep] with "
        "\"cluster.workers\".\n"},
       {"[[run]]\nmethod = \"pipegcn\"\nrun.smoothing = \"both\"\n",
        "a.toml:4:5: run.run.smoothing: inside [[run]] write `smoothing` without `run.`\n"}}));
  const Ended ended = haloscope({"run", haloscope.file("a.toml", "schema = 1\n" + lines), "--dry-run"});
  CHECK(ended.status == 2);
  CHECK_THAT(ended.error, Contains(message));
}

TEST_CASE("a wrong --only names the nearest method of the file", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.experiment(1, 1), "--only", "vanila", "--dry-run"});
  CHECK(ended.status == 2);
  CHECK_THAT(ended.error, Contains("did you mean 'vanilla'?"));
}

TEST_CASE("files of TOML with levels without end are refused with their place", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("deep.toml", "schema = 1\n" + deep());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", file}, {"run", file, "--dry-run"}, {"simulate", file}}) {
    const Ended ended = haloscope(words);
    CHECK(ended.status == 2);
    CHECK_THAT(ended.error, Contains("deep.toml:2:") && Contains(kTooDeep));
  }
  const std::string device = haloscope.file(
      "device.toml",
      "schema = 1\n[[simulate]]\ndevice = \"deep.toml\"\n[[simulate]]\ncluster = \"deep.toml\"\n");
  const Ended simulated = haloscope({"simulate", device});
  CHECK(simulated.status == 2);
  CHECK_THAT(simulated.error, Contains("deep.toml:2:") && Contains(kTooDeep));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("a recorded text with levels without end is damage that compare tells", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  replaceText(haloscope, "schema = 1\n" + deep());
  const Ended compared = haloscope({"compare", "1"});
  CHECK(compared.status == 4);
  CHECK_THAT(compared.error,
             Contains("recordings.db: experiment: the recorded experiment:2:") && Contains(kTooDeep));
  CHECK_THAT(compared.out, Contains("vanilla"));  // the figures are told
  CHECK(haloscope({"list"}).status == 0);
  CHECK(haloscope({"show", "1"}).status == 0);
}

TEST_CASE("a file of thresholds that tests nothing is refused", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  const auto [text, message] = GENERATE(table<std::string, std::string>(
      {{"", "gate.toml: holds no threshold"},
       {"[loss]\n", "gate.toml:1:2: loss: has no limit"},
       {"[loss]\nmax = nan\n", "gate.toml:2:7: loss.max: nan cannot be used; numbers"},
       {"[loss]\nmax = inf\n", "gate.toml:2:7: loss.max: inf cannot be used; numbers"},
       {"[loss]\nmax = true\n", "gate.toml:2:7: loss.max: true cannot be used; numbers"},
       {"[loss]\nmaximum = 1\n", "gate.toml:2:1: loss.maximum: unknown key; "},
       {"[loss]\nmin = 2\nmax = 1\n", "gate.toml:1:2: loss: min is above max"},
       {"max = 1\n", "gate.toml:1:1: max: is a limit; it stands in the table of a metric"},
       {"[los]\nmax = 1\n", "did you mean [loss]?"},
       {deep(), "gate.toml:1:130: keys, tables or lists are nested too deeply"},
       {std::string("[loss]\nmax = 1\0", 15), "gate.toml:2:"}}));
  CAPTURE(text.substr(0, 100));
  const Ended ended = haloscope({"compare", "1", "--gate", haloscope.file("gate.toml", text)});
  CHECK(ended.status == 2);
  CHECK_THAT(ended.error, Contains(message));
}

TEST_CASE("partition leaves no part empty, and says where it must", "[app]") {
  const Program haloscope;
  haloscope.file("path3.graph", "3 2\n2\n1 3\n2\n");
  haloscope.file("path5.graph", "5 4\n2\n1 3\n2 4\n3 5\n4\n");
  for (const auto& [file, parts] : {std::pair{"path3.graph", "2"}, {"path5.graph", "4"}}) {
    const Ended ended = haloscope({"partition", file, "--parts", parts, "--json"});
    REQUIRE(ended.status == 0);
    for (const auto& count : nlohmann::json::parse(ended.out).at("vertices")) CHECK(count > 0);
    CHECK(ended.error.find("no vertex") == ended.error.npos);
  }
  const Ended manyParts = haloscope({"partition", "path3.graph", "--parts", "5", "--json"});
  CHECK(manyParts.status == 0);
  CHECK_THAT(manyParts.error, Contains("2 of 5 parts hold no vertex (3, 4); the graph has only 3 vertices"));
  CHECK_THAT(nlohmann::json::parse(manyParts.out).at("remarks").back().get<std::string>(),
             Contains("hold no vertex"));
  haloscope.file("given", "0\n0\n2\n");
  const Ended fromFile =
      haloscope({"partition", "path3.graph", "--parts", "3", "--method", "file", "--path", "given"});
  CHECK(fromFile.status == 0);
  CHECK_THAT(fromFile.error, Contains("1 of 3 parts holds no vertex (1); the partition was given so"));
}

TEST_CASE("words of the command line never reach the terminal as they are", "[app]") {
  const Program haloscope;
  const std::string bad = "\x1b[31mEVIL\a\xff\u202Ex\nrun 9: forged";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "--status", bad},
                                                {"completion", bad},
                                                {bad},
                                                {"list", "--" + bad},
                                                {"export", "1", "-o", "x", "--format", bad},
                                                {"partition", "karate", "--parts", bad}}) {
    const Ended ended = haloscope(words);
    CAPTURE(words.front(), ended.error);
    CHECK(ended.status == 2);
    for (const char* raw : {"\x1b", "\a", "\xff", "\u202E", "\nrun 9"}) CHECK_FALSE(holds(ended.error, raw));
    CHECK_THAT(ended.error, Contains("\\u001B") && Contains("\\u000A"));
  }
}

TEST_CASE("a line separator is refused in a name and escaped in a message", "[app]") {
  const Program haloscope;
  for (const char* separator : {"\u2028", "\u2029"}) {
    const std::string file = haloscope.file(
        "a.toml", std::string("schema = 1\nname = \"a") + separator + "b\"\n[[run]]\nmethod = \"vanilla\"\n");
    const Ended ended = haloscope({"run", file, "--dry-run"});
    CHECK(ended.status == 2);
    CHECK_THAT(ended.error, Contains("a.toml:2:8: name: ") && Contains("a text of one line"));
    CHECK_FALSE(holds(ended.error, separator));
  }
}

TEST_CASE("tag takes what experiment files take, and removes whatever is there", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  for (const std::string& tag :
       {std::string("\x1b[31m"), std::string("nl\nx"), std::string(501, 'x'), std::string(" "), std::string(),
        std::string("\xff"), std::string("a,b"), std::string("a\u2028b")}) {
    CAPTURE(tag);
    const Ended ended = haloscope({"tag", "1", "--add", tag});
    CHECK(ended.status == 2);
    CHECK_THAT(ended.error, Contains("--add: ") && Contains(" cannot be used; "));
  }
  CHECK(haloscope({"tag", "1"}).out == "run 1: no tags\n");
  CHECK(haloscope({"tag", "1", "--add", std::string(500, 'x'), "--add", "größer"}).status == 0);
  CHECK(haloscope({"tag", "1", "--remove", std::string(500, 'x'), "--remove", "\x1b"}).out ==
        "run 1: größer\n");
}

TEST_CASE("with --json a log and an experiment's text are an object", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto rows = jsonLines(haloscope({"--json", "show", "1", "--experiment"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("run") == 1);
  CHECK(rows[0].at("experiment") == haloscope({"show", "1", "--experiment"}).out);
}

TEST_CASE("a key that is nearly spelt as the one that is missing is named on its line", "[app]") {
  const Program haloscope;
  const std::string start = "schema = 1\nname = \"x\"\n[dataset]\nname = \"karate\"\n";
  const auto refused = [&](const std::string& text, const std::string& message) {
    haloscope.file("x.toml", start + text);
    const Ended ended = haloscope({"run", "x.toml", "--dry-run"});
    CAPTURE(text, ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, message));
    CHECK_FALSE(holds(ended.error, "run.pipeline"));
  };
  refused("[[run]]\nmetod = \"vanilla\"\n", "x.toml:6:1: run.metod: unknown key; did you mean 'method'?");
  refused("[[run]]\nmethod = \"vanilla\"\n[sweep]\n\"training.seed\" = []\n",
          "sweep.training.seed: an empty list cannot be swept over; a list of at least one value");
  refused("[[simulate]]\ndevice.name = \"spu\"\npipline = {}\n", "did you mean 'simulate.pipeline'?");
}

TEST_CASE("an option whose value is wrong is named as it was written", "[app]") {
  const Program haloscope;
  CHECK(haloscope({"partition", "karate", "--parts", "2", "--method", "metsi"})
            .error.starts_with("--method: 'metsi'"));
  const Ended window = test::run({std::string(kBinDir) + "/haloscope-desktop", "--rendr", "x"},
                                 haloscope.environment(), haloscope.folder());
  CHECK(holds(window.error, "--rendr: is not an option; did you mean '--render'?"));
}

TEST_CASE("a metric without a table in a file of thresholds is told where its limits stand", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(2, 1)}).status == 0);
  haloscope.file("gate.toml", "epoch_seconds = 1\n");
  const Ended ended = haloscope({"compare", "1", "--gate", "gate.toml"});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error,
              "epoch_seconds: is a metric; its limits stand in a table of its name: [epoch_seconds]"));
}

TEST_CASE("where too few files may be open, exports name that limit", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(2, 1)}).status == 0);
  std::vector<std::string> command = {"sh", "-c", "ulimit -n 16; exec \"$@\"", "sh"};
  for (const std::string& word : Program::command({"export", "1", "--format", "csv", "-o", "out"}))
    command.push_back(word);
  const Ended ended = test::run(command, haloscope.environment(), haloscope.folder());
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "Too many open files; raise the limit with: ulimit -n"));
}
