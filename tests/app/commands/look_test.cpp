// Data sets are looked at before anything starts: what is bad is refused once, in our words, and nothing is
// recorded; what was remarked is said once, and kept with the run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>

#include "tests/app/program.h"

using namespace halo::test;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t count(const std::string& text, const std::string& part) {
  std::ptrdiff_t matches = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++matches;
  return matches;
}

std::ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

bool recorded(const Program& haloscope) { return fs::exists(haloscope.folder() / "recordings.db"); }

/// An `ssh` that stays here and notes in $HALO_TEST_HOSTS which host it was asked for.
std::map<std::string, std::string> withSsh(const Program& haloscope, const std::string& script) {
  const fs::path ssh = haloscope.folder() / haloscope.file("bin/ssh", "#!/bin/sh\n" + script);
  fs::permissions(ssh, fs::perms::owner_all);
  return {{"PATH", ssh.parent_path().string() + ":" + std::getenv("PATH")},
          {"HALO_TEST_HOSTS", (haloscope.folder() / "hosts").string()},
          {"OMPI_MCA_btl", "tcp,self"},
          {"OMPI_MCA_btl_tcp_if_include", "lo"},
          {"OMPI_MCA_oob_tcp_if_include", "lo"}};
}

constexpr const char* kStaysHere = R"(while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
mkdir -p "$HALO_TEST_HOSTS/$host"
echo 'a banner of the host' >&2
TMPDIR="$HALO_TEST_HOSTS/$host" OMPI_MCA_orte_tmpdir_base="$HALO_TEST_HOSTS/$host" exec /bin/sh -c "$*"
)";

constexpr const char* kHosts = "launcher = \"hosts\"\nhosts = [\"nodea:2\", \"nodeb:2\"]\n";

}  // namespace

TEST_CASE("a given partition that a method does not read is said to be unread", "[app]") {
  const Program haloscope;
  haloscope.file("parts.txt", "7\n");
  const std::string file = haloscope.file("p.toml", R"(schema = 1
[training]
epochs = 1
[cluster]
workers = 2
[partition]
method = "file"
path = "parts.txt"
[[run]]
method = "p3"
)");
  const Ended ended = haloscope({"run", "--dry-run", file});
  CHECK(ended.status == 0);
  CHECK(count(ended.error, "partition.path is not read by `p3`, which places vertices itself") == 1);
}

TEST_CASE("a batch with bad data sets is refused whole, each once, before anything starts", "[app]") {
  const Program haloscope;
  haloscope.file("word.txt", "0 1\n1 x\n");
  haloscope.file("half.txt", "0 1\n2\n");
  const std::string bad = haloscope.file("bad.toml", R"(schema = 1
[training]
epochs = 2
repeat = 3
[dataset]
path = "word.txt"
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
[[run]]
method = "vanilla"
dataset.path = "half.txt"
)");
  const std::string good = haloscope.experiment(2, 1);
  for (const bool dry : {true, false}) {
    std::vector<std::string> words = {"run", good, bad};
    if (dry) words.emplace_back("--dry-run");
    // without an mpirun there is nothing that could have been started
    const Ended ended = haloscope(words, {{"PATH", "/nowhere"}});
    CAPTURE(ended.error);
    CHECK(ended.status == 4);
    CHECK(count(ended.error, "word.txt:2:3: 'x' is not a whole number") == 1);
    CHECK(count(ended.error, "half.txt:2: the line ends early") == 1);
    CHECK(lines(ended.error) == 2);
    CHECK(ended.out.empty());
    CHECK_FALSE(recorded(haloscope));
  }
}

