#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "engine/base/fingerprint.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

std::ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

/// OGB layout of a tiny graph.
void ogb(const Program& haloscope, const std::string& vertices, const std::string& edges,
         const std::string& features, const std::string& labels) {
  haloscope.file("tiny/raw/num-node-list.csv", vertices + "\n");
  haloscope.file("tiny/raw/num-edge-list.csv", std::to_string(lines(edges)) + "\n");
  haloscope.file("tiny/raw/edge.csv", edges);
  haloscope.file("tiny/raw/node-feat.csv", features);
  haloscope.file("tiny/raw/node-label.csv", labels);
}

/// A recording with a run, closed again.
std::filesystem::path recording(const Program& haloscope, int runs) {
  const auto file = haloscope.folder() / "recordings.db";
  Database database(file, Access::create);
  Runs table(database);
  RunRow run;
  run.experimentId = table.addExperiment("e", "# " + std::string(2000, 'x'));
  run.name = std::string(3000, 'n');
  const std::map<std::string, std::string> keys = {{"simulate.kind", "\"device\""}};
  run.kind = "simulation", run.marks = "simulated";  // of which hardly any rows are required
  run.fingerprint = simulationFingerprint(keys);
  run.status = "completed", run.finishedAt = "2026-01-01T00:00:00Z";
  for (int i = 0; i < runs; ++i) {
    const std::int64_t id = table.add(run);
    table.setParameters(id, keys);
    table.setLatest(id, {{"simulated_seconds", 1.0}});
  }
  return file;
}

}  // namespace

TEST_CASE("haloscope run reports ten mistakes of a file in ten lines and starts nothing", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("wrong.toml", R"(schema = 1
nme = "a"
[dataset]
name = 7
scale = 2.5
[model]
dropout = 1.0
[training]
epoch = 10
optimizer = "adm"
[cluster]
hosts = ["node1:8", "a;rm -rf ~"]
link = "10gb"
[[run]]
method = "vanila"
[[run]]
method = "vanilla"
overlapp = "none"
)");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(ended.out.empty());
  CHECK(lines(ended.error) == 10);
  CHECK(holds(ended.error, "wrong.toml:18:1: run.overlapp: unknown key; did you mean 'overlap'?"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("a recording that is missing, foreign, newer or damaged ends with status four and a reason",
          "[app]") {
  const Program haloscope;
  const Ended missing = haloscope({"list"});
  CHECK(missing.status == 4);
  CHECK(holds(missing.error, "recordings.db"));

  haloscope.file("text.db", "not a recording, though long enough to look at");
  CHECK(haloscope({"list", "--db", "text.db"}).status == 4);

  const auto file = recording(haloscope, 40);
  CHECK(haloscope({"check"}).status == 0);
  constexpr std::uintmax_t kPage = 16384;
  const auto pages = std::filesystem::file_size(file) / kPage;
  {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(
        static_cast<std::streamoff>(pages / 2 * kPage));  // the head of a page: text within tells nothing
    bytes << std::string(4096, '\xA5');
  }
  const Ended damaged = haloscope({"check"});
  CHECK(damaged.status == 4);
  CHECK(holds(damaged.error, "damaged"));

  {
    std::filesystem::remove(file);
    recording(haloscope, 1);
    Database database(file, Access::readWrite);
    database.execute("PRAGMA user_version = 999");
  }
  const Ended newer = haloscope({"list"});
  CHECK(newer.status == 4);
  CHECK(holds(newer.error, "newer version"));
}

TEST_CASE("a full disk under the recording is said in it, and resumed from once there is room", "[app]") {
  // 0: full before there is a recording; else: while it grows
  const std::string size = GENERATE("300k", "3000k");
  CAPTURE(size);
  const Program haloscope;
  haloscope.experiment(100'000, 1);
  std::filesystem::create_directories(haloscope.folder() / "small");
  const std::string script =
      "mount -t tmpfs -o size=" + size +
      " none small || exit 99; \"$0\" run small.toml --db small/r.db --quiet > /dev/null; status=$?; "
      "\"$0\" list --db small/r.db --json; mount -o remount,size=50m small || exit 99; "
      "\"$0\" run small.toml --set training.epochs=2 --resume --db small/r.db --quiet >&2 || exit 97; "
      "\"$0\" check --db small/r.db >&2 || exit 98; exit $status";
  const auto ended = mounted(haloscope, script);
  if (!ended) return;
  CAPTURE(ended->error);
  CHECK(ended->status == 5);
  CHECK(holds(ended->error, "no space left"));
  if (size == "300k") return;
  const auto rows = jsonLines(ended->out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("status") == "failed");
  CHECK(holds(rows[0].at("error"), "no space left"));
  CHECK(rows[0].at("epochs") >= 1);
}

TEST_CASE("places that cannot hold a recording or an export end with what to do", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 1);
  std::filesystem::create_directories(haloscope.folder() / "folder");
  for (const std::string place : {"/proc/x.db", "folder", "no/such/folder/r.db"}) {
    const Ended ended = haloscope({"run", file, "--db", place});
    CAPTURE(place, ended.error);
    CHECK(ended.status == (place == "folder" ? 4 : 5));  // what is there is read first
    CHECK(holds(ended.error, "name a file with --db"));
  }
  recording(haloscope, 1);
  for (const std::string place : {"small.toml", "small.toml/x"}) {
    const Ended ended = haloscope({"export", "1", "--format", "csv", "-o", place});
    CAPTURE(place, ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, "--output: cannot be a folder"));
    CHECK_FALSE(holds(ended.error, "filesystem error"));
  }
  const Ended ended = haloscope({"export", "1", "--format", "csv", "-o", "/proc/x"});
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "/proc/x: cannot be written: No such file or directory; name another folder"));
}

