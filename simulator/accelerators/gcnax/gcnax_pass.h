#pragma once

// One pass of GCNAX over a graph (gcnax.cpp says what is modelled).

#include <array>
#include <cmath>

#include "simulator/device/pass_result.h"
#include "simulator/graph/loop_tiling.h"
#include "simulator/memory/memory.h"

namespace halo::sim::gcnax {

constexpr double kMega = 1e6;

/// The figures, in units that cycles are counted with.
struct Gcnax {
  Gcnax(const Values& figures, const Library& library);

  std::int64_t cyclesOf(double ns) const {
    return static_cast<std::int64_t>(std::ceil(ns * hz * 1e-9 - 1e-6));
  }
  /// The tiling of a pass, or nullopt where not even single elements have room.
  std::optional<LoopTiling> tilingOf(const Graph& graph, std::int64_t width) const;

  double hz;
  std::int64_t macs, engineMacs, engines;
  ElementBytes bytes;
  TileRoom room;  // halves of the buffers: the other halves fill
  double peakBytesPerCycle;
  Dram dram;
};

Product productOf(const Graph& graph, std::int64_t width);

enum Engine : std::size_t { kHbm, kMacs, kDenseBuffer, kOutputBuffer, kEngines };
enum Cause : std::size_t { kSparse, kDense, kSums, kMultiplying, kCauses };
enum Stream : std::size_t {
  kNonzeroStream,
  kPointerStream,
  kDenseStream,
  kReadStream,
  kWriteStream,
  kStreams
};
constexpr const char* kStreamNames[] = {"nonzeros", "column pointers", "rows of sources", "sums read",
                                        "sums"};
constexpr const char* kEngineNames[] = {"dram", "multipliers", "dense buffer", "output buffer"};
constexpr const char* kCauseNames[] = {"sparse tiles", "rows of sources", "sums", "multipliers"};
constexpr Name kBusy[] = {Name::stream, Name::reduce, Name::gather, Name::write};
constexpr Name kWaiting[] = {Name::awaitIndex, Name::awaitRows, Name::awaitWrites, Name::awaitAdders};
constexpr EngineNames kNames = {kEngineNames, kCauseNames, kBusy, kWaiting};

using Result = PassResult<kEngines, kCauses, kStreams>;

/// Level `analytic`: every byte once at the peak of DRAM, or all multipliers busy, whichever is longer.
Result boundOf(const Gcnax& gcnax, const SlicePass& pass, const Graph& graph);
/// Level `tile`.
Result tilePass(const Gcnax& gcnax, const SlicePass& pass, const Graph& graph, const LoopTiling& tiling);

}  // namespace halo::sim::gcnax
