#pragma once

// HyGCN's figures, engines and counts (hygcn.cpp says what is modelled).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "simulator/device/component.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/tiling.h"

namespace halo::sim::hygcn {

constexpr double kMega = 1e6;
constexpr std::int64_t kFeatureBytes = 4;  // 32-bit fixed point

/// Which rows of sources are brought for the edges of an interval.
enum class Window {
  fit,     // all, in windows at fixed places
  shrink,  // from the first needed one of each window to the last: windows slide and shrink
  gather,  // lines of windows at fixed places that hold a needed one
};

/// The figures, in units that cycles are counted with.
struct HyGcn {
  HyGcn(const Values& figures, const Library& library);

  /// The cycle that has begun by then; a millionth of one is rounding.
  std::int64_t cyclesOf(double ns) const {
    return static_cast<std::int64_t>(std::ceil(ns * hz * 1e-9 - 1e-6));
  }

  /// Destinations of an interval, and sources of a window. They are the rows of `width` columns that half the
  /// aggregation buffer and half the input buffer hold. Buffered once, the whole buffers count. 0 where no
  /// row fits.
  TileShape shape(std::int64_t width) const;

  /// Banks of the input buffer that each give a row a cycle, and the cycles a row takes that is wider than
  /// all.
  std::int64_t banksFor(std::int64_t width) const {
    return std::max<std::int64_t>(1, port / (width * kFeatureBytes));
  }
  std::int64_t beatsFor(std::int64_t width) const { return (width * kFeatureBytes - 1) / port + 1; }
  /// Share of the lanes that rows of `width` columns use of the cores that they take.
  double laneShare(std::int64_t width) const {
    return static_cast<double>(width) / static_cast<double>(coresFor(width) * simdWidth);
  }
  /// Cores that take one edge's features, all of them or in turns.
  std::int64_t coresFor(std::int64_t width) const { return (width - 1) / simdWidth + 1; }

  /// Edges that half of the edge buffer (or, buffered once, all of it) holds.
  std::int64_t edgesHeld() const {
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(edgeBufferBytes / (twice ? 2 : 1)) / edgeBytes);
  }

  bool combines() const { return combinationColumns > 0; }

  double hz;
  std::int64_t cores, simdWidth, port;
  double inputBytes, edgeBufferBytes, weightBytes, outputBytes, aggregationBytes;
  std::int64_t line, edgeBytes;
  Window window;
  bool twice, coordinated, pipelined, maskApart;
  std::string uncoordinatedMap;
  std::int64_t combinationColumns;  // of an update's result; 0: aggregations alone
  double peakBytesPerCycle;
  Dram dram;
};

/// The combination engine: modules of rows × columns multipliers, each systolic. A tile has as many vertices
/// as there are rows. It takes rows + columns + `in` cycles for each `columns` of the result. In mode
/// latency-aware every module takes a group of its own. In mode energy-aware all modules are one of all their
/// rows, and the weights pass through once.   Source: HyGCN, HPCA 2020
struct Systolic {
  explicit Systolic(const Values& figures);
  /// Cycles of `rows` vertices, `in` columns times in × out weights.
  std::int64_t cycles(std::int64_t rows, std::int64_t in, std::int64_t out) const;
  /// Of the last group alone, which nothing is left to hide: all of them where they wait for the interval.
  std::int64_t tailCycles(std::int64_t rows, std::int64_t in, std::int64_t out) const;
  /// Weights read from their buffer.
  std::int64_t weightReads(std::int64_t rows, std::int64_t in, std::int64_t out) const;
  std::int64_t multipliers() const { return modules * moduleRows * columns; }

  std::int64_t modules, moduleRows, columns;
  bool energyAware;
};

enum Engine : std::size_t {
  kHbm,
  kScheduler,
  kInputBuffer,
  kCores,
  kAggregationBuffer,
  kSystolic,
  kOutputBuffer,
  kEngines
};
enum Cause : std::size_t { kEdges, kRows, kWrites, kLanes, kBanks, kCombining, kMasking, kCauses };
enum Stream : std::size_t {
  kEdgeStream,
  kRowStream,
  kWeightStream,
  kResultStream,
  kMaskStream,
  kAgainStream,  // sums that are read or written once more: masked apart, or combined after all
  kStreams
};
constexpr const char* kEngineNames[] = {"hbm",          "edge scheduler",     "input buffer",
                                        "simd cores",   "aggregation buffer", "systolic arrays",
                                        "output buffer"};
constexpr const char* kCauseNames[] = {"edges", "rows of sources", "writing results", "lanes",
                                       "banks", "combination",     "masking"};
constexpr const char* kStreamNames[] = {"edges", "rows of sources", "weights", "results",
                                        "mask",  "sums again"};
constexpr Name kBusyNames[] = {Name::stream, Name::decodeIndex, Name::gather, Name::reduce,
                               Name::write,  Name::update,      Name::write};
constexpr Name kCauseSpans[] = {Name::awaitIndex, Name::awaitRows, Name::awaitWrites, Name::awaitAdders,
                                Name::awaitBanks, Name::wait,      Name::wait};
constexpr EngineNames kNames{kEngineNames, kCauseNames, kBusyNames, kCauseSpans};

struct Result : PassResult<kEngines, kCauses, kStreams> {
  std::int64_t multiplications = 0, weightReads = 0;
  double rowsOpened = 0;  // of DRAM
};

}  // namespace halo::sim::hygcn