TEST_CASE("a file that is no data set is an unreadable input", "[app]") {
  const Program haloscope;
  haloscope.file("empty.txt", "");
  haloscope.file("noise.bin", std::string("\x01\xfe\x80 noise\0", 10));
  for (const std::string name : {"empty.txt", "noise.bin", "/dev/null"}) {
    const Ended ended = haloscope({"dataset", "info", name});
    CAPTURE(name, ended.error);
    CHECK(ended.status == 4);
    CHECK_FALSE(holds(ended.error, "filesystem error"));
  }
}

TEST_CASE("a host that cannot be reached ends with status five and its name", "[app]") {
  const Program haloscope;
  haloscope.file("bin/ssh",
                 "#!/bin/sh\necho 'ssh: Could not resolve hostname far.invalid: Name or service not "
                 "known' >&2\nexit 255\n");
  std::filesystem::permissions(haloscope.folder() / "bin/ssh", std::filesystem::perms::owner_all);
  const std::string file = haloscope.experiment(1, 2, "launcher = \"hosts\"\nhosts = [\"far.invalid:2\"]\n");
  const Ended ended =
      haloscope({"run", file}, {{"PATH", (haloscope.folder() / "bin").string() + ":" + std::getenv("PATH")}});
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "the host far.invalid cannot be used: ssh: Could not resolve"));
}

TEST_CASE("without mpirun a run ends with status five and the way to get it", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.experiment(1, 1)}, {{"PATH", haloscope.folder().string()}});
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "apt install openmpi-bin"));
}

TEST_CASE("more workers than vertices train all the same", "[app]") {
  const Program haloscope;
  ogb(haloscope, "3", "0,1\n1,2\n", "1,0\n0,1\n1,1\n", "0\n1\n0\n");
  for (const std::string method : {"block", "metis"}) {
    CAPTURE(method);
    const std::string file =
        haloscope.experiment(2, 5, "[dataset]\npath = \"tiny\"\n[partition]\nmethod = \"" + method + "\"\n");
    const Ended ended = haloscope({"run", file});
    CAPTURE(ended.error);
    CHECK(ended.status == 0);
  }
}

TEST_CASE("a graph of one vertex trains", "[app]") {
  const Program haloscope;
  ogb(haloscope, "1", "", "1,2\n", "0\n");
  const std::string file = haloscope.experiment(2, 1, "[dataset]\npath = \"tiny\"\n");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
}

TEST_CASE("NaN among the features is refused with its place before training", "[app]") {
  const Program haloscope;
  ogb(haloscope, "3", "0,1\n1,2\n", "1,0\n0,nan\n1,1\n", "0\n1\n0\n");
  const std::string file = haloscope.experiment(2, 2, "[dataset]\npath = \"tiny\"\n");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "tiny/raw/node-feat.csv:2:3: 'nan' is no feature"));
}

TEST_CASE("training that diverges where staleness is measured contradicts nothing", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("wild.toml", R"(schema = 1
[training]
epochs = 6
optimizer = "sgd"
learning_rate = 1000.0
[cluster]
workers = 2
[model]
kind = "gin"
layers = 6
[record]
staleness = 1
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
)");
  CHECK(haloscope({"run", file}).status == 1);  // all diverge
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}

TEST_CASE("initial weights that are no plain file, or beyond the limit, are not read", "[app]") {
  const Program haloscope;
  std::filesystem::create_directory(haloscope.folder() / "folder");
  std::ofstream(haloscope.folder() / "large.npz") << "x";
  std::filesystem::resize_file(haloscope.folder() / "large.npz", std::uintmax_t{3} << 30);  // sparse
  const std::string file = haloscope.experiment(2, 1, "");
  const auto said = [&](const std::string& path) {
    const Ended ended = haloscope({"run", file, "--dry-run", "--set", "training.initial_weights=" + path,
                                   "--set", "dataset.memory_limit_gib=1"});
    CAPTURE(path, ended.error);
    CHECK((ended.status == 2 || ended.status == 4));
    return ended.error;
  };
  CHECK(holds(said("large.npz"), "large.npz: training.initial_weights: its bytes would take 3.0 GiB"));
  CHECK(holds(said("folder"), "training.initial_weights: "));
  CHECK(holds(said("/dev/zero"), "training.initial_weights: '/dev/zero' is a device or socket"));
}

