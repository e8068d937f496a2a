#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("the command line explains itself and refuses what it does not know", "[app]") {
  const Program haloscope;
  CHECK(haloscope({"--version"}).out == "haloscope " HALO_VERSION "\n");
  const Ended help = haloscope({"--help"});
  CHECK(help.status == 0);
  for (const std::string name : {"run", "list", "show", "compare", "export", "dataset", "partition",
                                 "methods", "doctor", "check", "delete", "tag", "completion"}) {
    CAPTURE(name);
    CHECK(holds(help.out, name));
    CHECK(haloscope({name, "--help"}).status == 0);
  }
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"rnu"},
                                                {"list", "--lenght"},
                                                {"show"},
                                                {"export", "1", "--format", "docx", "-o", "x"}}) {
    const Ended ended = haloscope(wrong);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK_FALSE(ended.error.empty());
  }
}

TEST_CASE("a word that is no command is named with the nearest that is", "[app]") {
  const Program haloscope;
  CHECK(haloscope({"lst"}).error ==
        "'lst' is not a command; did you mean 'list'? `haloscope --help` lists them\n");
  CHECK(haloscope({"--db", "list", "frobnicate"}).error ==
        "'frobnicate' is not a command; `haloscope --help` lists them\n");
  CHECK(holds(haloscope({"--frob"}).error, "'--frob' is not an option of every command"));
  CHECK(haloscope({"lst"}).status == 2);
}

TEST_CASE("an option that a command has not is named before what is missing beside it", "[app]") {
  const Program haloscope;
  CHECK(haloscope({"run", "--bogus"}).error ==
        "'--bogus' is not an option of `haloscope run`; `haloscope run --help` lists them\n");
  CHECK(haloscope({"dataset", "list", "--jsn"}).error ==
        "'--jsn' is not an option of `haloscope dataset list`; did you mean '--json'? "
        "`haloscope dataset list --help` lists them\n");
  const Ended missing = haloscope({"run", "--set", "--bogus"});  // a value
  CHECK(holds(missing.error, "FILE is required"));
  CHECK(missing.status == 2);
}

TEST_CASE("what is no number, and a seed that no experiment could have, are refused", "[app]") {
  const Program haloscope;
  const auto refused = [&](const std::string& option, const std::string& value) {
    const Ended ended = haloscope({"partition", "karate", "--parts", "2", option, value});
    CAPTURE(option, value, ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, option));
    CHECK(holds(ended.error, value));
  };
  for (const char* value : {"nan", "-nan", "inf", "-0.1", "11", "x"}) refused("--imbalance", value);
  for (const char* value : {"nan", "0", "1.5"}) refused("--scale", value);
  for (const char* value : {"-1", "9223372036854775808", "x"}) refused("--seed", value);
  CHECK(haloscope({"partition", "karate", "--parts", "2", "--seed", "9223372036854775807"}).status == 0);
}

TEST_CASE("completion scripts name every command and are sound shell", "[app]") {
  const Program haloscope;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const Ended script = haloscope({"completion", shell});
    CHECK(script.status == 0);
    for (const char* word : {"run", "compare", "partition", "dataset", "db", "resume"})
      CHECK(holds(script.out, word));
    const std::string file = haloscope.file("completion." + shell, script.out);
    const Ended checked = run({shell, "-n", file}, {}, haloscope.folder());
    if (checked.status == 127) continue;  // this shell is not installed
    CHECK(checked.error.empty());
    CHECK(checked.status == 0);
  }
  CHECK(haloscope({"completion", "tcsh"}).status == 2);
}

