#pragma once

// One pass of MixGCN's SPU over a graph (spu.cpp says what is modelled).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "simulator/device/component.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/tiling.h"
#include "simulator/network/network.h"

namespace halo::sim::spu {

constexpr double kMega = 1e6;
constexpr std::int64_t kFeatureBytes = 4;  // FP32

/// The figures, in units that cycles are counted with.
struct Spu {
  Spu(const Values& figures, const Library& library);

  /// The cycle that has begun by then; a millionth of one is rounding.
  std::int64_t cyclesOf(double ns) const {
    return static_cast<std::int64_t>(std::ceil(ns * hz * 1e-9 - 1e-6));
  }

  /// Rows of `width` columns that stay in the node buffer throughout a pass, where there are as many.
  std::int64_t pinnedRows(std::int64_t width) const {
    return static_cast<std::int64_t>(pinnedBytes / static_cast<double>(width * kFeatureBytes));
  }

  /// Rows of `width` columns that the halves (twice) or the wholes of the buffers hold beside pinned ones; 0
  /// where none fits. Which rows are pinned, the graph says.
  TileShape shape(std::int64_t width, bool twice) const;

  /// Banks that each give a row of `width` columns a cycle, and the cycles a row takes that is wider than
  /// all.
  std::int64_t banksFor(std::int64_t width) const {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(port) / (width * kFeatureBytes));
  }
  std::int64_t beatsFor(std::int64_t width) const {
    return (width * kFeatureBytes - 1) / static_cast<std::int64_t>(port) + 1;
  }

  double hz, adders, nodeBytes, pinnedBytes, outputBytes, maskBytes;
  std::int64_t line, indexBytes, countBytes;
  double decode, port, keepAdds, keepWrites;
  DistributionTree tree;
  std::int64_t fill;  // cycles through both trees
  double peakBytesPerCycle;
  Dram dram;
};

/// Rows that the tree brings in a cycle if each comes by itself; of one wider than the tree the part.
double rowsATurn(const Spu& spu, std::int64_t width);

/// What share of adders, banks and tree is busy while they have work, and what it was counted in.
struct Shares {
  double reduction = 1, banks = 1;
  double tree = 1;  // rows brought to leaves ÷ those that fit in if each came by itself; above 1 by multicast
  std::int64_t blocks = 0, nonzeros = 0;
};

enum Engine : std::size_t { kHbm, kDecoder, kNodeBuffer, kTree, kAdders, kOutputBuffer, kEngines };
constexpr std::size_t kComputing = 4;  // engines from the decoder to the adders
enum Cause : std::size_t {
  kIndex,
  kRows,
  kWrites,
  kDecoding,
  kBanks,
  kDistributing,
  kAdding,
  kFilling,
  kCauses
};
/// What waiting for one of the engines that compute is.
constexpr Cause causeOf(std::size_t computing) { return static_cast<Cause>(kDecoding + computing); }
enum Stream : std::size_t { kIndexStream, kRowStream, kSumStream, kMaskStream, kPinnedStream, kStreams };
constexpr const char* kEngineNames[] = {"hbm",    "index decoder", "node buffer", "distribution tree",
                                        "adders", "output buffer"};
constexpr const char* kCauseNames[] = {"index stream", "rows of sources",   "writing sums", "decoder",
                                       "banks",        "distribution tree", "adders",       "filling"};
constexpr const char* kStreamNames[] = {"column numbers", "rows of sources", "sums", "mask", "pinned rows"};
constexpr Name kBusyNames[] = {Name::stream, Name::decodeIndex, Name::gather,
                               Name::stream, Name::reduce,      Name::write};
constexpr Name kCauseSpans[] = {Name::awaitIndex, Name::awaitRows, Name::awaitWrites, Name::awaitDecoder,
                                Name::awaitBanks, Name::wait,      Name::awaitAdders, Name::awaitFill};

constexpr EngineNames kNames{kEngineNames, kCauseNames, kBusyNames, kCauseSpans};

struct Result : PassResult<kEngines, kCauses, kStreams> {
  double rowsOpened = 0;  // of DRAM
};

/// What stays in the node buffer during a pass.
inline HotRows pinnedFor(const Spu& spu, const SlicePass& pass, const Graph& graph) {
  return hotRows(graph, spu.pinnedRows(pass.width));
}

/// Level `tile`. twice: buffers hold the next window while this one is worked on.
Result tilePass(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice, const Shares& shares,
                const HotRows& pinned);
/// Level `cycle`: the same course of events, what engines and memory take counted cycle by cycle. Needs
/// graph.matrix, and bandwidth of whole channels.
Result cyclePass(const Spu& spu, const SlicePass& pass, const Graph& graph, bool twice,
                 const HotRows& pinned);

/// Level `analytic`: compulsory bytes at the peak of HBM, or the slowest engine, whichever is longer.
Result boundOf(const Spu& spu, const SlicePass& pass, const Graph& graph, const HotRows& pinned);

}  // namespace halo::sim::spu
