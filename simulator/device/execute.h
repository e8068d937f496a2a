#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/device/component.h"

namespace halo::sim {

/// What sums of a device were held against, and how far they are off.
struct Executed {
  double largestError = 0;   // relative, of all outputs: |sum − true sum| ÷ Σ |terms|
  std::int64_t outputs = 0;  // that were compared
};

/// What a device is to sum with real numbers: Â H, Â = D̃^-1/2 (A + I) D̃^-1/2, D̃ the rows' nonzeros and one.
struct ExecuteTask {
  const Values& figures;
  const Library& library;
  const CsrRows& A;                   // square, binary, without diagonal
  const Matrix& features;             // columns are taken in turn; none: random ones
  std::span<const SlicePass> passes;  // each width once, masked and not
  AskStop askStop = {};
};

/// An output that rounding does not explain, as words: "6.5 and not 7.5 at row 3, column 0, …".
using Mismatch = std::optional<std::string>;

/// Holds `sums` (of A H, 0 where `mask`, if there is any, is 0) against the definition, summed in double.
/// Adds to `to`. Allowed is what rounding of every term and every addition can make, (nonzeros + 4) 2^-24 of
/// Σ |terms|; an output that is not wanted must be 0.
Mismatch compareSums(const CsrRows& A, const Matrix& H, std::span<const std::uint8_t> mask,
                     const Matrix& sums, Executed& to);

/// Lets the device do every width twice. First it sums whole numbers that tell any nonzero from any other, so
/// that not one may be missing or counted twice. Then it sums features; the dense side scales them before and
/// after, and adds a vertex's own row too. Throws std::runtime_error where a sum is wrong, saying which.
/// Cost: about 10 ns a nonzero and column.
Executed execute(const AcceleratorEntry& device, const ExecuteTask& task);

/// Nonzeros times columns of what execute() would sum.
double executedProducts(std::int64_t nonzeros, std::span<const SlicePass> passes);
inline constexpr double kMostExecuted = 5e8;  // a few seconds

}  // namespace halo::sim