TEST_CASE("bash completes values, and options behind those of the whole program", "[app]") {
  const Program haloscope;
  const std::string script =
      haloscope.file("completion.bash", haloscope({"completion", "bash"}).out +
                                            "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _haloscope\n"
                                            "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const auto completed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"bash", script, "haloscope"});
    return run(words, {}, haloscope.folder()).out;
  };
  CHECK(completed({"partition", "--method", "met"}) == "metis\nmetis-volume\n");
  CHECK(completed({"export", "--format", "c"}) == "csv\nchrome-trace\n");
  CHECK(completed({"methods", "vani"}) == "vanilla\n");
  CHECK(completed({"dataset", "info", "kar"}) == "karate\n");
  CHECK(completed({"list", "--status", "f"}) == "failed\n");
  CHECK(completed({"completion", "z"}) == "zsh\n");
  CHECK(completed({"--db", "x.db", "run", "--onl"}) == "--only\n");
  CHECK(completed({"run", "--hel"}) == "--help\n");
  CHECK(completed({"dataset", "inf"}) == "info\n");
  CHECK(completed({"comp"}) == "compare\ncompletion\n");
}

TEST_CASE("zsh and fish complete values", "[app]") {
  const Program haloscope;
  const std::string zsh =
      haloscope.file("try.zsh", "compdef() { }; _files() { }; compadd() { shift; print -l -- $@ }\n" +
                                    haloscope({"completion", "zsh"}).out +
                                    "words=(\"$@\"); CURRENT=$((# + 1)); _haloscope\n");
  const auto inZsh = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"zsh", "-f", zsh, "haloscope"});
    return run(words, {}, haloscope.folder());
  };
  if (const Ended ended = inZsh({"export", "--format"}); ended.status != 127) {
    CHECK(ended.out == "csv\nchrome-trace\nweights\n");
    CHECK(holds(inZsh({"dataset", "info"}).out, "karate\n"));
    CHECK(holds(inZsh({"methods"}).out, "vanilla\n"));
    CHECK(holds(inZsh({"run", "--only"}).out, "pipegcn\n"));
  }
  const std::string fish = haloscope.file("try.fish", haloscope({"completion", "fish"}).out);
  const auto inFish = [&](const std::string& line) {
    return run({"fish", "-N", "-c", "source " + fish + "; complete -C '" + line + "'"}, {},
               haloscope.folder());
  };
  if (const Ended ended = inFish("haloscope export --format "); ended.status != 127) {
    for (const char* value : {"chrome-trace\t", "csv\t", "weights\t"}) CHECK(holds(ended.out, value));
    CHECK(holds(inFish("haloscope dataset info k").out, "karate"));
    CHECK(holds(inFish("haloscope methods vani").out, "vanilla"));
    CHECK(holds(inFish("haloscope dataset gen").out, "generate"));
  }
}

TEST_CASE("methods lists every declaration with its parameters", "[app]") {
  const Program haloscope;
  const Ended all = haloscope({"methods", "--json"});
  REQUIRE(all.status == 0);
  std::set<std::string> kinds, names;
  for (const auto& line : jsonLines(all.out)) {
    kinds.insert(line.at("kind").get<std::string>());
    names.insert(line.at("name").get<std::string>());
    if (line.at("kind") == "metric")
      CHECK_FALSE(line.at("title").get<std::string>().empty());
    else if (line.at("kind") != "link")
      for (const auto& parameter : line.at("parameters")) {
        CHECK(parameter.contains("default"));
        CHECK_FALSE(parameter.at("help").get<std::string>().empty());
      }
  }
  CHECK(kinds == std::set<std::string>{"accelerator", "cluster", "format", "layer", "link", "method",
                                       "metric", "partitioner", "platform", "section", "simulation"});
  for (const char* name : {"single", "vanilla", "metis", "random", "block", "file", "gcn", "graphsage", "gin",
                           "training", "10gbe", "epoch_seconds"}) {
    CAPTURE(name);
    CHECK(names.contains(name));
  }
  CHECK(holds(haloscope({"methods", "vanilla"}).out, "overlap"));
  const Ended wrong = haloscope({"methods", "vanila"});
  CHECK(wrong.status == 2);
  CHECK(wrong.error ==
        "NAME: 'vanila' is not known; did you mean 'vanilla'?; `haloscope methods` lists all\n");
}

