#pragma once

#include <cstdint>
#include <span>

namespace halo::sim {

/// Rows that wait at a bank, where a design says nothing of it.
inline constexpr std::int64_t kBankQueue = 8;

/// Cycles until all rows have been read from single-ported banks: each serves one row a cycle, row r lies in
/// bank r mod banks. Each cycle up to `issue` rows are asked for, in order. They wait at their bank, where
/// `depth` fit. A row whose bank is full keeps those behind it back.
/// Cost: O(rows + cycles).   Source: resources/design/simulator.md, Networks and banks
std::int64_t bankCycles(std::span<const std::int64_t> rows, std::int64_t banks, std::int64_t issue,
                        std::int64_t depth);

}  // namespace halo::sim
