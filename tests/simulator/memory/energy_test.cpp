#include "simulator/memory/energy.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

TEST_CASE("energies are the table's, scaled to the process", "[simulator]") {
  const EnergyTable& table = library().energies;
  CHECK(table.operationPj("fp32_add", 45) == Approx(0.9));
  CHECK(table.operationPj("fp32_multiply", 28) == Approx(3.7 * 0.55));
  CHECK(table.scaling(16) == Approx(0.35));
  CHECK(table.scaling(12) == Approx(0.30));
  CHECK(table.scaling(20) < table.scaling(28));
  CHECK(table.scaling(20) > table.scaling(16));
  CHECK(table.sramPjPerByte(8, 45) == Approx(10.0 / 8));
  CHECK(table.sramPjPerByte(32, 45) == Approx(20.0 / 8));
  CHECK(table.sramPjPerByte(1000, 28) == Approx(6.9).epsilon(0.01));  // resources/design/simulator.md
  CHECK(table.sramPjPerByte(16, 45) > 10.0 / 8);
  CHECK(table.sramPjPerByte(16, 45) < 20.0 / 8);
  CHECK(table.dramPjPerByte() == 56);
  CHECK(table.source("hbm_byte").find("published: ") == 0);
}

TEST_CASE("a table of energies without what accelerators need is refused", "[simulator]") {
  const Scratch folder;
  std::ofstream(folder / "energy.toml")
      << "[fp32_add]\nvalue = 0.9\nunit = \"pJ\"\nnode_nm = 45\nsource = \"x\"\n";
  try {
    EnergyTable table(folder / "energy.toml");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 14);
    CHECK(std::string(error.what())
              .find("energy.toml: fp32_add.unit: 'pJ' is not what this item is counted "
                    "in; \"pJ an operation\"") != std::string::npos);
    CHECK(std::string(error.what()).find("energy.toml: sram_8kb_64bit: missing; accelerators ask for it") !=
          std::string::npos);
  }
  std::ofstream(folder / "energy.toml") << "[fp32_add]\nvalue = -1\nunit = 3\nnode_nm = 45\n";
  try {
    EnergyTable table(folder / "energy.toml");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(error.problems().size() == 3);
  }
}

TEST_CASE("a table of energies with a unit that there is not is refused", "[simulator]") {
  const Scratch folder;
  std::ifstream in(std::filesystem::path(kSourceDir) / "resources/energy.toml");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string entry = "\n[mine]\nvalue = 1\nnode_nm = 0\nsource = \"x\"\nunit = ";
  std::ofstream(folder / "energy.toml") << text << entry << "\"pJ a byte\"\n";
  CHECK_NOTHROW(EnergyTable(folder / "energy.toml"));
  std::ofstream(folder / "energy.toml") << text << entry << "\"nJ\"\n";
  try {
    EnergyTable table(folder / "energy.toml");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what())
              .find("energy.toml: mine.unit: 'nJ' is no unit of this file; pJ an operation, "
                    "pJ an access of 8 bytes, pJ a byte or ratio") != std::string::npos);
  }
}

namespace {

/// Counted energies of a device on a random graph, with what they were counted in.
struct Counted {
  DeviceResult result;
  double node = 0, sram = 0, add = 0;