TEST_CASE("a bad partition file is refused once, with its place, before anything starts", "[app]") {
  const Program haloscope;
  haloscope.file("ring.txt", "0 1\n1 2\n2 3\n3 0\n");
  haloscope.file("parts.txt", "0\n1\n0\n 2\n");
  haloscope.file("short.txt", "0\n1\n0\n");
  const std::string file = haloscope.file("given.toml", R"(schema = 1
training = {epochs = 1, repeat = 2}
cluster.workers = 2
dataset.path = "ring.txt"
partition.method = "file"
partition.path = "parts.txt"
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
[[run]]
method = "vanilla"
partition.path = "short.txt"
)");
  for (const bool dry : {true, false}) {
    std::vector<std::string> words = {"run", file};
    if (dry) words.emplace_back("--dry-run");
    const Ended ended = haloscope(words, {{"PATH", "/nowhere"}});
    CAPTURE(ended.error);
    CHECK(ended.status == 2);
    CHECK(count(ended.error,
                "parts.txt:4:2: '2' cannot be used; the part of a vertex, a number from 0 to 1") == 1);
    CHECK(count(ended.error, "short.txt: 3 lines, but the graph has 4 vertices") == 1);
    CHECK(lines(ended.error) == 3);  // and how the graph was read
    CHECK_FALSE(recorded(haloscope));
  }
}

TEST_CASE("what the experiment says wrongly comes with what is damaged, with status two", "[app]") {
  const Program haloscope;
  haloscope.file("word.txt", "0 1\n1 x\n");
  haloscope.file("good.txt", "0 1\n1 2\n");
  const std::string file = haloscope.file("both.toml", R"(schema = 1
training.epochs = 2
run = [{method = "vanilla", dataset.path = "word.txt"},
       {method = "vanilla", dataset.path = "good.txt", training.loss = "sigmoid"}]
)");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "both.toml:4:72: run.training.loss: 'sigmoid' is for several labels"));
  CHECK(holds(ended.error, "word.txt:2:3: 'x'"));
  CHECK_FALSE(recorded(haloscope));
}

TEST_CASE("a bad data set of a simulation is refused before anything is recorded", "[app]") {
  const Program haloscope;
  haloscope.file("word.txt", "0 1\n1 x\n");
  const std::string file = haloscope.file(
      "simulate.toml", "schema = 1\ndataset.path = \"word.txt\"\nsimulate = [{device = \"spu\"}]\n");
  for (const std::string command : {"simulate", "run"}) {
    const Ended ended = haloscope({command, file});
    CAPTURE(ended.error);
    CHECK(ended.status == 4);
    CHECK(count(ended.error, "word.txt:2:3: 'x'") == 1);
    CHECK(lines(ended.error) == 1);
    CHECK_FALSE(recorded(haloscope));
  }
}

TEST_CASE("the data set of other hosts is looked at on the host of rank 0, by our words alone", "[app]") {
  const Program haloscope;
  const auto environment = withSsh(haloscope, kStaysHere);
  haloscope.file("word.txt", "0 1\n1 x\n");
  const std::string file =
      haloscope.experiment(2, 4, std::string(kHosts) + "[dataset]\npath = \"word.txt\"\n");
  for (const bool dry : {true, false}) {
    const Ended ended =
        dry ? haloscope({"run", file, "--dry-run"}, environment) : haloscope({"run", file}, environment);
    CAPTURE(ended.error);
    CHECK(ended.status == 4);
    CHECK(count(ended.error, "word.txt:2:3: 'x'") == 1);
    CHECK(lines(ended.error) == 1);
    CHECK_FALSE(recorded(haloscope));
  }
  CHECK(fs::exists(haloscope.folder() / "hosts/nodea"));
  CHECK_FALSE(fs::exists(haloscope.folder() / "hosts/nodeb"));
}

