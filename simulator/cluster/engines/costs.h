#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "simulator/cluster/machines/machine.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// How a plan is simulated, besides the machine.
struct SimulateOptions {
  std::uint64_t seed = 1;         // of the noise
  std::vector<double> rankSpeed;  // 2: twice as fast as the machine, or the recording, says; empty: all 1
  int epochs = 0;                 // simulated by engines with clocks; 0: as many as settle the time
  int lanes = 0;  // of so many ranks what they did in one epoch is kept (ClusterResult::lanes)
  /// Told how far the engine is, several times a second; what it throws ends the simulation.
  halo::Progress progress;
};

/// How long rank's part of a computing step takes, in ns; nothing for no work. Stragglers: with noise σ times
/// exp(σ |z|), z standard normal, drawn by (seed, rank, epoch, step) alone. So it is never less than the
/// quiet time, and longer for a larger σ in each draw.
double computeNs(const Step& step, int stepNumber, int rank, std::int64_t epoch, const Machine& machine,
                 const SimulateOptions& options);

/// Closed forms in ns (Thakur et al. 2005; Rabenseifner 2004), of collectives among `ranks` ranks that all
/// take part. A step takes a message's start, wire and overheads, and its bytes. Within a node the bytes go
/// by the node's memory, beyond it by the card. The card carries all messages of the step that cross the
/// node's border one way. Of a step these are:
///
///   ring                 1
///   recursive doubling,  none while i and i xor d are of one node, then those of all its ranks; Rabenseifner
///   Rabenseifner         halves vectors as d doubles, so the largest parts stay within nodes
///   binomial             at most 1, d halving; scatter-allgather: so, then a ring
///   Bruck                min(d, the node's ranks) of those to rank i + d
///   pairwise, two-level  all of a rank's messages at once: their starts go beside the others' bytes
///
/// bytes   allReduce: the whole sum; broadcast: the block; allToAll: what a rank sends to all others
///         together; allGather: what a rank gives
/// root    of a broadcast: where in its node says which steps cross a border
/// 0 for one rank or no bytes. Copies between device and host are added where the machine needs them.
double collectiveNs(Collective operation, const std::string& algorithm, int ranks, double bytes,
                    const Machine& machine, int root = 0);
/// By the machine's choice.
double collectiveNs(Collective operation, int ranks, double bytes, const Machine& machine, int root = 0);

/// How long the bytes of an all-reduce take of each card, or of ranks' memory where all are of one node.
double allReduceWireNs(int ranks, double bytes, const Machine& machine);

/// What one exchange takes of each rank's resources.
struct ExchangeCosts {
  struct Rank {
    double sendOverheadNs = 0, receiveOverheadNs = 0;  // of the processor
    double networkNs = 0;  // the longer of the node's card and the rank's memory (exchangeCosts)
    double copyOutNs = 0, copyInNs = 0;  // device to host, host to device
    /// One after the other.
    double totalNs() const { return sendOverheadNs + copyOutNs + networkNs + copyInNs + receiveOverheadNs; }
  };
  std::vector<Rank> ranks;
  double wireNs = 0;  // once an exchange; 0 if nothing travels
};
/// A node's ranks share its card. It takes the longer of what all of them send beyond the node and of what
/// they get from there. Messages within the node go beside that, through memory:
///
///   card    start · max(sent, received) of the rank + max(bytes out, in) of the node / bandwidth
///   memory  the same of the rank's messages within the node, by their own figures
///
/// Where neither pairs are kept nor the sums within such nodes, a rank's messages go to all others alike.
/// Cost: linear in ranks and flows.
ExchangeCosts exchangeCosts(const Traffic& traffic, int ranks, const Machine& machine);

/// How long what an epoch exchanges and sums keeps the busiest card, rank or rank's memory: no epoch of many
/// is shorter. Broadcasts are not counted. Cost: as exchangeCosts, of each exchange.
double leastEpochNs(const Plan& plan, const Machine& machine);

/// How many times over a message to the rank pays the wire: once, but for the messages of Traffic::oneByOne.
double wireTimes(const Traffic& traffic, int rank);

/// What a rank's processor copies of the messages of an exchange, in and out, ns.
double messageCopyNs(const Traffic& traffic, int rank, const Machine& machine);

/// What each rank spends in a step of broadcasts, each rank's in turn.
std::vector<double> broadcastNs(const Traffic& traffic, int ranks, const Machine& machine);

}  // namespace halo::cluster
