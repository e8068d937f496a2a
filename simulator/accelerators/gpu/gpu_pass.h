#pragma once

// One aggregation on a GPU (gpu.cpp says what is modelled).

#include <cmath>
#include <cstdint>

#include "simulator/device/pass_result.h"
#include "simulator/graph/row_cache.h"

namespace halo::sim::gpu {

constexpr std::int64_t kFeatureBytes = 4;  // FP32
constexpr double kMega = 1e6;
constexpr std::int64_t kStretches = 128;  // that a pass is cut into

/// The figures, in units that cycles are counted with.
struct Gpu {
  explicit Gpu(const Values& figures);

  double bytesPerCycle(double gbps) const { return gbps * 1e9 / hz; }
  /// The L2 as a cache of rows of `width` columns: whole sectors are fetched.
  RowCache cache(std::int64_t width) const;
  /// That the L2 is busy with what is gathered; 0 where nothing is said of its bandwidth.
  std::int64_t l2Cycles(std::int64_t bytes) const;
  /// Bytes of one block of that cache.
  std::int64_t blockBytes(std::int64_t width) const;

  double hz, cores, memoryGbps, efficiency, l2Gbps, l2Bytes;
  std::int64_t sector, indexBytes;
  double launchNs, linkNs, linkGbps;  // linkGbps 0: rows and sums stay where they are; l2Gbps 0: no bound
};

enum Engine : std::size_t { kMemory, kL2, kCores, kLink, kEngines };
enum Cause : std::size_t { kMemoryBound, kL2Bound, kCoresBound, kLaunch, kTransfer, kCauses };
enum Stream : std::size_t { kIndexStream, kRowStream, kSumStream, kStreams };
inline constexpr const char* kEngineNames[] = {"memory", "l2", "cores", "host link"};
inline constexpr const char* kCauseNames[] = {"memory", "l2", "cores", "launch", "host link"};
inline constexpr const char* kStreamNames[] = {"column numbers", "rows of sources", "sums"};
inline constexpr Name kWorking[] = {Name::stream, Name::gather, Name::reduce, Name::send};
inline constexpr Name kWaiting[] = {Name::awaitRows, Name::awaitBanks, Name::awaitAdders, Name::awaitFill,
                                    Name::awaitRows};
inline constexpr EngineNames kNames{kEngineNames, kCauseNames, kWorking, kWaiting};

using Result = PassResult<kEngines, kCauses, kStreams>;

/// How level `tile` knows what the L2 misses.
struct Hits {
  enum class From { exact, sampled, figures } from = From::exact;
  std::int64_t oneOf = 16;  // of the blocks, where sampled
  double rate = 0.5;        // where figures
};

/// Level `tile`: the launch, then stretches of rows. Each is as long as the slowest of memory, cores and,
/// where its bandwidth is given, L2.
/// missShare: of all fetches of rows.
Result tilePass(const Gpu& gpu, const SlicePass& pass, const Graph& graph, const Hits& hits,
                double& missShare);
/// Level `analytic`: compulsory bytes at the peak, or the slowest of the others; no launch.
Result boundOf(const Gpu& gpu, const SlicePass& pass, const Graph& graph);

}  // namespace halo::sim::gpu