TEST_CASE("partition --compare puts random, graph, hypergraph and our partitions side by side", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"partition", "karate", "--parts", "4", "--compare", "--json"});
  REQUIRE(ended.status == 0);
  const auto table = nlohmann::json::parse(ended.out);  // also: Zoltan prints nothing of its own
  CHECK(table.at("balance") == "vertices");
  std::vector<std::string> labels;
  for (const auto& row : table.at("rows")) {
    labels.push_back(row.at("partition"));
    CHECK(row.at("max_volume") >= row.at("average_volume"));
    CHECK(row.at("max_messages") >= row.at("average_messages"));
    CHECK(row.at("average_volume") <= table.at("rows").at(0).at("average_volume"));
  }
  CHECK(labels == std::vector<std::string>{"RP", "GP", "GP, volume", "HP", "ours"});
  CHECK(holds(haloscope({"partition", "karate", "--parts", "4", "--compare"}).out, "average messages"));
  CHECK(haloscope({"partition", "karate", "--parts", "4", "--compare", "--method", "metis"}).status == 2);
  const Ended wrong =
      haloscope({"partition", "karate", "--parts", "4", "--method", "random", "--balance", "nonzeros"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.error, "--balance: the partitioner 'random' does not balance by weight"));
}

TEST_CASE("partition --compare --batch puts expected beside measured rows of batches", "[app]") {
  const Program haloscope;
  const Ended ended =
      haloscope({"partition", "karate", "--parts", "4", "--compare", "--batch", "12", "--json"});
  REQUIRE(ended.status == 0);
  const auto rows = nlohmann::json::parse(ended.out).at("rows");
  REQUIRE(rows.size() == 6);
  for (const auto& row : rows) {
    const double expected = row.at("expected_rows"), measured = row.at("measured_rows");
    CHECK(std::abs(expected - measured) <= 4 * row.at("sigma").get<double>());
    CHECK(row.at("largest_expected_rows") >= expected);
    CHECK(row.at("largest_measured_rows") >= measured);
  }
  CHECK(rows[5].at("expected_rows") < rows[0].at("expected_rows"));
  CHECK(holds(haloscope({"partition", "karate", "--parts", "4", "--compare", "--batch", "35"}).error,
              "--batch: 35 is more than the 34 vertices; at most 34"));
  CHECK(haloscope({"partition", "karate", "--parts", "4", "--batch", "12"}).status == 2);
}

TEST_CASE("partition takes a partitioner's own parameters, and names all that are wrong", "[app]") {
  const Program haloscope;
  const std::vector<std::string> command = {"partition", "karate",       "--parts", "4",
                                            "--method",  "connectivity", "--json"};
  std::vector<std::string> good = command;
  good.insert(good.end(), {"--set", "balance=nonzeros", "--set", "largest=1.5"});
  CHECK(nlohmann::json::parse(haloscope(command).out).at("balance") == "vertices");
  CHECK(nlohmann::json::parse(haloscope(good).out).at("balance") == "nonzeros");
  std::vector<std::string> bad = command;
  bad.insert(bad.end(), {"--set", "largest=0.5", "--set", "larges=2"});
  const Ended wrong = haloscope(bad);
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.error, "--set largest: 0.5 cannot be used; a number from 1 to 1000000"));
  CHECK(holds(wrong.error, "--set larges: unknown key; did you mean 'largest'?"));
  CHECK(haloscope({"partition", "karate", "--parts", "2", "--set", "balance"}).status == 2);
  const Ended twice = haloscope(
      {"partition", "karate", "--parts", "2", "--set", "balance=nonzeros", "--balance", "vertices"});
  CHECK(twice.status == 2);
  CHECK(holds(twice.error, "--balance: --set balance says the same; one of them"));
  CHECK(holds(haloscope({"partition", "karate", "--parts", "2", "--set", "balance=nonzeros", "--set",
                         "balance=vertices"})
                  .error,
              "--set balance: set more than once"));
}

