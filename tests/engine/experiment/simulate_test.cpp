#include <catch2/catch.hpp>

#include "tests/engine/experiment/toy_devices.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a simulation has its device's figures, and what stands in their place", "[experiment]") {
  const Devices devices;
  const auto all = devices.read(
      "name = \"E\"\n[model]\nlayers = 3\n[[simulate]]\ndevice = \"toy\"\ngraph = \"orkut\"\n"
      "[[simulate]]\ndevice.name = \"toy\"\ndevice.hbm_gbps = 50\nslices = 4\nlevel = \"analytic\"\n"
      "workload = \"inference\"\nmodel.hidden = 64\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].kind == "device");
  CHECK(all[0].own.text("device") == "toy");
  CHECK(all[0].figures.at("device").model == "toy");
  CHECK(all[0].figures.at("device").figures.real("hbm_gbps") == 100);
  CHECK(all[0].figures.at("device").sources.at("hbm_gbps") == "published: a");
  CHECK(all[0].own.integer("slices") == 32);
  CHECK(all[0].run.model.layers == 3);
  CHECK(all[0].name == "E / toy / graph=orkut");
  CHECK(all[1].figures.at("device").figures.real("hbm_gbps") == 50);
  CHECK(all[1].figures.at("device").sources.at("hbm_gbps") == "assumed: this experiment");
  CHECK(all[1].figures.at("device").sources.at("lanes") == "assumed: b");
  CHECK(all[1].run.model.hidden == 64);
  CHECK(all[1].own.text("level") == "analytic");
  CHECK(all[1].flat().at("device.hbm_gbps") == "50.0");
  CHECK(all[1].flat().at("simulate.level") == "\"analytic\"");
  CHECK(all[1].flat().at("simulate.library") == "\"abc\"");
  CHECK(all[1].flat().at("dataset.name") == "\"karate\"");
  CHECK(all[0].flat().count("dataset.name") == 0);
  CHECK(all[0].flat().count("training.epochs") == 0);
  CHECK(all[0].fingerprint() != all[1].fingerprint());
  SimulateSettings other = all[0];
  other.library = "abd";
  CHECK(other.fingerprint() != all[0].fingerprint());
}

TEST_CASE("sweeps and --set reach simulations", "[experiment]") {
  const Devices devices;
  const std::string text =
      "[[simulate]]\ndevice = \"toy\"\n[sweep]\n\"simulate.graph\" = [\"orkut\", \"reddit\"]\n"
      "\"device.lanes\" = [1, 2, 4]\n";
  const auto all = devices.read(text);
  REQUIRE(all.size() == 6);
  CHECK(all[5].name == "a / toy / lanes=4 / graph=reddit");
  const auto set = devices.read(text, {{"device.lanes", "8"}, {"simulate.slices", "2"}});
  REQUIRE(set.size() == 2);
  CHECK(set[1].figures.at("device").figures.integer("lanes") == 8);
  CHECK(set[1].own.integer("slices") == 2);
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
  CHECK(devices.read("[[simulate]]\ndevice = \"toy\"\n").size() == 1);
  CHECK(problemsOf("schema = 1\n") ==
        "a.toml: run: missing; at least one [[run]] with a method, for example method = \"vanilla\", or one "
        "[[simulate]]");
}

TEST_CASE("a kind that is named by a key `kind` is told that its own key selects it", "[experiment]") {
  const Devices devices;
  CHECK(devices.problems("[[simulate]]\nkind = \"cluster\"\n") ==
        "a.toml:2:1: simulate: says not what is simulated; one of chain cluster device\n"
        "a.toml:3:1: simulate.kind: unknown key; a kind is selected by its own key, one of chain cluster "
        "device");
}

