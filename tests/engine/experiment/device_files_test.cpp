// Devices as files have them: how a file names one, what is read of it, and what of it is refused.
#include <catch2/catch.hpp>

#include "tests/engine/experiment/toy_devices.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a device that ships is named as its file is", "[experiment]") {
  const Devices devices;
  std::string wide = kToyFile;
  wide.replace(wide.find("lanes = 16"), 10, "lanes = 64");
  devices.write("wide.toml", wide);
  const auto all = devices.read("[[simulate]]\ndevice = \"wide\"\n[[simulate]]\ndevice = \"toy\"\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].own.text("device") == "wide");
  CHECK(all[0].figures.at("device").model == "toy");
  CHECK(all[0].figures.at("device").figures.integer("lanes") == 64);
  CHECK(all[1].figures.at("device").figures.integer("lanes") == 16);
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
        "low = 1\nhigh = 3\ndiffers = [\"graph\"]\nbecause = \"b\"\nof = { \"simulate.device\" = \"toy\", "
        "\"device.lanes\" = 16, \"simulate.graph\" "
        "= "
        "\"orkut\" }\nover = { " +
        over + " }\n");
  };
  CHECK(problems("\"simulate.device\" = \"wide\"").empty());
  CHECK_FALSE(problems("\"simulate.slices\" = 32").empty());  // the very run itself
  CHECK_FALSE(problems("\"simulate.device\" = \"wide\", \"device.lanes\" = 16").empty());  // has 64
}

TEST_CASE("the command line names a device and its figures as a table does", "[experiment]") {
  const Devices devices;
  std::string twin = kToyFile;
  twin.replace(twin.find("lanes = 16"), 10, "lanes = 99");
  devices.write("twin.toml", twin);
  const std::string text = "[[simulate]]\ndevice.name = \"toy\"\ndevice.hbm_gbps = 3\n";
  const auto named = devices.read(text, {{"device.name", "twin"}, {"device.mode", "fast"}});
  REQUIRE(named.size() == 1);
  CHECK(named[0].figures.at("device").figures.integer("lanes") == 99);
  CHECK(named[0].figures.at("device").figures.real("hbm_gbps") == 3);
  CHECK(named[0].figures.at("device").figures.text("mode") == "fast");
  CHECK(devices.read("[[simulate]]\ndevice = \"toy\"\n", {{"device.hbm_gbps", "3"}})
            .at(0)
            .figures.at("device")
            .figures.real("hbm_gbps") == 3);
  CHECK(devices.problems(text, {{"device.lane", "3"}}) ==
        "--set device.lane: unknown key; did you mean 'lanes'?");
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
        "\", \"measured: \", \"derived: \" or \"assumed: \" and says where from");
  CHECK(devices.deviceProblems("accelerator = \"toy\"\n[figures]\nhbm_gbps = 1\nlanes = 16\n"
                               "[sources]\nhbm_gbps = \"published: a\"\nmode = \"derived: c\"\n") ==
        "wrong.toml:2:1: figures.mode: missing; how\n"
        "wrong.toml:5:1: sources.lanes: missing; every figure says where it comes from");
  const auto all = devices.read("[[simulate]]\ndevice = \"toy.toml\"\n");
  CHECK(all.at(0).figures.at("device").model == "toy");
}