TEST_CASE("partition says what a division of the karate club costs", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"partition", "karate", "--parts", "4", "--method", "block", "--json"});
  REQUIRE(ended.status == 0);
  const auto json = nlohmann::json::parse(ended.out);
  for (const char* key : {"method", "parts", "cut", "volume", "max_volume", "messages", "max_messages",
                          "imbalance", "seconds"}) {
    CAPTURE(key);
    CHECK(json.contains(key));
  }
  CHECK(json.at("parts") == 4);
  CHECK(json.at("vertices").size() == 4);
  CHECK(json.at("balance") == "vertices");
  // of the nonzeros that are balanced, not of the vertices that are not
  const auto heavy = nlohmann::json::parse(haloscope({"partition", "karate", "--parts", "2", "--method",
                                                      "metis", "--balance", "nonzeros", "--json"})
                                               .out);
  const auto stored = heavy.at("nonzeros").get<std::vector<double>>();
  CHECK(heavy.at("balance") == "nonzeros");
  CHECK(heavy.at("imbalance").get<double>() ==
        Approx(2 * std::max(stored[0], stored[1]) / (stored[0] + stored[1]) - 1));
  const auto cut = nlohmann::json::parse(
      haloscope({"partition", "karate", "--parts", "4", "--method", "vertex-cut", "--json"}).out);
  CHECK(cut.at("balance") == "arcs");
  CHECK(cut.at("imbalance") == cut.at("vertex_cut").at("imbalance"));
  const auto owned = heavy.at("vertices").get<std::vector<double>>();
  CHECK(heavy.at("imbalance_vertices").get<double>() == Approx(2 * std::max(owned[0], owned[1]) / 34 - 1));
  CHECK(haloscope({"partition", "karate", "--parts", "0"}).status == 2);
  const Ended wrong = haloscope({"partition", "karate", "--parts", "2", "--method", "metiss"});
  CHECK(wrong.status == 2);
  CHECK(holds(wrong.error, "did you mean 'metis'?"));
  CHECK(haloscope({"partition", "karate", "--parts", "2", "-o", "owners.txt"}).status == 0);
  CHECK(haloscope({"partition", "karate", "--parts", "2", "-o", "owners.txt"}).status == 2);
}

TEST_CASE("partition takes a division made elsewhere", "[app]") {
  const Program haloscope;
  std::string owners;
  for (int v = 0; v < 34; ++v) owners += v % 2 == 0 ? "0\n" : "1\n";
  haloscope.file("owners.txt", owners);
  const Ended ended = haloscope({"partition", "karate", "--parts", "2", "--method", "file", "--path",
                                 "owners.txt", "-o", "same.txt", "--json"});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  CHECK(nlohmann::json::parse(ended.out).at("vertices") == std::vector<int>{17, 17});
  CHECK(nlohmann::json::parse(ended.out).at("balance").is_null());
  std::ifstream same(haloscope.folder() / "same.txt");
  CHECK(std::string(std::istreambuf_iterator<char>(same), {}) == owners);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--method", "file"},
                                                {"--method", "file", "--path", "none.txt"},
                                                {"--path", "owners.txt"}}) {
    std::vector<std::string> words = {"partition", "karate", "--parts", "2"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    CHECK(haloscope(words).status == 2);
  }
}

