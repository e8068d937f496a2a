#pragma once

#include <compare>
#include <cstdint>
#include <map>
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

/// What the ranks of one run sent in its epochs in scope.
struct RunTraffic {
  std::int64_t ranks = 0;
  std::int64_t epochs = 0;
  std::map<TrafficPlace, TrafficSum> sums;
  TrafficSum counted;  // by the counters of table `layer`, which the ledger is held to
};

/// `messages` and `layers`: rows of the run, of which those of `inScope` count.
RunTraffic trafficOf(std::int64_t ranks, const std::vector<EpochRow>& inScope,
                     std::span<const MessageRow> messages, std::span<const LayerRow> layers);

/// An epoch of a configuration: means of its runs' means.
struct Traffic {
  std::int64_t ranks = 0;  // the most of its runs
  std::map<TrafficPlace, TrafficSum> places;
  TrafficSum counted;
};
Traffic meanTraffic(std::span<const RunTraffic> runs);

/// All that is sent, and what is sent for each layer and pass.
TrafficSum totalOf(const Traffic& traffic);
std::map<std::pair<std::int64_t, Pass>, TrafficSum> byLayer(const Traffic& traffic);

/// Bytes an epoch from each rank (row) to each other and, in the last column, to all at once: ranks × (ranks
/// + 1) values. `ranks` is traffic.ranks. What a rank outside that range sent is nowhere.
std::vector<double> matrixOf(const Traffic& traffic);

}  // namespace halo
