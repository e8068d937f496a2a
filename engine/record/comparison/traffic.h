#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// From whom to whom, for which layer and pass. Target −1: a collective that reaches all.
struct TrafficPlace {
  std::int64_t layer = -1;
  Pass pass = Pass::none;
  std::int64_t source = 0, target = -1;
  auto operator<=>(const TrafficPlace&) const = default;
};

/// Sums over the epochs in scope, or means an epoch.
struct TrafficSum {
  double bytes = 0, messages = 0, predictedBytes = 0;
  TrafficSum& operator+=(const TrafficSum& other);
};

/// Of what is sent, what is meant; none: all.
struct TrafficChoice {
  std::optional<std::int64_t> layer = {};  // −1: outside the layers
  std::optional<Pass> pass = {};
  std::optional<std::int64_t> epoch = {};
};
bool isChosen(const TrafficPlace& place, const TrafficChoice& choice);

/// What the ranks of one run sent in its epochs in scope.
struct RunTraffic {
  std::int64_t ranks = 0;
  std::int64_t epochs = 0;
  std::map<TrafficPlace, TrafficSum> sums;
  TrafficSum counted;  // by the counters of table `layer`, which the ledger is held to
  std::map<std::int64_t, std::vector<std::pair<TrafficPlace, TrafficSum>>> byEpoch =
      {};                                                                     // in order of places
  std::map<std::pair<std::int64_t, TrafficPlace>, TrafficSum> counters = {};  // of each epoch; of all ranks
};

/// `messages` and `layers`: rows of the run, of which those of `inScope` count.
RunTraffic trafficOf(std::int64_t ranks, const std::vector<EpochRow>& inScope,
                     std::span<const MessageRow> messages, std::span<const LayerRow> layers);

/// An epoch of a configuration: means of its runs' means.
struct Traffic {
  std::int64_t ranks = 0;  // the most of its runs
  std::map<TrafficPlace, TrafficSum> places;
  TrafficSum counted;
  std::shared_ptr<const std::vector<RunTraffic>> runs = {};  // that it is of
};
Traffic meanTraffic(std::span<const RunTraffic> runs);

/// What is chosen of it, as if nothing else had been sent; of an epoch the means of the runs that have it in
/// scope. Its counters are those of the same layer, pass and epoch.
Traffic chosenOf(const Traffic& traffic, const TrafficChoice& choice);

/// All that is sent, and what is sent for each layer and pass.
TrafficSum totalOf(const Traffic& traffic);
std::map<std::pair<std::int64_t, Pass>, TrafficSum> byLayer(const Traffic& traffic);

/// Bytes an epoch from each rank (row) to each other and, in the last column, to all at once: ranks × (ranks
/// + 1) values. `ranks` is traffic.ranks. What a rank outside that range sent is nowhere.
std::vector<double> matrixOf(const Traffic& traffic);

}  // namespace halo
