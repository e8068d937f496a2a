#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/index.h"

namespace halo {

/// What a method's memory is for. Features are the input's, and activations include dropped and normalised
/// ones. Aggregated rows are those kept for the backward pass; gradients are those of rows. Exchange has rows
/// on their way to and from other ranks, history older copies of rows that are used again. What is held: a
/// buffer that several layers use counts as the widest of them needs it.
enum class MemoryOf : std::uint8_t { features, activations, aggregated, gradients, exchange, history, count };
inline constexpr std::array<std::string_view, 6> kMemoryCategories = {
    "features", "activations", "aggregated", "gradients", "exchange", "history"};
static_assert(kMemoryCategories.size() == at(MemoryOf::count));
/// Bytes by MemoryOf.
using Memory = std::array<std::int64_t, kMemoryCategories.size()>;

/// What a rank has of the graph, as recorded of each worker. These are own vertices whose rows others get,
/// and others' vertices whose rows it gets. The nonzeros are the entries of the propagation matrix that it
/// sums over in one pass.
struct Holdings {
  std::int64_t boundary = 0, remote = 0, nonzeros = 0;
};

/// rows[i][j]: rows that part i sends to part j.
using RowTable = std::vector<std::vector<std::int64_t>>;

}  // namespace halo
