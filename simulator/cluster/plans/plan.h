#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/trace/span.h"

namespace halo::cluster {

/// A figure of every rank: one number that all share, or one each.
class PerRank {
 public:
  PerRank() = default;
  explicit PerRank(std::int64_t all) : alike_(all) {}
  /// One each; equal ones are kept once.
  explicit PerRank(std::vector<std::int64_t> each);

  std::int64_t operator[](int rank) const { return byRank_.empty() ? alike_ : byRank_[at(rank)]; }
  std::int64_t total(int ranks) const;
  std::int64_t largest(int ranks) const;
  std::size_t heldBytes() const { return byRank_.capacity() * sizeof(std::int64_t); }

 private:
  std::int64_t alike_ = 0;
  std::vector<std::int64_t> byRank_;
};

/// What one rank sends another in one exchange.
struct Flow {
  std::int32_t source = 0, target = 0;
  std::int64_t messages = 0, bytes = 0;
  bool operator==(const Flow&) const = default;
};

/// What the ranks send in one exchange: of each rank the sums, and pair by pair where those are kept.
struct Traffic {
  std::vector<Flow> flows;  // ascending source, then target; none where only the sums are kept
  bool pairwise = false;    // whether `flows` says all
  bool everyPair = false;   // an all-to-all, for which a machine may have other algorithms
  bool offLink = false;     // moved by processors alone: the link's time for it is accounted for elsewhere
  /// Rounds that follow one another, two under way at a time: each message that a rank gets pays the wire
  /// anew.
  bool oneByOne = false;
  PerRank outMessages, outBytes, inMessages, inBytes;
  /// Of the sums, what stays within nodes of so many ranks; 0: not known, so messages go to all others alike.
  std::int64_t ranksPerNode = 0;
  PerRank withinOutMessages, withinOutBytes, withinInMessages, withinInBytes;
};

/// Of flows in any order; those of the same pair are added up, empty ones and a rank's to itself dropped.
Traffic trafficOf(int ranks, std::vector<Flow> flows);

/// What the ranks do in one step. Broadcasts follow one another, each rank's in turn.
enum class Op : std::uint8_t {
  sparse,
  dense,
  pack,
  copy,  // from the host to a rank's device, over a link that the method models
  quantise,
  exchange,
  wait,
  broadcast,
  allGather,
  allReduce
};
std::string_view text(Op op);
inline bool computes(Op op) { return op <= Op::quantise; }

/// One operation of all ranks.
struct Step {
  Op op = Op::dense;
  int layer = -1;
  Pass pass = Pass::none;
  PerRank entries;        // sparse: stored entries
  PerRank entryElements;  // sparse: stored entries × width
  PerRank rowElements;    // sparse: rows × width
  PerRank kernels;        // sparse: that it takes, where more than one
  PerRank flop;           // dense
  PerRank bytes;         // pack, copy, quantise: read; allGather: what a rank gives; allReduce: the whole sum
  double nsPerByte = 0;  // copy
  std::optional<PerRank> measuredNs;  // of a computing step that was measured: stands for the figures above
  int traffic = -1;                   // exchange, broadcast: which of the plan's
  int exchange = -1;                  // wait: the step that started it
  int depth = 0;                      // exchange, wait: epochs between start and wait
};

/// Where a plan's figures come from. They are counted on a partition of the graph, expected of a random
/// partition, fitted to smaller numbers of ranks, or recorded.
enum class PlanOrigin : std::uint8_t { counted, expected, fitted, recorded };
std::string_view text(PlanOrigin origin);

/// Above this many ranks pairs are not kept: an all-to-all among 8192 ranks has 67 million of them.
inline constexpr int kPairwiseRanks = 1024;

/// What every rank does in one epoch. Memory: linear in ranks × steps, and the flows.
struct Plan {
  int ranks = 1;
  std::string method;
  PlanOrigin origin = PlanOrigin::counted;
  std::vector<Step> steps;
  std::vector<Traffic> traffics;
  PerRank rows, entries;          // vertices owned; stored entries summed over in one pass
  PerRank memoryBytes;            // what the method keeps: rows, weights, matrix
  std::vector<Memory> rowMemory;  // of that, of rows, by rank and by what for; empty: not known
  std::vector<std::string> notes;
  std::string untimed;  // why its steps say nothing of time, only of volumes; empty: they do

  /// Adds the traffic, or finds an equal one; returns its number.
  int addTraffic(Traffic traffic);
  /// What the step sends; nothing where it sends nothing, or only off the link.
  const Traffic* onLink(const Step& step) const;
  /// Of all ranks in one epoch, sums over the all-reduce as a ring included.
  std::int64_t bytesSent() const;
  std::int64_t messagesSent() const;  // as runs count them: a gather or sum is one to each other rank
  /// Largest `depth` of its steps.
  int depth() const;
  std::size_t heldBytes() const;
};

/// The run's method, for so many ranks and widths d_0 … d_L. Throws InputError for all that it refuses of
/// them.
const MethodEntry& plannedMethod(RunSettings run, const std::vector<std::int64_t>& widths, int ranks);

}  // namespace halo::cluster