TEST_CASE("initial weights of no bytes are no weights, not a wish for random ones", "[app]") {
  const Program haloscope;
  haloscope.file("empty.npz", "");
  const std::string file = haloscope.experiment(2, 1, "");
  const Ended ended = haloscope({"run", file, "--set", "training.initial_weights=empty.npz"});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "empty.npz: training.initial_weights: is empty"));
}

TEST_CASE("a data set that is not there is named with the experiment that wants it", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(2, 1, "[dataset]\npath = \"nowhere\"\n");
  const Ended ended = haloscope({"run", file});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "nowhere"));
}

TEST_CASE("a loss that does not fit the labels of a file ends with status two and both names", "[app]") {
  const Program haloscope;
  ogb(haloscope, "3", "0,1\n1,2\n", "1,0\n0,1\n1,1\n", "0\n1\n0\n");
  const std::string file = haloscope.experiment(2, 2, "[dataset]\npath = \"tiny\"\n");
  const Ended ended = haloscope({"run", file, "--set", "training.loss=sigmoid"});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(
      holds(ended.error, "training.loss: 'sigmoid' is for several labels a vertex, and 'tiny' has one each"));
}

TEST_CASE("what a method refuses of the data set's shape is refused before anything starts", "[app]") {
  const Program haloscope;
  std::string arcs, features, labels;
  for (int v = 0; v < 12; ++v) {
    arcs += std::to_string(v) + "," + std::to_string((v + 1) % 12) + "\n";
    features += "1,0\n";
    labels += std::to_string(v % 2) + "\n";
  }
  ogb(haloscope, "12", arcs, features, labels);
  std::string wide;
  for (int v = 0; v < 12; ++v) wide += "1,0,1,0,1\n";
  haloscope.file("wide.csv", wide);
  const std::string file =
      haloscope.experiment(2, 3, "[dataset]\npath = \"tiny\"\n[[run]]\nmethod = \"mop\"\n");
  const std::string labelled = haloscope.file(
      "labelled.toml",
      "schema = 1\ndataset.path = \"tiny\"\ntraining.epochs = 3\nrun = [{method = \"supergcn\", "
      "label_propagation = 0.99}]\n");
  CHECK(haloscope({"run", labelled, "--dry-run", "--set", "dataset.path=", "--set", "dataset.name=karate"})
            .status == 2);
  for (int turn = 0; turn < 2; ++turn)  // the second reads the converted form's header
    for (const bool dry : {true, false}) {
      const Ended ended = dry ? haloscope({"run", file, "--dry-run"}) : haloscope({"run", file});
      CAPTURE(ended.error);
      CHECK(ended.status == 2);
      CHECK(holds(ended.error, "small.toml:6:11: cluster.workers: mop cuts the columns"));
      CHECK(holds(ended.error, "input features is 2; at most 2 slices"));
      const Ended untaught = haloscope({"run", labelled, "--dry-run"});
      CHECK(untaught.status == 2);
      CHECK(holds(untaught.error, "labelled.toml:4:"));
      CHECK(holds(untaught.error, ": run.label_propagation: 0.99 shows the labels of so many"));
    }
  const auto drawn = [&](const std::string& seed) {  // once, and with seed 2 all are shown
    return haloscope({"run",
                      haloscope.file("drawn.toml",
                                     "schema = 1\ntraining.epochs = 200\nrun = [{method = \"supergcn\", "
                                     "label_propagation = 0.95, label_redraw = 0}]\ntraining.seed = " +
                                         seed + "\n"),
                      "--dry-run"});
  };
  const Ended all = drawn("2");
  CAPTURE(all.error);
  CHECK(all.status == 2);
  CHECK(holds(all.error,
              "run.label_propagation: 0.95 shows the labels of all 20 training vertices in all 200"));
  CHECK(drawn("3").status == 0);
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  CHECK(haloscope({"run", file, "--dry-run", "--set", "cluster.workers=2"}).status == 0);
  CHECK(haloscope({"run", file, "--dry-run", "--only", "vanilla"}).status == 0);
  const std::string features5 = "dataset.features=" + (haloscope.folder() / "wide.csv").string();
  CHECK(haloscope({"run", file, "--dry-run", "--set", features5}).status == 0);
}

TEST_CASE("a split of the user's own that trains nothing is named", "[app]") {
  const Program haloscope;
  std::string none;
  for (int v = 0; v < 34; ++v) none += "test\n";
  haloscope.file("only_test.txt", none);
  const std::string file = haloscope.experiment(2, 1, "[dataset]\nsplit = \"only_test.txt\"\n");
  const Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(holds(ended.error, "only_test.txt: split: no vertex is marked for training; at least one is needed"));
  CHECK_FALSE(holds(ended.error, "Zachary"));
}
