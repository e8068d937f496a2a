#pragma once

#include <cstdint>
#include <vector>

#include "engine/comm/exchange/coded_exchange.h"
#include "engine/partition/halo/halo.h"

namespace halo {

/// The rows of each message of a halo exchange, in the order of the peers: those that this rank sends, and
/// those that it receives. Peers without rows are left out.
std::vector<RowBlock> boundaryBlocks(const LocalGraph& graph);
std::vector<RowBlock> haloBlocks(const LocalGraph& graph);

/// What draws are keyed by when these rows are rounded. An own row's draws go by its global number, so that
/// it is rounded alike wherever it goes. Those of a halo row's gradient go by this rank too, which sends one
/// of several.
std::vector<std::uint64_t> boundaryIds(const LocalGraph& graph);
std::vector<std::uint64_t> haloIds(const LocalGraph& graph);

}  // namespace halo
