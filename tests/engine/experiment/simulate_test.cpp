#include <catch2/catch.hpp>
#include <fstream>

#include "engine/experiment/device_file.h"
#include "tests/engine/experiment/known.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::string_view kModes[] = {"slow", "fast"};
constexpr Parameter kToy[] = {{"hbm_gbps", "bandwidth", Real{100, 0.001, 1e6}},
                              {"lanes", "adders", Integer{16, 1, 1024}},
                              {"mode", "how", Choice{"slow", kModes}}};
constexpr const char* kToyFile =
    "accelerator = \"toy\"\n[figures]\nhbm_gbps = 100\nlanes = 16\nmode = \"slow\"\n"
    "[sources]\nhbm_gbps = \"published: a\"\nlanes = \"assumed: b\"\nmode = \"derived: c\"\n";

/// A folder with one device.
class Devices {
 public:
  Devices() { write("toy.toml", kToyFile); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  Known known() const {
    Known all = test::known();
    all.devices = {{"toy", "adds", "", kToy}};
    all.deviceFolder = scratch_.path();
    all.graphs = {"orkut", "reddit"};
    return all;
  }
  std::vector<SimulateSettings> of(const std::string& text, const std::vector<Override>& set = {}) const {
    return parseExperiment("schema = 1\n" + text, scratch_ / "a.toml", known(), set).simulations;
  }
  /// Messages with the folder left out.
  std::string problems(const std::string& text, const std::vector<Override>& set = {}) const {
    return said([&] { (void)of(text, set); });
  }
  std::string deviceProblems(const std::string& text) const {
    const auto file = write("wrong.toml", text);
    return said([&] { (void)readDevice(file, known().devices); });
  }

 private:
  template <class Call>
  std::string said(Call call) const {
    try {
      call();
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string folder = scratch_.path().string() + "/";
      for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
        text.erase(at, folder.size());
      return text;
    }
    return "";
  }
  Scratch scratch_;
};

}  // namespace

