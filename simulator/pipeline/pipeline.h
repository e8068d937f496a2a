#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/index.h"

namespace halo::sim {

// MixGCN's fine-grain pipeline (MixGCN 3.2.2). A sparse device aggregates batch after batch of the vertices,
// and a dense device updates each batch that is aggregated. A phase is one aggregation of all vertices with
// its update. It begins before the one before is updated, as far as its batches do not refer to what is still
// missing.
//
//   N phases   s batches   a(p,j) aggregation, u(p,j) update of batch j in phase p
//   u(p,j) after a(p,j);   a(p+1,j) after u(p,k) of all batches k that j refers to
//
// Each device works through phases, and in a phase through batches, in order. Times are whole picoseconds.

/// One aggregation of all vertices, batch by batch, and its update. All vectors have a length of s, but
/// transfers may be left out where the devices are not joined by a link.
struct PipelinePhase {
  std::vector<std::int64_t> aggregatePs, updatePs;
  std::vector<std::int64_t> toDensePs, toSparsePs;  // of the aggregated batch; of the updated one
  std::vector<int> lastNeeded;  // the last batch of the phase before that it refers to; -1: none
  std::vector<int> lastReader;  // the last batch of this phase that refers to it; -1: none
};

/// What joins the devices: nothing that takes time, one server for both directions, or one for each. A
/// server takes batches in the order in which they are ready.
enum class PipelineLink : std::uint8_t { none, shared, duplex };

struct PipelineRequest {
  std::vector<PipelinePhase> phases;
  PipelineLink link = PipelineLink::none;
  /// Of the vertices' state. With 2, what is updated stands beside what is still read. With 1 it stands in
  /// its place, and an update waits until all batches that refer to the old rows are aggregated.
  int stateBuffers = 2;
  /// Aggregated batches that may wait for their update or be in it; 0: as many as there are.
  int aggregatedBatches = 0;
};

enum class PipelineUnit : std::uint8_t { sparse, dense, toDense, toSparse, count };
inline constexpr std::array<std::string_view, 4> kPipelineUnits = {"sparse", "dense", "to dense",
                                                                   "to sparse"};
static_assert(kPipelineUnits.size() == at(PipelineUnit::count));

/// What a unit with nothing to do waits for: the other device's computing, a free buffer, or rows under way.
enum class IdleCause : std::uint8_t { dependency, buffer, link, count };
inline constexpr std::array<std::string_view, 3> kIdleCauses = {"dependency", "buffer", "link"};
static_assert(kIdleCauses.size() == at(IdleCause::count));

/// fill + busy + idle + drain = makespan. A unit that never works has only a fill.
struct UnitTimes {
  std::int64_t fillPs = 0;  // before its first batch that takes time
  std::int64_t busyPs = 0;
  std::int64_t drainPs = 0;  // after its last batch
  std::array<std::int64_t, kIdleCauses.size()>
      idlePs{};  // between them, by cause; a link's count as dependency

  std::int64_t idleTotalPs() const { return idlePs[0] + idlePs[1] + idlePs[2]; }
};

/// One batch on one unit.
struct PipelineSpan {
  PipelineUnit unit = PipelineUnit::sparse;
  int phase = 0, batch = 0;
  std::int64_t beginPs = 0, endPs = 0;
};

/// What a unit with nothing to do waited for, before its next batch (begin of the time: until its first).
struct PipelineWait {
  PipelineUnit unit = PipelineUnit::sparse;
  std::optional<IdleCause> cause = {};  // absent: filling, before the unit's first batch
  int phase = 0, batch = 0;             // that came next
  std::int64_t beginPs = 0, endPs = 0;
};

/// The first time that a device was idle between two of its batches: before which one, and why.
struct FirstIdle {
  PipelineUnit unit = PipelineUnit::sparse;
  int phase = 0, batch = 0;
  std::int64_t ps = 0;
  IdleCause cause = IdleCause::dependency;  // of most of that time
};

struct PipelineTimes {
  std::string_view level = "tile";  // one event a batch and unit, which the caller's model timed
  std::int64_t makespanPs = 0;
  std::array<UnitTimes, kPipelineUnits.size()> units;  // by PipelineUnit; a shared link is all in toDense
  std::vector<PipelineSpan> spans;                     // in the order in which they begin
  std::vector<PipelineWait> waits;                     // their sums are those of `units`
  std::optional<FirstIdle> firstIdle;                  // of the devices

  const UnitTimes& timesOf(PipelineUnit unit) const { return units[at(unit)]; }
  /// The unit with the most work; the first of them where several have as much.
  PipelineUnit slower() const;
  /// 1 − busy / time of the slower unit, its fill and drain left out; 0 where there is no work.
  double idleness() const;
};

/// What happens when, event by event. Deterministic; N · s · log(N · s) steps, 40 bytes a batch and unit, and
/// a wait. Throws InputError for a number of buffers that cannot be. It also throws for fewer aggregated
/// batches than a single state buffer needs, naming how many it does.
PipelineTimes simulatePipeline(const PipelineRequest& request);

}  // namespace halo::sim
