#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace halo::sim {

// HyScale's and HP-GNN's kernel on an FPGA: n scatter-gather elements joined by a butterfly aggregate, a
// systolic array of m multiply-accumulate units updates (HyScale IV-C).

struct FpgaKernel {
  int elements = 8;     // n, a power of two
  int macUnits = 2048;  // m
};

struct FpgaBoard {
  std::int64_t luts = 1'728'000, dsps = 12'288;  // Alveo U250, data sheet
  double lutCap = 0.80, dspCap = 0.92;           // shares that a design may use and still be routed
};

struct FpgaUse {
  std::int64_t luts = 0, dsps = 0;
  double lutShare = 0, dspShare = 0;
  bool fits = false;
};
/// LUT = 470 m + 21 715 n + 9220 (n / 2) log2 n, DSP = 5 m + 112 n. Source: HP-GNN's design-space code.
/// Throws InputError if n is no power of two, or m is below 1.
FpgaUse useOf(const FpgaKernel& kernel, const FpgaBoard& board);

/// What a design is judged by: a mini-batch's aggregation and update. The aggregation goes over E edges of f
/// columns, the update over V rows to f' columns. Sums over layers may be given with f = f' = 1.
struct FpgaWork {
  double edgeColumns = 0;  // Σ |E^l| f^(l−1)
  double macs = 0;         // Σ |V^l| f^(l−1) f^l
  double mhz = 300;
  int lanes = 16;  // columns that an element takes a cycle
};
struct FpgaDesign {
  FpgaKernel kernel;
  FpgaUse use;
  double aggregateSeconds = 0, updateSeconds = 0;
  /// Both at once: the longer.
  double seconds() const { return aggregateSeconds > updateSeconds ? aggregateSeconds : updateSeconds; }
};

/// All n (powers of two), each with the largest m, in steps of `step`, that fits beside it. No other design
/// with the same n beats one of these. Empty if nothing fits.
std::vector<FpgaDesign> exploreFpga(const FpgaWork& work, const FpgaBoard& board, int step = 64);
/// The shortest of them, of equals the one with fewer elements; nothing if none fits.
std::optional<FpgaDesign> bestFpga(const FpgaWork& work, const FpgaBoard& board, int step = 64);

}  // namespace halo::sim
