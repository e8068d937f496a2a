#include "simulator/energy.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/simulator/device.h"
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
  CHECK(table.sramPjPerByte(1000, 28) == Approx(6.9).epsilon(0.01));  // simulator.md 3.1
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
    CHECK(error.problems().size() == 11);
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
  const std::string mine = "\n[mine]\nvalue = 1\nnode_nm = 0\nsource = \"x\"\nunit = ";
  std::ofstream(folder / "energy.toml") << text << mine << "\"pJ a byte\"\n";
  CHECK_NOTHROW(EnergyTable(folder / "energy.toml"));
  std::ofstream(folder / "energy.toml") << text << mine << "\"nJ\"\n";
  try {
    EnergyTable table(folder / "energy.toml");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what())
              .find("energy.toml: mine.unit: 'nJ' is no unit of this file; pJ an operation, "
                    "pJ an access of 8 bytes, pJ a byte or ratio") != std::string::npos);
  }
}
