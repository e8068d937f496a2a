#include "app/machine/energy_counter.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("energy counters of packages add up, and go on when they come round", "[app]") {
  const Scratch scratch;
  const auto write = [&](const std::string& file, std::int64_t value) {
    std::filesystem::create_directories((scratch / file).parent_path());
    std::ofstream(scratch / file) << value << "\n";
  };
  CHECK_FALSE(EnergyCounter(scratch / "none").readable());
  write("intel-rapl:0/energy_uj", 1'000'000);
  write("intel-rapl:0/max_energy_range_uj", 10'000'000);
  write("intel-rapl:1/energy_uj", 9'000'000);
  write("intel-rapl:1/max_energy_range_uj", 10'000'000);
  write("intel-rapl:0:0/energy_uj", 5);  // a part of the first package, which counts it already
  write("intel-rapl:0:0/max_energy_range_uj", 10);
  write("dtpm/energy_uj", 5);
  EnergyCounter counter(scratch.path());
  CHECK(counter.readable());
  CHECK(counter.joules() == 0);
  write("intel-rapl:0/energy_uj", 1'500'000);
  write("intel-rapl:1/energy_uj", 500'000);  // came round: 1.5 J
  CHECK(counter.joules() == Approx(0.5 + 1.5));
  CHECK(counter.joules() == 0);
}
