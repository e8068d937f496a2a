#include <signal.h>

#include <catch2/catch.hpp>

#include "app/machine/calibration.h"
#include "engine/base/parallel.h"
#include "engine/hybrid/platform.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "tests/app/program.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a machine that is calibrated becomes a device that can be simulated, and a cluster", "[app]") {
  const Program haloscope;
  // --force: whether a machine that runs tests meets the bands is not for a test to say
  const Ended ended =
      haloscope({"doctor", "--calibrate", "--quick", "-o", "mine/box.toml", "--force", "--json"});
  CAPTURE(ended.error);
  REQUIRE((ended.status == 0 || ended.status == 1));
  const auto lines = jsonLines(ended.out);
  REQUIRE(lines.size() > 50);
  std::vector<double> errors;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    CHECK(lines[i].at("measured_ns") > 0);
    CHECK(lines[i].at("predicted_ns") > 0);
    if (lines[i].at("held_out")) errors.push_back(lines[i].at("error_percent"));
  }
  std::ranges::sort(errors);
  REQUIRE(errors.size() > 30);
  CHECK(lines.back().at("worst_error_percent") == errors.back());
  CHECK(lines.back().at("median_error_percent") == errors[errors.size() / 2]);
  const bool accepted = errors[errors.size() / 2] <= 15 && errors.back() <= 35;
  CHECK(lines.back().at("accepted") == accepted);
  CHECK(ended.status == (accepted ? 0 : 1));
  CHECK(holds(ended.error, "not accepted") == !accepted);

  const FigureFile device =
      readFigureFile(haloscope.folder() / "mine/box.toml", "accelerator", simtest::accelerators());
  CHECK(device.figures.integer("cores") == availableCores());
  CHECK(device.sources.at("memory_first_ns").starts_with("measured: "));
  const cluster::Machine machine = cluster::readMachine(haloscope.folder() / "mine/box-cluster.toml");
  CHECK(machine.compute.entryElementNs > 0);
  CHECK(machine.compute.denseGflops > 0);
  const FigureFile platform =
      readFigureFile(haloscope.folder() / "mine/box-platform.toml", "platform", {platformDeclaration()});
  for (const char* key :
       {"thread_gbps", "thread_sample_medges", "cpu_gmacs", "card_gmacs", "pcie_gbps", "launch_us"}) {
    CAPTURE(key);
    CHECK(platform.figures.real(key) > 0);
    CHECK(platform.sources.at(key).starts_with("measured: "));
  }
  const std::string file =
      haloscope.file("use.toml",
                     "schema = 1\nname = \"use\"\n[[simulate]]\ndevice = \"mine/box.toml\"\nslices = 1\n"
                     "[[simulate]]\nplatform = \"mine/box-platform.toml\"\nseeds = 8\niterations = 20\n");
  const Ended used = haloscope({"simulate", file});
  CAPTURE(used.error);
  CHECK(used.status == 0);
}

TEST_CASE("calibrating never overwrites unasked, and its options belong to it", "[app]") {
  const Program haloscope;
  haloscope.file("box.toml", "mine");
  const Ended inTheWay = haloscope({"doctor", "--calibrate", "-o", "box.toml"});
  CHECK(inTheWay.status == 2);
  CHECK(inTheWay.error == "box.toml: is already there; --force overwrites it\n");
  CHECK(haloscope({"doctor", "--quick"}).status == 2);
  CHECK(haloscope({"doctor", "-o", "x.toml"}).status == 2);
  CHECK(haloscope({"doctor", "--calibrate", "somehost"}).status == 2);
  const Ended twice = haloscope({"doctor", "somehost", "other", "somehost"});
  CHECK(twice.status == 2);
  CHECK(holds(twice.error, "HOST: 'somehost' is named twice"));
  const Ended nowhere = haloscope({"doctor", "--calibrate"}, {{"XDG_CONFIG_HOME", ""}, {"HOME", ""}});
  CHECK(nowhere.status == 5);
  CHECK(holds(nowhere.error, "name a file with -o"));
}

TEST_CASE("calibrating that is interrupted leaves nothing", "[app]") {
  const Program haloscope;
  const auto signal = GENERATE(SIGINT, SIGTERM);
  Process process(Program::command({"doctor", "--calibrate", "--quick", "-o", "box.toml"}),
                  haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("footprints up to"));  // it has begun
  process.signal(signal);
  const Ended ended = process.wait();
  CHECK(ended.status == 128 + signal);
  CHECK(holds(ended.error, "stopped; nothing was written"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "box.toml"));
}

TEST_CASE("what is timed is the same every time, and bounded by memory", "[app]") {
  const KitSettings first = kitSettings(true), second = kitSettings(true);
  CHECK(first.footprints == second.footprints);
  CHECK(first.footprints.back() <= 64 << 20);
  CHECK(std::ranges::is_sorted(first.footprints));
  const KitSettings full = kitSettings(false);
  CHECK(full.footprints.back() <= 4.0 * 1024 * 1024 * 1024);
  CHECK(full.footprints.back() <= full.availableBytes / 4);
  CHECK(holds(describe(full), "footprints up to"));
}
