#include "simulator/device/fpga_kernel.h"

#include <algorithm>
#include <bit>
#include <string>

#include "engine/base/check.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

FpgaDesign judge(const FpgaKernel& kernel, const FpgaWork& work, const FpgaBoard& board) {
  const double hertz = work.mhz * 1e6;
  return {kernel, useOf(kernel, board), work.edgeColumns / (kernel.elements * work.lanes * hertz),
          work.macs / (kernel.macUnits * hertz)};
}

}  // namespace

FpgaUse useOf(const FpgaKernel& kernel, const FpgaBoard& board) {
  const std::int64_t n = kernel.elements, m = kernel.macUnits;
  if (n < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    throw InputError(
        {.key = "fpga.elements", .message = std::to_string(n) + " cannot be used; a power of two"});
  if (m < 1)
    throw InputError({.key = "fpga.mac_units", .message = std::to_string(m) + " cannot be used; 1 or more"});
  const std::int64_t stages = std::countr_zero(static_cast<std::uint64_t>(n));
  FpgaUse use;
  // n / 2 switches in each of log2 n stages: none if n = 1
  use.luts = 470 * m + 21'715 * n + 9220 * (n / 2) * stages;
  use.dsps = 5 * m + 112 * n;
  use.lutShare = static_cast<double>(use.luts) / static_cast<double>(board.luts);
  use.dspShare = static_cast<double>(use.dsps) / static_cast<double>(board.dsps);
  use.fits = use.lutShare <= board.lutCap && use.dspShare <= board.dspCap;
  return use;
}

std::vector<FpgaDesign> exploreFpga(const FpgaWork& work, const FpgaBoard& board, int step) {
  HALO_CHECK(step >= 1);
  std::vector<FpgaDesign> designs;
  for (int n = 1; useOf({n, step}, board).fits; n *= 2) {
    int m = step;
    while (useOf({n, m + step}, board).fits) m += step;
    designs.push_back(judge({n, m}, work, board));
  }
  return designs;
}

std::optional<FpgaDesign> bestFpga(const FpgaWork& work, const FpgaBoard& board, int step) {
  const std::vector<FpgaDesign> designs = exploreFpga(work, board, step);
  if (designs.empty()) return std::nullopt;
  return *std::ranges::min_element(designs, {}, &FpgaDesign::seconds);
}

}  // namespace halo::sim
