#include "simulator/device/fpga_kernel.h"

#include <catch2/catch.hpp>

#include "engine/base/problem.h"

using namespace halo;
using namespace halo::sim;

TEST_CASE("HyScale's kernel uses what its Table IV says", "[hybrid][golden]") {
  const FpgaUse use = useOf({8, 2048}, {});
  CHECK(use.luts == 1'246'920);
  CHECK(use.dsps == 11'136);
  CHECK(100 * use.lutShare == Approx(72.2).margin(0.05));  // published: 72
  CHECK(100 * use.dspShare == Approx(90.6).margin(0.05));  // published: 90
  CHECK(use.fits);
  CHECK(useOf({1, 1}, {}).luts == 470 + 21'715);  // no butterfly
  CHECK(useOf({2, 1}, {}).luts == 470 + 2 * 21'715 + 9220);
}

TEST_CASE("exploring finds the best kernel under the caps", "[hybrid]") {
  const FpgaBoard board;
  const FpgaWork work{.edgeColumns = 3e7, .macs = 3e8};
  const FpgaDesign best = bestFpga(work, board, 64).value();
  // every n and m there is
  double shortest = best.seconds();
  int fitting = 0;
  for (int n = 1; n <= 64; n *= 2)
    for (int m = 64; m <= 4096; m += 64) {
      if (!useOf({n, m}, board).fits) continue;
      ++fitting;
      const double hertz = 300e6;
      shortest = std::min(shortest, std::max(work.edgeColumns / (n * 16 * hertz), work.macs / (m * hertz)));
    }
  CHECK(fitting > 50);
  CHECK(best.seconds() == shortest);
  CHECK(best.use.lutShare <= board.lutCap);
  CHECK(best.use.dspShare <= board.dspCap);
  for (const FpgaDesign& design : exploreFpga(work, board, 64)) {
    CHECK(design.use.fits);
    CHECK_FALSE(useOf({design.kernel.elements, design.kernel.macUnits + 64}, board).fits);
  }
}

TEST_CASE("the published kernel lies at the edge of the caps", "[hybrid]") {
  bool hasPublishedKernel = false;
  for (const FpgaDesign& design : exploreFpga({1, 1}, {}, 64))
    if (design.kernel.elements == 8) {
      hasPublishedKernel = true;
      CHECK(design.kernel.macUnits >= 2048);
      CHECK(design.kernel.macUnits < 2048 + 2 * 64);
    }
  CHECK(hasPublishedKernel);
}

TEST_CASE("kernels and boards that cannot be are refused by name", "[hybrid]") {
  CHECK_THROWS_WITH(useOf({3, 64}, {}), "fpga.elements: 3 cannot be used; a power of two");
  CHECK_THROWS_WITH(useOf({0, 64}, {}), "fpga.elements: 0 cannot be used; a power of two");
  CHECK_THROWS_WITH(useOf({8, 0}, {}), "fpga.mac_units: 0 cannot be used; 1 or more");
  CHECK(exploreFpga({1, 1}, {.luts = 1000, .dsps = 100}).empty());
  CHECK_FALSE(bestFpga({1, 1}, {.luts = 1000, .dsps = 100}).has_value());
}