TEST_CASE("data sets can be listed, described, generated and converted", "[app]") {
  const Program haloscope;
  CHECK(holds(haloscope({"dataset", "list"}).out, "reddit-like"));
  const Ended karate = haloscope({"dataset", "info", "karate", "--json"});
  REQUIRE(karate.status == 0);
  const auto original = nlohmann::json::parse(karate.out);
  CHECK(original.at("vertices") == 34);
  CHECK(original.at("arcs") == 156);
  for (const std::string output : {"as-ogb", "as.mtx", "as.graph", "as.txt"}) {
    CAPTURE(output);
    REQUIRE(haloscope({"dataset", "convert", "karate", "-o", output}).status == 0);
    const Ended back = haloscope({"dataset", "info", output, "--json"});
    CAPTURE(back.error);
    REQUIRE(back.status == 0);
    CHECK(nlohmann::json::parse(back.out).at("vertices") == 34);
    CHECK(nlohmann::json::parse(back.out).at("arcs") == 156);
  }
  const auto converted = nlohmann::json::parse(haloscope({"dataset", "info", "as-ogb", "--json"}).out);
  for (const char* key : {"features", "classes", "train_vertices", "valid_vertices", "test_vertices"}) {
    CAPTURE(key);
    CHECK(converted.at(key) == original.at(key));
  }
  const Ended again = haloscope({"dataset", "convert", "karate", "-o", "as.mtx"});
  CHECK(again.status == 2);
  CHECK(again.error == "as.mtx: is already there; --force overwrites it\n");
  CHECK(haloscope({"dataset", "convert", "karate", "-o", "as.mtx", "--force"}).status == 0);
  CHECK(haloscope({"dataset", "generate", "reddit-like", "--scale", "0.002", "-o", "made"}).status == 0);
  CHECK(haloscope({"dataset", "generate", "karate", "-o", "other"}).status == 2);
  CHECK(nlohmann::json::parse(haloscope({"dataset", "info", "made", "--json"}).out).at("marks") ==
        nlohmann::json::array({"generated graph"}));
  CHECK(haloscope({"dataset", "info", "no-such-set"}).status == 2);
}

TEST_CASE("vertices are renumbered on demand, and what was noticed while reading is told", "[app]") {
  const Program haloscope;
  haloscope.file("gaps.txt", "0 7\n7 100\n7 7\n");
  const auto info = nlohmann::json::parse(haloscope({"dataset", "info", "gaps.txt", "--json"}).out);
  CHECK(info.at("vertices") == 3);
  CHECK(info.at("bandwidth") == 1);
  CHECK(holds(info.at("remarks").dump(), "vertex numbers have gaps"));
  CHECK(holds(info.at("remarks").dump(), "1 self loop removed"));
  CHECK(holds(haloscope({"dataset", "info", "gaps.txt"}).out, "vertex numbers have gaps"));
  const auto widthOf = [&](const std::string& order) {
    const Ended ended = haloscope({"dataset", "info", "cora-like", "--order", order, "--json"});
    REQUIRE(ended.status == 0);
    return nlohmann::json::parse(ended.out).at("bandwidth").get<int>();
  };
  CHECK(widthOf("rcm") < widthOf("given"));
  CHECK(widthOf("random") > widthOf("rcm"));
  CHECK(haloscope({"dataset", "info", "karate", "--order", "upwards"}).status == 2);
  const std::string file = haloscope.file(
      "gaps.toml",
      "schema = 1\n[dataset]\npath = \"gaps.txt\"\n[training]\nepochs = 1\n[[run]]\nmethod = \"single\"\n");
  const Ended run = haloscope({"run", file});
  INFO(run.error);
  CHECK(run.status == 0);
  CHECK(holds(run.error, "vertex numbers have gaps"));
}

TEST_CASE("doctor tells what there is, and a missing mpirun with its cure", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"doctor", "--json"});
  std::set<std::string> subjects;
  for (const auto& line : jsonLines(ended.out)) subjects.insert(line.at("what").get<std::string>());
  for (const char* subject : {"MPI", "two ranks", "worker", "cores", "memory", "shared memory", "arithmetic",
                              "OpenCL", "display", "disk"}) {
    CAPTURE(subject);
    CHECK(subjects.contains(subject));
  }
  const Ended without = haloscope({"doctor"}, {{"PATH", haloscope.folder().string()}});
  CHECK(without.status == 5);
  CHECK(holds(without.out, "apt install openmpi-bin"));
}

TEST_CASE("results that cannot be written end with the status of a lacking environment", "[app]") {
  const Program haloscope;
  for (const std::string arguments :
       {"methods", "--help", "--version", "list --help", "completion bash", "dataset list --json"}) {
    CAPTURE(arguments);
    const Ended ended =
        run({"sh", "-c", "exec \"$0\" " + arguments + " > /dev/full", std::string(kBinDir) + "/haloscope"},
            haloscope.environment());
    CHECK(ended.status == 5);
    CHECK(ended.error == "standard output cannot be written: No space left on device\n");
  }
}