TEST_CASE("a method's refusal of a shape on other hosts names the experiment", "[app]") {
  const Program haloscope;
  std::string arcs;
  for (int v = 0; v < 12; ++v) arcs += std::to_string(v) + " " + std::to_string((v + 1) % 12) + "\n";
  haloscope.file("g.txt", arcs);
  std::string two;
  for (int v = 0; v < 12; ++v) two += "1,0\n";
  haloscope.file("two.csv", two);
  const std::string file = haloscope.file(
      "mop.toml",
      "schema = 1\ntraining.epochs = 2\ndataset.path = \"g.txt\"\ndataset.features = \"two.csv\"\n"
      "run = [{method = \"mop\"}]\n[cluster]\nworkers = 3\n" +
          std::string(kHosts));
  const Ended ended = haloscope({"run", file}, withSsh(haloscope, kStaysHere));
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "mop.toml:7:11: cluster.workers: mop cuts the columns"));
}

TEST_CASE("a host that cannot be asked fails the run and is told of by a dry run", "[app]") {
  const Program haloscope;
  const auto environment = withSsh(haloscope,
                                   "echo 'ssh: Could not resolve hostname nodea: Name or service not known' "
                                   ">&2\nexit 255\n");
  const std::string file = haloscope.experiment(1, 2, kHosts);
  const Ended dry = haloscope({"run", file, "--dry-run"}, environment);
  CAPTURE(dry.error);
  CHECK(dry.status == 0);
  CHECK(dry.out == "small / vanilla\n");
  CHECK(holds(dry.error, "was not looked at: the host nodea cannot be used: ssh: Could not resolve"));
  const Ended ended = haloscope({"run", file}, environment);
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "the host nodea cannot be used: ssh: Could not resolve"));
  CHECK_FALSE(recorded(haloscope));
}

TEST_CASE("what was remarked of a data set is said once a batch and kept with every run", "[app]") {
  const Program haloscope;
  haloscope.file("gaps.txt", "0 7\n7 100\n7 7\n");
  const std::string file = haloscope.file(
      "gaps.toml",
      "schema = 1\ndataset.path = \"gaps.txt\"\ntraining = {epochs = 1, repeat = 2}\nrun = [{method = "
      "\"single\"}]\n");
  const Ended dry = haloscope({"run", file, "--dry-run"});
  CHECK(count(dry.error, "gaps.txt: 1 self loop removed\n") == 1);
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
  CHECK(count(ended.error, "gaps.txt: 1 self loop removed\n") == 1);
  CHECK(count(ended.error, "vertex numbers have gaps") == 1);
  const auto events = jsonLines(haloscope({"run", file, "--json"}).out);
  CHECK(std::ranges::count_if(events, [](const auto& event) {
          return event.at("event") == "remark" && event.at("remark") == "gaps.txt: 1 self loop removed";
        }) == 2);
  for (const std::string run : {"1", "2"}) {
    const auto details = jsonLines(haloscope({"show", run, "--json"}).out).at(0);
    CHECK(holds(details.at("remarks").dump(), "1 self loop removed"));
    CHECK(holds(haloscope({"show", run}).out, "vertex numbers have gaps"));
  }
  CHECK(haloscope({"run", file, "--quiet"}).error.empty());
}

TEST_CASE("rows that are not normalised are remarked once, and the loss stays small", "[app]") {
  const Program haloscope;
  haloscope.file("g.txt", "0 1\n1 2\n2 3\n3 0\n");
  haloscope.file("f.csv", "0.1,0.2,-0.3\n2,2,1\n3,1,1\n0,0,1\n");
  haloscope.file("l.txt", "0\n1\n0\n1\n");
  haloscope.file("s.txt", "train\ntrain\ntrain\ntrain\n");
  const std::string file = haloscope.file("near.toml", R"(schema = 1
training = {epochs = 3, repeat = 2}
run = [{method = "single"}]
[dataset]
path = "g.txt"
features = "f.csv"
labels = "l.txt"
split = "s.txt"
normalize_features = "row"
)");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  CHECK(count(ended.error, "1 row not normalised: the sum is 0 within rounding (the first is row 0)") == 1);
  for (const auto& run : jsonLines(haloscope({"list", "--json"}).out))
    CHECK(run.at("loss").get<double>() < 10);
  CHECK(holds(haloscope({"show", "last"}).out, "1 row not normalised"));
}
