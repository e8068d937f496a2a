// What a file asks for and cannot have is refused with its place before anything starts or is recorded.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/app/program.h"
#include "tests/app/recording_places.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("files that an experiment names and that are not there are refused before anything starts",
          "[app]") {
  const Program haloscope;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"dataset.path", "[dataset]\npath = \"nowhere\"\n"},
      {"dataset.features", "[dataset]\nfeatures = \"nowhere\"\n"},
      {"dataset.labels", "[dataset]\nlabels = \"nowhere\"\n"},
      {"dataset.split", "[dataset]\nsplit = \"nowhere\"\n"},
      {"partition.path", "[partition]\nmethod = \"file\"\npath = \"nowhere\"\n"},
      {"partition.method", "[partition]\nmethod = \"file\"\n"},
      {"dataset.name", "[dataset]\nname = \"orkut\"\n"},
      {"dataset.format", "[dataset]\nname = \"karate\"\nformat = \"ogb\"\n"}};
  for (const auto& [key, text] : cases) {
    CAPTURE(key);
    const std::string file = haloscope.experiment(2, 2, text);
    for (const bool dry : {true, false}) {
      const Ended ended = dry ? haloscope({"run", file, "--dry-run"}) : haloscope({"run", file});
      CAPTURE(ended.error);
      CHECK(ended.status == 2);
      CHECK(holds(ended.error, "small.toml:"));
      CHECK(holds(ended.error, key + ": "));
    }
  }
  const Ended weights = haloscope(
      {"run", haloscope.experiment(2, 1), "--dry-run", "--set", "training.initial_weights=nope.npz"});
  CHECK(weights.status == 2);
  CHECK(holds(weights.error, "--set training.initial_weights: '"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("a pipe that nobody reads is refused as a file to be written", "[app]") {
  const Program haloscope;
  REQUIRE(::mkfifo((haloscope.folder() / "pipe").c_str(), 0600) == 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"--force", "dataset", "convert", "karate", "-o", "pipe", "--to", "metis"},
        {"--force", "partition", "karate", "--parts", "2", "-o", "pipe"}}) {
    const Ended ended = haloscope(command);
    CAPTURE(ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, "pipe: cannot be written: is a pipe that nobody reads; "));
  }
}

TEST_CASE("a pipe is refused as a file of vertices before anybody opens it", "[app]") {
  const Program haloscope;
  REQUIRE(::mkfifo((haloscope.folder() / "pipe").c_str(), 0600) == 0);
  for (const std::string part : {"features", "labels", "split"}) {
    CAPTURE(part);
    const Ended ended = haloscope({"dataset", "map", "karate", "--" + part, "pipe"});
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, "dataset." + part + ": pipe: is a pipe, a device or a socket; a plain file"));
  }
  const Ended ended =
      haloscope({"partition", "karate", "--parts", "2", "--method", "file", "--path", "pipe"});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "--path: 'pipe' is a pipe that perhaps nobody writes"));
}

TEST_CASE("what no run can read from its start is refused as a file of an experiment before anything starts",
          "[app]") {
  const Program haloscope;
  REQUIRE(::mkfifo((haloscope.folder() / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink("pipe", haloscope.folder() / "link");
  const std::string parts = "[partition]\nmethod = \"file\"\npath = ";
  const std::string further = "; a file, which every run reads from its start";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {parts + "\"pipe\"\n", "pipe' is a pipe" + further},
      {parts + "\"link\"\n", "link' is a pipe" + further},
      {parts + "\".\"\n", "' is a folder" + further},
      {parts + "\"/dev/zero\"\n", "partition.path: '/dev/zero' is a device or socket" + further},
      {"[dataset]\nlabels = \"pipe\"\n", "dataset.labels: '"}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const Ended ended = haloscope({"run", haloscope.experiment(2, 2, text), "--dry-run"});
    CAPTURE(ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, message));
  }
  const Ended ended = haloscope({"run", haloscope.experiment(2, 2, parts + "\".\"\n")});
  CHECK(ended.status == 2);
  CHECK(holds(ended.error, "' is a folder" + further));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("what a method cannot do is refused before anything starts, also by a dry run", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("methods.toml", R"(schema = 1
[dataset]
name = "karate"
[model]
order = "update-first"
[[run]]
method = "pipegcn"
[[run]]
method = "bns"
rate = 1.5
indices = "guessed"
layer0_cache = true
[[run]]
method = "sancus"
policy = "often"
interval = 0
threshold = -0.5
skip_backward = 1
)");
  const Ended ended = haloscope({"run", file, "--dry-run"});
  CAPTURE(ended.error);
  CHECK(ended.status == 2);
  CHECK(std::ranges::count(ended.error, '\n') == 9);
  CHECK(
      holds(ended.error, "methods.toml:5:9: model.order: pipegcn sends a layer's input rows and is defined"));
  CHECK(holds(ended.error, "methods.toml:10:8: run.rate: 1.5 cannot be used; a number from 0 to 1"));
  CHECK(holds(ended.error, "methods.toml:11:11: run.indices: 'guessed' cannot be used; one of sent derived"));
  CHECK(holds(ended.error, "methods.toml:12:1: run.layer0_cache: another method of this file has this key"));
  CHECK(
      holds(ended.error, "methods.toml:5:9: model.order: sancus sends a layer's input rows and is defined"));
  CHECK(holds(ended.error,
              "methods.toml:15:10: run.policy: 'often' cannot be used; one of fixed age variation"));
  CHECK(holds(ended.error, "methods.toml:16:12: run.interval: 0 cannot be used; a whole number from 1"));
  CHECK(holds(ended.error, "methods.toml:17:13: run.threshold: -0.5 cannot be used; a number from 0"));
  CHECK(holds(ended.error, "methods.toml:18:17: run.skip_backward: 1 cannot be used; true or false"));
}

TEST_CASE("an experiment in a working directory that is gone is what the machine lacks", "[app]") {
  const Program haloscope;
  std::filesystem::create_directory(haloscope.folder() / "gone");
  const Ended ended = after(haloscope, "cd gone && rmdir ../gone", {"run", "small.toml"});
  CAPTURE(ended.error);
  CHECK(ended.status == 5);
  CHECK(holds(ended.error, "small.toml: cannot be found, the working directory is gone"));
}

TEST_CASE("an output in a working directory that is gone is what the machine lacks", "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  const std::string recording = (haloscope.folder() / "recordings.db").string();
  std::filesystem::create_directory(haloscope.folder() / "gone");
  for (const std::string format : {"csv", "chrome-trace", "weights"}) {
    const Ended ended = after(haloscope, "cd gone && rmdir ../gone",
                              {"--db", recording, "export", "1", "--format", format, "-o", "x"});
    CAPTURE(format, ended.error);
    CHECK(ended.status == 5);
    CHECK(holds(ended.error, "x: cannot be found, the working directory is gone"));
    std::filesystem::create_directory(haloscope.folder() / "gone");
  }
}