TEST_CASE("a simulation has its device's figures, and what stands in their place", "[experiment]") {
  const Devices devices;
  const auto all = devices.of(
      "name = \"E\"\n[model]\nlayers = 3\n[[simulate]]\ndevice = \"toy\"\ngraph = \"orkut\"\n"
      "[[simulate]]\ndevice.name = \"toy\"\ndevice.hbm_gbps = 50\nslices = 4\nlevel = \"analytic\"\n"
      "workload = \"inference\"\nmodel.hidden = 64\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].device == "toy");
  CHECK(all[0].accelerator == "toy");
  CHECK(all[0].figures.real("hbm_gbps") == 100);
  CHECK(all[0].sources.at("hbm_gbps") == "published: a");
  CHECK(all[0].slices == 32);
  CHECK(all[0].model.layers == 3);
  CHECK(all[0].name == "E / toy / graph=orkut");
  CHECK(all[1].figures.real("hbm_gbps") == 50);
  CHECK(all[1].sources.at("hbm_gbps") == "assumed: this experiment");
  CHECK(all[1].sources.at("lanes") == "assumed: b");
  CHECK(all[1].model.hidden == 64);
  CHECK(all[1].level == "analytic");
  CHECK(all[1].flat().at("device.hbm_gbps") == "50.0");
  CHECK(all[1].flat().at("dataset.name") == "\"karate\"");
  CHECK(all[0].flat().count("dataset.name") == 0);
  CHECK(all[0].fingerprint() != all[1].fingerprint());
}

TEST_CASE("a device that ships is named as its file is", "[experiment]") {
  const Devices devices;
  std::string wide = kToyFile;
  wide.replace(wide.find("lanes = 16"), 10, "lanes = 64");
  devices.write("wide.toml", wide);
  const auto all = devices.of("[[simulate]]\ndevice = \"wide\"\n[[simulate]]\ndevice = \"toy\"\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].device == "wide");
  CHECK(all[0].accelerator == "toy");
  CHECK(all[0].figures.integer("lanes") == 64);
  CHECK(all[1].figures.integer("lanes") == 16);
  CHECK(
      devices.problems("[[simulate]]\ndevice = \"wild\"\n") ==
      "a.toml:3:10: simulate.device: 'wild' is no device of this version; one of toy wide, or a device file");
}

TEST_CASE("figures of one device are no conditions of another it is held against", "[experiment]") {
  const Devices devices;
  std::string wide = kToyFile;
  wide.replace(wide.find("lanes = 16"), 10, "lanes = 64");
  devices.write("wide.toml", wide);
  const auto problems = [&](const std::string& over) {
    return devices.problems(
        "[[simulate]]\ndevice = \"wide\"\n[[simulate]]\ndevice = \"toy\"\n[sweep]\n\"simulate.graph\" = "
        "[\"orkut\", \"reddit\"]\n[[published]]\nwhere = \"T\"\nmetric = \"simulated_seconds\"\nvalue = 2\n"
        "low = 1\nhigh = 3\nof = { \"simulate.device\" = \"toy\", \"device.lanes\" = 16, \"simulate.graph\" "
        "= "
        "\"orkut\" }\nover = { " +
        over + " }\n");
  };
  CHECK(problems("\"simulate.device\" = \"wide\"").empty());
  CHECK_FALSE(problems("\"simulate.slices\" = 32").empty());  // the very run itself
  CHECK_FALSE(problems("\"simulate.device\" = \"wide\", \"device.lanes\" = 16").empty());  // has 64
}

TEST_CASE("sweeps and --set reach simulations", "[experiment]") {
  const Devices devices;
  const std::string text =
      "[[simulate]]\ndevice = \"toy\"\n[sweep]\n\"simulate.graph\" = [\"orkut\", \"reddit\"]\n"
      "\"device.lanes\" = [1, 2, 4]\n";
  const auto all = devices.of(text);
  REQUIRE(all.size() == 6);
  CHECK(all[5].name == "a / toy / lanes=4 / graph=reddit");
  const auto set = devices.of(text, {{"device.lanes", "8"}, {"simulate.slices", "2"}});
  REQUIRE(set.size() == 2);
  CHECK(set[1].figures.integer("lanes") == 8);
  CHECK(set[1].slices == 2);
}

TEST_CASE("runs and simulations in one file leave each other alone", "[experiment]") {
  const Devices devices;
  const Experiment e = parseExperiment(
      "schema = 1\n[[run]]\nmethod = \"vanilla\"\n[[simulate]]\ndevice = \"toy\"\n[sweep]\n"
      "\"cluster.workers\" = [1, 2]\n\"device.lanes\" = [1, 2, 4]\n",
      "a.toml", devices.known());
  CHECK(e.runs.size() == 2);
  CHECK(e.simulations.size() == 3);
}

TEST_CASE("a file may hold simulations alone", "[experiment]") {
  const Devices devices;
  CHECK(devices.of("[[simulate]]\ndevice = \"toy\"\n").size() == 1);
  CHECK(problemsOf("schema = 1\n") ==
        "a.toml: run: missing; at least one [[run]] with a method, for example method = \"vanilla\", or one "
        "[[simulate]] with a device");
}

TEST_CASE("every problem of a simulation is named with its place", "[experiment]") {
  const Devices devices;
  CHECK(
      devices.problems("[[simulate]]\ndevise = \"toy\"\nslices = 0\nlevel = \"tiles\"\ngraph = \"orkutt\"\n"
                       "[[simulate]]\ndevice = \"tov\"\n") ==
      "a.toml:2:1: simulate: no device; one of toy, or a device file\n"
      "a.toml:3:1: simulate.devise: unknown key; did you mean 'device'?\n"
      "a.toml:4:10: simulate.slices: 0 cannot be used; a whole number from 1 to 1000000\n"
      "a.toml:5:9: simulate.level: 'tiles' cannot be used; one of analytic tile cycle; did you mean 'tile'?\n"
      "a.toml:6:9: simulate.graph: 'orkutt' is no graph with published figures; did you mean 'orkut'?\n"
      "a.toml:8:10: simulate.device: 'tov' is no device of this version; did you mean 'toy'?");
  CHECK(
      devices.problems("[[simulate]]\ndevice.name = \"toy\"\ndevice.hbm_gbps = 0\ndevice.lane = 3\n"
                       "cluster.workers = 2\n") ==
      "a.toml:4:19: simulate.device.hbm_gbps: 0 cannot be used; a number from 0.001 to 1000000\n"
      "a.toml:5:8: simulate.device.lane: unknown key; did you mean 'lanes'?\n"
      "a.toml:6:9: simulate.cluster.workers: a simulation reads dataset.*, model.* and device.* besides its "
      "own keys");
  CHECK(devices.problems("[[simulate]]\ndevice = \"toy\"\ngraph = \"orkut\"\ntiling = \"exact\"\n"
                         "[[simulate]]\ndevice = \"toy\"\ntiling = \"replica\"\n") ==
        "a.toml:5:10: simulate.tiling: 'exact' counts in a graph, and simulate.graph gives figures only; "
        "statistics or replica\n"
        "a.toml:8:10: simulate.tiling: 'replica' is made from published figures: name a graph in "
        "simulate.graph");
}

TEST_CASE("keys that nothing reads are refused", "[experiment]") {
  const Devices devices;
  CHECK(devices.problems("[[run]]\nmethod = \"vanilla\"\n", {{"device.lanes", "3"}}) ==
        "--set device.lanes: is of [[simulate]] tables, and this file has none");
  CHECK(devices.problems("[[simulate]]\ndevice = \"toy\"\n[sweep]\n\"cluster.workers\" = [1, 2]\n") ==
        "a.toml:5:1: sweep.cluster.workers: multiplies [[run]] tables, and this file has none");
  CHECK(devices.problems("[[simulate]]\ndevice = \"toy\"\ndevice.lanes = 2\n") ==
        "a.toml:4:1: not TOML: Error while parsing key-value pair: cannot redefine existing string as dotted "
        "key-value pair; beside device.KEY = … the device itself is device.name = \"…\"");
}

TEST_CASE("forms of simulation that do not exist yet are named", "[experiment]") {
  const Devices devices;
  const Experiment e = parseExperiment(
      "schema = 1\n[[run]]\nmethod = \"vanilla\"\n[[simulate]]\npipeline = { stages = \"auto\" }\n"
      "[[simulate]]\ncluster = \"a64fx-tofu\"\nworkers = [8]\n[[simulate]]\nreplay = \"last\"\n"
      "[[simulate]]\ndevice = \"toy\"\n",
      "a.toml", devices.known());
  CHECK(e.runs.size() == 1);
  CHECK(e.simulations.size() == 1);
  REQUIRE(e.notYet.size() == 3);
  const char* rest = "; take this table out, or run the training runs alone with --only METHOD";
  CHECK(describe(e.notYet[0]) ==
        std::string("a.toml:4:1: simulate.pipeline: simulations of pipelines of sparse and dense devices "
                    "arrive in a later version") +
            rest);
  CHECK(describe(e.notYet[1]) ==
        std::string("a.toml:6:1: simulate.cluster: simulations of clusters arrive in a later version") +
            rest);
  CHECK(describe(e.notYet[2]) ==
        std::string("a.toml:9:1: simulate.replay: simulations of recorded runs on other links arrive in a "
                    "later version") +
            rest);
}

TEST_CASE("a device file is read strictly", "[experiment]") {
  const Devices devices;
  CHECK(devices.deviceProblems(kToyFile).empty());
  CHECK(devices.deviceProblems("accelerator = \"tov\"\n[figure]\n") ==
        "wrong.toml:1:1: figures: missing; a table of the accelerator's parameters\n"
        "wrong.toml:1:1: sources: missing; a table of the accelerator's parameters\n"
        "wrong.toml:1:15: accelerator: 'tov' is no accelerator; did you mean 'toy'?\n"
        "wrong.toml:2:2: figure: unknown key; did you mean 'figures'?");
  CHECK(devices.deviceProblems("accelerator = \"toy\"\n[figures]\nhbm_gbps = 0\nhbm_mbps = 3\nlanes = 16\n"
                               "mode = \"slow\"\n[sources]\nhbm_gbps = \"a guess\"\nlanes = \"assumed: b\"\n"
                               "mode = \"derived: c\"\n") ==
        "wrong.toml:3:12: figures.hbm_gbps: 0 cannot be used; a number from 0.001 to 1000000\n"
        "wrong.toml:4:1: figures.hbm_mbps: unknown key; did you mean 'hbm_gbps'?\n"
        "wrong.toml:8:12: sources.hbm_gbps: 'a guess' cannot be used; a text that begins with \"published: "
        "\", \"measured: \", \"derived: \" or \"assumed: \"");
  CHECK(devices.deviceProblems("accelerator = \"toy\"\n[figures]\nhbm_gbps = 1\nlanes = 16\n"
                               "[sources]\nhbm_gbps = \"published: a\"\nmode = \"derived: c\"\n") ==
        "wrong.toml:2:1: figures.mode: missing; how\n"
        "wrong.toml:5:1: sources.lanes: missing; every figure says where it comes from");
  const auto all = devices.of("[[simulate]]\ndevice = \"toy.toml\"\n");
  CHECK(all.at(0).accelerator == "toy");
}