TEST_CASE("every problem of a simulation is named with its place", "[experiment]") {
  const Devices devices;
  CHECK(
      devices.problems("[[simulate]]\ndevise = \"toy\"\n"
                       "[[simulate]]\ndevice = \"\"\n"
                       "[[simulate]]\ndevice = \"toy\"\nslices = 0\nlevel = \"tiles\"\ngraph = \"orkutt\"\n"
                       "[[simulate]]\ndevice = \"tov\"\n") ==
      "a.toml:2:1: simulate: says not what is simulated; one of chain cluster device\n"
      "a.toml:3:1: simulate.devise: unknown key; did you mean 'device'?\n"
      "a.toml:5:10: simulate.device: no device; one of toy, or a device file\n"
      "a.toml:8:10: simulate.slices: 0 cannot be used; a whole number from 1 to 1000000\n"
      "a.toml:9:9: simulate.level: 'tiles' cannot be used; one of analytic tile cycle; did you mean 'tile'?\n"
      "a.toml:10:9: simulate.graph: 'orkutt' is no graph\n"
      "a.toml:12:10: simulate.device: 'tov' is no device of this version; did you mean 'toy'?");
  CHECK(devices.problems("[[simulate]]\ndevice.name = \"toy\"\ndevice.hbm_gbps = 0\ndevice.lane = 3\n"
                         "cluster.workers = 2\n") ==
        "a.toml:4:19: simulate.device.hbm_gbps: 0 cannot be used; a number from 0.001 to 1000000\n"
        "a.toml:5:8: simulate.device.lane: unknown key; did you mean 'lanes'?\n"
        "a.toml:6:9: simulate.cluster.workers: a simulation of kind 'device' reads dataset.*, model.*, "
        "device.* "
        "besides its own keys");
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

TEST_CASE("a table simulates one thing, which one key names", "[experiment]") {
  const Devices devices;
  CHECK(devices.problems("[[simulate]]\ndevice = \"toy\"\ncluster = \"big\"\n") ==
        "a.toml:4:1: simulate.cluster: a table simulates one thing; device and cluster stand together here");
  CHECK(devices.problems("[[simulate]]\nslices = 3\n[[simulate]]\npipeline = { stages = 2 }\n") ==
        "a.toml:2:1: simulate: says not what is simulated; one of chain cluster device\n"
        "a.toml:4:1: simulate: says not what is simulated; one of chain cluster device");
  // the command line and a sweep can say it too
  CHECK(devices.read("[[simulate]]\nslices = 3\n", {{"simulate.device", "toy"}}).size() == 1);
  CHECK(
      devices.read("[[simulate]]\nslices = 3\n[sweep]\n\"device.name\" = [\"toy\", \"toy.toml\"]\n").size() ==
      2);
}

TEST_CASE("keys of a kind's own table stand in it, after a dot, in sweeps and on the command line",
          "[experiment]") {
  const Devices devices;
  const auto inner = devices.read("[[simulate]]\nchain = { stages = 4, link = \"10gbe\" }\npasses = 2\n");
  REQUIRE(inner.size() == 1);
  CHECK(inner[0].kind == "chain");
  CHECK(inner[0].own.text("chain.stages") == "4");
  CHECK(inner[0].own.integer("passes") == 2);
  CHECK(inner[0].run.cluster.link.bandwidthGbit == 9.4);
  CHECK(inner[0].figures.at("first").figures.integer("lanes") == 16);
  CHECK(inner[0].name == "a / chain / link=10gbe / stages=4 / passes=2");
  CHECK(inner[0].flat().at("chain.stages") == "\"4\"");
  CHECK(inner[0].flat().at("chain.link.bandwidth_gbit") == "9.4");

  const auto dotted = devices.read(
      "[[simulate]]\nchain.link = { bandwidth_gbit = 3.0 }\nfirst.lanes = 2\n[sweep]\n\"chain.stages\" = [1, "
      "2]\n",
      {{"first.hbm_gbps", "7"}});
  REQUIRE(dotted.size() == 2);
  CHECK(dotted[1].own.text("chain.stages") == "2");
  CHECK(dotted[1].run.cluster.link.bandwidthGbit == 3);
  CHECK(dotted[1].figures.at("first").figures.integer("lanes") == 2);
  CHECK(dotted[1].figures.at("first").figures.real("hbm_gbps") == 7);
  CHECK(devices.problems("[[simulate]]\nchain = { stage = 4 }\n") ==
        "a.toml:3:11: simulate.chain.stage: unknown key; did you mean 'stages'?");
  CHECK(devices.problems("[[simulate]]\nchain.link = \"11gbe\"\n") ==
        "a.toml:3:14: simulate.chain.link: '11gbe' cannot be used; a table { bandwidth_gbit = 10.0, "
        "latency_us = 20.0 } or one of 10gbe none");
  CHECK(devices.problems(
            "[[simulate]]\nchain.link = { bandwidth_gbit = 3.0, per = \"host\", ranks_per_host = 2 "
            "}\n") ==
        "a.toml:3:14: simulate.chain.link: per = \"host\" is of cluster.link alone; here every device or "
        "worker "
        "has a card of its own");
}

TEST_CASE("a list in a simulation is a sweep of that table alone", "[experiment]") {
  const Devices devices;
  const auto all = devices.read(
      "[[simulate]]\ncluster = \"big\"\nworkers = [8, 64, 512]\n[[simulate]]\ndevice.name = \"toy\"\n"
      "device.lanes = [1, 2]\nmodel.hidden = [16, 32]\n");
  REQUIRE(all.size() == 7);
  CHECK(all[2].own.integer("workers") == 512);
  CHECK(all[2].name == "a / big / workers=512");
  CHECK(all[6].name == "a / toy / lanes=2 / hidden=32");
  // --set has the last word, and makes one of them
  CHECK(devices.read("[[simulate]]\ncluster = \"big\"\nworkers = [8, 64]\n", {{"simulate.workers", "3"}})
            .at(0)
            .own.integer("workers") == 3);
  CHECK(devices.problems("[[simulate]]\ncluster = \"big\"\nworkers = []\n") ==
        "a.toml:4:11: simulate.workers: an empty list cannot be swept over; a list of at least one value, "
        "like [1, "
        "2]");
  CHECK(devices.problems("[[simulate]]\ncluster = \"big\"\nworkers = [8, 8]\n") ==
        "a.toml:4:15: simulate.workers: 8 stands twice in the list; each value once");
}

TEST_CASE("a kind of methods has the method's parameters and the partitioner's", "[experiment]") {
  const Devices devices;
  const auto all = devices.read(
      "[partition]\nmethod = \"hypergraph\"\npasses = 3\n[[simulate]]\ncluster = \"big\"\nmethod = "
      "\"pipegcn\"\n"
      "decay = 0.5\npartition.imbalance = 0.1\n[[simulate]]\ncluster = \"big\"\n[sweep]\n"
      "\"simulate.delay\" = [1, 2]\n");
  REQUIRE(all.size() == 3);  // vanilla has no delay
  CHECK(all[0].run.method == "pipegcn");
  CHECK(all[0].run.parameters.real("decay") == 0.5);
  CHECK(all[1].run.parameters.integer("delay") == 2);
  CHECK(all[1].flat().at("simulate.delay") == "2");
  CHECK(all[0].run.partition.method == "hypergraph");
  CHECK(all[0].run.partition.parameters.integer("passes") == 3);
  CHECK(all[0].run.partition.imbalance == 0.1);
  CHECK(all[2].run.method == "vanilla");
  CHECK(devices.problems("[[simulate]]\ncluster = \"big\"\nmethod = \"pipegnn\"\n[[simulate]]\ncluster = "
                         "\"big\"\ndelay = 2\npartition.passes = 2\n") ==
        "a.toml:4:10: simulate.method: 'pipegnn' is not a method; did you mean 'pipegcn'?\n"
        "a.toml:7:1: simulate.delay: `delay` is a key of the method pipegcn. Only tables with such a method "
        "have it.\n"
        "a.toml:8:11: simulate.partition.passes: `passes` is a key of the partitioner hypergraph. "
        "partition.method chooses the partitioner.");
}

TEST_CASE("published figures are held against the simulations of the file, whatever is set", "[experiment]") {
  const Devices devices;
  const std::string text =
      "[[simulate]]\ndevice = \"toy\"\nmodel.hidden = [16, 32]\n[[published]]\nwhere = \"T\"\nmetric = "
      "\"simulated_seconds\"\nvalue = 2\nlow = 1.5\nhigh = 2.5\nbecause = \"b\"\nof = { \"model.hidden\" = "
      "32 }\n";
  CHECK(devices.read(text).size() == 2);
  CHECK(devices.read(text, {{"model.hidden", "8"}}).size() == 1);
  CHECK(devices.read(text, {{"simulate.slices", "8"}}).at(1).run.model.hidden == 32);
}

TEST_CASE("a swept key that is none is named with its place and what may be meant", "[experiment]") {
  const Devices devices;
  const auto swept = [&](const std::string& line) {
    return devices.problems("[[simulate]]\ndevice = \"toy\"\n[sweep]\n" + line + " = [1, 2]\n");
  };
  CHECK(swept("\"device.lane\"") == "a.toml:5:1: sweep.device.lane: unknown key; did you mean 'lanes'?");
  CHECK(swept("\"device.zzzzz\"") ==  // an abacus, which nobody simulates, has other keys
        "a.toml:5:1: sweep.device.zzzzz: unknown key; see `haloscope methods toy`");
  CHECK(swept("\"simulate.slcies\"") ==
        "a.toml:5:1: sweep.simulate.slcies: unknown key; did you mean 'slices'?");
  CHECK(swept("slices") == "a.toml:5:1: sweep.slices: unknown key; did you mean 'simulate.slices'?");
  CHECK(swept("\"devcie.lanes\"") ==
        "a.toml:5:1: sweep.devcie.lanes: unknown key; did you mean 'device.lanes'?");
  CHECK(devices.problems("[[simulate]]\nslices = 1\n[sweep]\n\"simulate.devcie\" = [\"toy\"]\n") ==
        "a.toml:2:1: simulate: says not what is simulated; one of chain cluster device\n"
        "a.toml:5:1: sweep.simulate.devcie: unknown key; did you mean 'device'?");
}
