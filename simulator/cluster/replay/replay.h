#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "engine/methods/contract/method_entry.h"
#include "engine/record/database/database.h"
#include "simulator/cluster/engines/cycle.h"
#include "simulator/cluster/engines/result.h"
#include "simulator/cluster/machines/machine.h"

namespace halo::cluster {

/// The method's parameters, of their text in the recording; those that are not there are its fallbacks.
/// `damaged` is told of text that is no value of its parameter.
Values recordedParameters(const MethodEntry& method, const std::map<std::string, std::string>& recorded,
                          const std::function<void(const std::string&)>& damaged);

/// A recorded run as a plan. It has what its ranks computed, layer by layer, as measured, and what they sent,
/// as the ledger has it. It is simulated with other links or rank speeds (SimulateOptions::rankSpeed).
struct Replay {
  PlanCycle cycle;         // of the epochs replayed
  ClusterResult measured;  // the run itself: median epoch, where its time went
  // That it ran on: its emulated link, or what cluster.wire says of the network between its hosts. Ranks of
  // one host share its card. Not emulated: this machine's memory, or a network that is not known.
  LinkSettings link;
};

/// What a replay changes of what the run did, besides its links and speeds.
struct ReplayChange {
  enum class Overlap : std::uint8_t { asItWas, none, all };
  /// none  rows are waited for as soon as they are sent
  /// all   every sum of a pass goes on while its rows travel: the most that overlap can hide
  Overlap overlap = Overlap::asItWas;
  double bits = 0;  // that an element of a row travels in; coding takes no time. 0: as it was
};

/// Computing times are medians over the epochs after the first, of each rank, layer, pass and kind. Of one
/// epoch they are its own. Only time in which the rank's thread had a core counts. Traffic is that of the
/// last recorded epochs after the first: up to sixteen in whole periods of the method (EpochCycle), or one
/// period. Where fewer epochs are there, all of them count. Where what is sent depends on values, up to
/// sixteen do. What the ledger's sums over the layers do not say is left to the method's order of work
/// (styleOf): which exchange follows which aggregation.
///
/// Throws InputError where there is no such run, it has no rows by layer or no ledger, or the method's work
/// cannot be laid out, or not with the change. Throws DamagedInput where its rows name ranks, layers or
/// parameters that the run cannot have. Throws RecordError as the database does.
Replay replayOf(Database& database, std::int64_t run, const ReplayChange& change = {});

}  // namespace halo::cluster
