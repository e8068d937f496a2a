#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo::cluster {

/// Where figures come from: said beside every result that uses them.
struct Provenance {
  std::string origin;  // published | measured | derived | assumed
  std::string source;  // in words
};

/// LogGP figures of the messages between two ranks (Alexandrov et al., SPAA 1995).
struct MessageCosts {
  double startUs = 0;         // g: what each message takes of a rank's side besides its bytes
  double wireUs = 0;          // L: from one side to the other, once a message
  double sendOverheadUs = 0;  // o_s, o_r: of the processor, a message
  double receiveOverheadUs = 0;
  double gbPerS = 0;  // 1/G, one direction: of a node's ranks together, or within a node of each
  Provenance from;
};

/// Copies between a device that computes and the host that is on the network; 0: none needed.
struct Staging {
  double outGbPerS = 0, inGbPerS = 0;
  Provenance from;
  bool needed() const { return outGbPerS > 0; }
};

/// What a rank takes for work: kernelStart + entry · Σ nnz + entryElement · Σ nnz·w + rowElement · Σ rows·w,
/// dense work by its rate, packing and coding by bytes. An entry's own cost, its index and the way to its
/// row, is most of that of narrow slices.
struct ComputeRates {
  double kernelStartUs = 0, entryNs = 0, entryElementNs = 0, rowElementNs = 0, denseGflops = 0,
         copyGbPerS = 0;
  double overlapSlowdown = 1;  // of work while the rank's own transfers are under way
  double noiseSigma = 0;       // of ln(time): stragglers, never faster than without
  Provenance from;
};

enum class TopologyKind : std::uint8_t { crossbar, fatTree, torus, dragonfly };
struct Topology {
  TopologyKind kind = TopologyKind::crossbar;
  double linkGbPerS = 0;             // of one direction of a link between switches
  std::vector<std::int64_t> dims;    // torus: nodes along each
  std::int64_t nodesPerSwitch = 1;   // fat tree: of a leaf; dragonfly: of a router
  std::int64_t levels = 2;           // fat tree
  double oversubscription = 1;       // fat tree: nodes' bandwidth over uplinks' at each level
  std::int64_t routersPerGroup = 1;  // dragonfly
  std::int64_t globalLinks = 1;      // dragonfly: between each two groups
  Provenance from;
};

/// How transfers advance: by themselves; only when the rank looks, every so often while it computes; only
/// while it waits.
enum class Progress : std::uint8_t { hardware, poll, none };

/// In which order a rank's messages of one exchange leave. With `nextFirst` they go to the ranks after it
/// first, so that no two ranks begin with the same. With `ascending` they go in order of rank, as this
/// program's own exchanges post them.
enum class MessageOrder : std::uint8_t { nextFirst, ascending };

enum class Collective : std::uint8_t { allReduce, broadcast, allToAll, allGather };
std::string_view text(Collective operation);
/// An algorithm, and up to how many bytes a rank's share may be for it.
struct CollectiveChoice {
  Collective operation = Collective::allReduce;
  std::string algorithm;
  double upToKb = 0;  // 0: any size
};
/// Those known of an operation; the first is what a machine that names none uses.
const std::vector<std::string>& algorithmsOf(Collective operation);

/// How ranks of one host that wait move their messages themselves, as MPI does through memory that two
/// processes share. A waiting rank sleeps, looks what has come and what it can copy on, and sleeps again.
/// Nothing moves while a rank computes.
struct Looks {
  double sleepUs = 0;                  // between two looks; 0: messages do not need looks
  double lookUs = 0;                   // of a core, for waking up, looking and falling asleep
  std::int64_t smallBytes = 4096;      // up to which a message is copied in when it is posted
  std::int64_t fragmentBytes = 32768;  // copied at a time of a larger one
  std::int64_t fragments = 3;          // of one message that may be under way
  bool singleCopy =
      false;  // or larger ones are read by the receiver, where processes may (engine/run/launch/single_copy)
  bool needed() const { return sleepUs > 0; }
};

/// A cluster (resources/clusters/*.toml).
struct Machine {
  std::string name;
  std::int64_t nodes = 1, ranksPerNode = 1;
  double memoryGbPerRank = 0;  // 0: not said
  MessageCosts between, within;
  Staging staging;
  ComputeRates compute;
  Topology topology;
  Progress progress = Progress::hardware;
  double pollUs = 0;
  std::vector<CollectiveChoice> collectives;
  MessageOrder messageOrder = MessageOrder::nextFirst;
  /// Of a message's bytes by the processor, on either side, while its rank waits; 0: the network does that.
  double messageCopyGbPerS = 0;
  Looks looks;
  std::int64_t coresPerNode = 0;  // that its ranks share when they compute; 0: as many as it has ranks

  /// Whether ranks may find no core free.
  bool sharesCores() const { return coresPerNode > 0 && coresPerNode < ranksPerNode; }
  std::int64_t nodeOf(int rank) const { return rank / ranksPerNode; }
  /// The algorithm for `bytes` of one rank.
  const std::string& algorithm(Collective operation, double bytes) const;
  /// Between ranks of the whole machine when `ranks` take part: within a node's figures if one holds them
  /// all.
  const MessageCosts& among(int ranks) const { return ranks <= ranksPerNode ? within : between; }
};

/// The machine that an emulated link makes (engine/comm/link/link.h). Each rank stands by itself. Its
/// messages pay the latency on the wire and no start of their own, and leave in ascending order. Sums go as a
/// ring, broadcasts message by message. With ranksPerHost, so many ranks share a card, and what they send
/// each other takes no time. With `cores`, all ranks are on one host of so many; not both. `compute` is the
/// caller's.
Machine machineOf(const LinkSettings& link, std::int64_t cores = 0);

/// What in the machine keeps `ranks` ranks from running there; empty if nothing does.
std::vector<Problem> refusals(const Machine& machine, int ranks);

}  // namespace halo::cluster