  explicit Counted(const std::string& device) {
    const Csr matrix = randomDirected(900, 20'000, 3);
    const Values figures = deviceFigures(device);
    const EnergyTable& table = library().energies;
    result = find<AcceleratorEntry>(device)->simulate({figures,
                                                       library(),
                                                       {900, matrix.nonzeros(), 1, &matrix},
                                                       {{0, Pass::forward, 16, true}},
                                                       Level::tile});
    node = figures.real("technology_nm");
    sram = table.sramPjPerByte(figures.real("sram_macro_kb"), node);
    add = table.operationPj("fp32_add", node);
  }
  double stream(const std::string& name) const { return figureOf(result.streams, name, &Count::value); }
  double through(const std::string& name) const {
    return figureOf(result.components, name, &Component::bytes);
  }
  double memory() const { return static_cast<double>(result.dramBytes()); }
  double operation(const std::string& name) const { return library().energies.operationPj(name, node); }
  double sums() const { return add * static_cast<double>(result.operations); }

 private:
  template <class Items, class Figure>
  static double figureOf(const Items& items, const std::string& name, Figure figure) {
    const auto match =
        std::ranges::find(items, name, [](const auto& item) { return std::string(item.name); });
    REQUIRE(match != items.end());
    return static_cast<double>((*match).*figure);
  }
};

}  // namespace

TEST_CASE("energy is counts times the table", "[simulator]") {
  // what the other accelerators' own tests do not add up
  SECTION("SPU: column numbers and masks go in and out, sums are read and written") {
    const Counted spu("spu");
    const double bytes = 2 * spu.stream("column numbers") + spu.stream("rows of sources") +
                         spu.through("node buffer") + 2 * spu.through("output buffer") + spu.stream("sums") +
                         2 * spu.stream("mask");
    CHECK(spu.result.perOpPj == Approx(56 * spu.memory() + bytes * spu.sram + spu.sums()));
  }
  SECTION("FPGA: all that passes a buffer goes in and out") {
    const Counted fpga("fpga");
    double bytes = 0;
    for (const char* engine : {"edge dispatcher", "feature duplicator", "gather"})
      bytes += 2 * fpga.through(engine);
    // eight gather elements: two crossbars of four ways a word
    const double network = fpga.through("gather") / 4 * 2 * fpga.operation("crossbar_1to4_32bit");
    CHECK(fpga.result.perOpPj == Approx(deviceFigures("fpga").real("memory_pj_per_byte") * fpga.memory() +
                                        bytes * fpga.sram + network + fpga.sums()));
  }
  SECTION("EnGN: edges and rows go in and out of the rings, cached rows out of the cache") {
    const Counted engn("engn");
    const double bytes = engn.through("vertex cache") + engn.stream("cached rows") +
                         2 * (engn.stream("edges") + engn.stream("rows of sources"));
    const double registers =
        2 * engn.operation("register_32bit") * static_cast<double>(engn.result.operations);
    CHECK(engn.result.perOpPj == Approx(56 * engn.memory() + bytes * engn.sram + registers + engn.sums()));
  }
  SECTION("GraphACT: rows come in, sums leave, and operands in between") {
    const Counted graphact("graphact");
    const double bytes =
        graphact.through("row buffer") + graphact.stream("rows of sources") + graphact.stream("sums");
    CHECK(graphact.result.perOpPj ==
          Approx(deviceFigures("graphact").real("memory_pj_per_byte") * graphact.memory() +
                 bytes * graphact.sram + graphact.sums()));
  }
}

TEST_CASE("the table of energies is the design's, row by row", "[simulator]") {
  const EnergyTable& energies = library().energies;
  const auto [name, pj, node] =
      GENERATE(table<std::string, double, double>({{"fp32_add", 0.9, 45},
                                                   {"fp32_multiply", 3.7, 45},
                                                   {"int32_add", 0.1, 45},
                                                   {"fp32_add_synthesised_least", 7.7, 40},
                                                   {"fp32_add_synthesised_most", 16.7, 40},
                                                   {"fp32_multiply_synthesised_least", 24, 40},
                                                   {"fp32_multiply_synthesised_most", 35, 40},
                                                   {"register_32bit", 0.009, 40},
                                                   {"crossbar_1to4_32bit", 0.68, 40}}));
  CAPTURE(name);
  CHECK(energies.operationPj(name, node) == Approx(pj));
  CHECK(energies.source(name).find("published: ") == 0);
  for (const auto& [link, pjPerBit] : std::map<std::string, double>{{"hbm_byte", 7},
                                                                    {"ddr4_byte", 17.5},
                                                                    {"pcie_byte", 5},
                                                                    {"nvlink_byte", 8},
                                                                    {"infiniband_byte", 15}})
    CHECK(energies.bytePj(link) == Approx(8 * pjPerBit));
  // of HBM2 what the currents say
  const DramTable& hbm = library().memories.at("hbm2");
  CHECK(hbm.readPj() == Approx(804).epsilon(0.001));
  CHECK(hbm.activatePj() == Approx(828).epsilon(0.001));
  CHECK(hbm.backgroundMw() == Approx(66));
}

TEST_CASE("energies scaled beyond the table's processes say so", "[simulator]") {
  const EnergyTable& table = library().energies;
  for (const double node : {12.0, 28.0, 45.0}) CHECK_FALSE(EnergyTable::extrapolates(node));
  for (const double node : {8.0, 65.0}) CHECK(EnergyTable::extrapolates(node));
  CHECK(table.scaledSource("fp32_add", 45) == "published: Horowitz, ISSCC 2014");
  CHECK(table.scaledSource("fp32_add", 12) ==
        "published: Horowitz, ISSCC 2014; scaled from 45 to 12 nm, assumed within 30 %");
  CHECK(table.scaledSource("fp32_add", 8) ==
        "published: Horowitz, ISSCC 2014; scaled from 45 to 8 nm, assumed within 30 %; extrapolated, the "
        "table's processes end at 12 and 45 nm");
  const auto marksOf = [](const std::string& device) {
    return simulate(mixgcn(device, "reddit"), library()).marks;
  };
  CHECK(marksOf("gpu") == std::vector<std::string>{"energy extrapolated"});  // 8 nm
  CHECK(marksOf("spu").empty());                                             // 28 nm
}

TEST_CASE("leakage is power times time on top of counts, whatever device it is", "[simulator]") {
  const Csr matrix = randomDirected(900, 20'000, 3);
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    CAPTURE(name);
    std::map<std::string, Value> other = {{"energy_mode", std::string("per-op")}};
    const auto run = [&] {
      return entry.simulate({deviceFigures(name, other),
                             library(),
                             {900, matrix.nonzeros(), 1, &matrix},
                             {{0, Pass::forward, 16, true}},
                             Level::tile});
    };
    const DeviceResult none = run();
    other["leakage_w"] = 3.0;
    const DeviceResult leaky = run();
    CHECK(leaky.perOpPj == Approx(none.perOpPj + 3 * none.ns * 1e3));
    CHECK(leaky.chipPowerPj == Approx(none.chipPowerPj));
    double sum = 0;
    for (const Component& component : leaky.components) sum += component.energyPj;
    CHECK(sum == Approx(leaky.perOpPj));
    CHECK(leaky.components.front().energyPj == Approx(none.components.front().energyPj));
  }
}

TEST_CASE("rows over the host's link cost what the table says of PCIe", "[simulator]") {
  const Graph graph{1000, 20'000, 1, nullptr};
  const auto run = [&](const char* transfers) {
    return find<AcceleratorEntry>("gpu")->simulate(
        {deviceFigures("gpu",
                       {{"transfers", std::string(transfers)}, {"energy_mode", std::string("per-op")}}),
         library(),
         graph,
         {{0, Pass::forward, 64, true}},
         Level::tile});
  };
  CHECK(run("pinned").perOpPj - run("none").perOpPj == Approx(2 * 1000 * 256 * 40.0));
}
