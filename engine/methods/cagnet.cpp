// CAGNET (Tripathy et al., SC 2020): sparse times dense as whole blocks that are broadcast,
// whatever the edges. Synchronous, exact.
//
// variant = 1d     a row block a rank; each in turn is broadcast to all
// variant = 1.5d   a grid of P/c rows; the c = replication ranks of a row hold copies of its row block, share
//                  the broadcasts and add up what they made of them (replicated_blocks.h; 1d is c = 1)
// variant = 2d     a grid of √P × √P; blocks of P and of the dense matrix are broadcast stage by stage
// (summa.h)
//
// order auto is update-last: dZ = dU is multiplied with Pᵀ in every layer and dW = Hᵀ dY. There are n
// vertices, and N nonzeros of the matrix (of V bytes a value in S a element). Elements sent by all for one
// multiplication of width w:
//
//   1d     n (P − 1) w
//   1.5d   n (P/c − 1) w + 2 (c − 1) n w
//   2d     n (√P − 1) w + 2 n w (√P − 1)/√P (to the element where widths do not divide: see summa.cpp)
//          and N (√P − 1) entries of 4 bytes, and as many values where P has values
//
// Departures: every row belongs to one rank, which alone updates it and counts its loss. The other ranks of a
// grid row have copies for the multiplication. In 1.5D the all-gather half of the all-reduce so comes after
// the update instead of before. In 2D rows are exchanged for columns before a multiplication and back after
// it, so that the update needs nothing from others. CAGNET broadcasts Z once more in the update instead. The
// exchange takes 2 (√P − 1)/√P n w elements, the broadcast (√P − 1) n w. Pᵀ has blocks of its own, so
// directed graphs are exact. The loss is the global mean. Rows are as the partitioner gives them: "random"
// and "block" are what CAGNET does.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"
#include "engine/methods/blocks/replicated_blocks.h"
#include "engine/methods/blocks/summa.h"
#include "engine/methods/full_graph/shared_parts.h"
#include "engine/methods/laws/predicted_memory.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 3> kVariants = {"1d", "1.5d", "2d"};
const std::array<Parameter, 2> kParameters = {{
    {"variant", "how blocks are laid out: in rows, in replicated rows, or in a square grid",
     Choice{"1d", kVariants}},
    {"replication", "copies of each row block (1.5d); divides the number of workers",
     Integer{2, 1, 1'000'000}},
}};

/// The side of a square grid of `workers`, or 0.
int sideOf(std::int64_t workers) {
  const auto side = std::llround(std::sqrt(static_cast<double>(workers)));
  return side * side == workers ? static_cast<int>(side) : 0;
}

/// How many columns the grid has.
int gridColumns(const Values& values, int workers) {
  if (values.text("variant") == "2d") return sideOf(workers);
  return values.text("variant") == "1.5d" ? static_cast<int>(values.integer("replication")) : 1;
}

/// [0]: every row of i, to every j. 2d, by grid row and column: [1] entries of the block of P, [2] values of
/// it.
std::vector<RowTable> countRows(const CountRequest& request) {
  std::vector<RowTable> tables{wholeBlockRows(request.owners, request.parts)};
  if (request.run.parameters.text("variant") != "2d") return tables;
  const int side = sideOf(request.parts);
  const auto size = at(side);
  RowTable entries(size, std::vector<std::int64_t>(size, 0));
  const auto block = [&](Vertex v) { return request.owners[at(v)] / side; };
  for (Index v = 0; v < request.propagation.rows(); ++v)
    for (const Vertex u : request.propagation.row(v))
      ++entries[at(block(static_cast<Vertex>(v)))][at(block(u))];
  tables.push_back(entries);
  if (!request.propagation.weighted())
    for (auto& row : entries) std::ranges::fill(row, 0);
  tables.push_back(std::move(entries));
  return tables;
}

RowTable sparseBytes(const VolumeRequest& request, bool transposed) {
  const std::size_t side = request.tables[1].size();
  RowTable bytes(side, std::vector<std::int64_t>(side, 0));
  for (std::size_t I = 0; I < side; ++I)
    for (std::size_t J = 0; J < side; ++J) {
      const std::size_t row = transposed ? J : I, column = transposed ? I : J;
      bytes[I][J] = request.tables[1][row][column] * std::int64_t{sizeof(Vertex)} +
                    request.tables[2][row][column] * request.elementBytes;
    }
  return bytes;
}

std::vector<PredictedVolume> predict(const VolumeRequest& request) {
  if (request.parts == 1) return {};
  const RankGrid grid = gridOf(request.rows, gridColumns(request.parameters, request.parts));
  const bool summa = request.parameters.text("variant") == "2d";
  return predictMultiplications(request, [&](Pass pass, std::int64_t width, const PredictedSend& send) {
    if (summa)
      Summa::predict(grid, sparseBytes(request, pass == Pass::backward), width, request.elementBytes, send);
    else
      ReplicatedBlocks::predict(grid, width, request.elementBytes, send);
  });
}

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems;
  const std::string& variant = run.parameters.text("variant");
  const std::int64_t workers = run.cluster.workers, copies = run.parameters.integer("replication");
  if (variant == "1.5d" && workers % copies != 0)
    problems.push_back(
        {.key = "run.replication",
         .message = std::to_string(copies) + " copies cannot be laid out on cluster.workers = " +
                    std::to_string(workers) + ": variant \"1.5d\" needs a replication that divides it"});
  if (variant == "2d" && sideOf(workers) == 0)
    problems.push_back({.key = "cluster.workers",
                        .message = std::to_string(workers) +
                                   " workers make no square grid: variant \"2d\" of cagnet needs "
                                   "a square number, 1, 4, 9, 16, …"});
  return problems;
}

std::unique_ptr<Propagator> propagator(WorkerParts& parts, const Values& values) {
  const int columns = gridColumns(values, parts.comm.size());
  if (values.text("variant") == "2d") return std::make_unique<Summa>(parts, columns);
  return std::make_unique<ReplicatedBlocks>(parts, columns);
}

/// Of variant 1d: the block that is passing.
Memory memoryOf(const MemoryRequest& request) {
  Memory memory{};
  bytesOf(memory, MemoryOf::exchange) =
      heldRows(request.largestBlock, std::max(widest(request.forward), widest(request.backward)));
  return memory;
}

MethodStyle styleOf(const RunSettings& run, int) {
  const bool rows = run.parameters.text("variant") == "1d";
  MethodStyle style{.order = ExchangeOrder::broadcasts, .wholeBlocks = rows};
  if (!rows) style.unknown = "blocks are broadcast along two sides of a grid of ranks, in turns";
  return style;
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"cagnet", "broadcast whole blocks in one, one and a half or two dimensions",
                    "CAGNET, Tripathy et al., SC 2020", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<SharedParts>(parts, propagator(parts, values), /*layer0Cached=*/false,
                                           gridColumns(values, parts.comm.size()));
    },
    .predict = predict,
    .memory = memoryOf,
    .style = styleOf,
    .refuse = refuse,
    .autoOrder = "update-last",
    .countRows = countRows}};

}  // namespace
}  // namespace halo
