#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halo {

/// How ranks exchange in one pass of one layer.
enum class ExchangeOrder : std::uint8_t {
  halo,        // rows come before the forward aggregation; gradients leave after the backward one
  relayed,     // the same in two stages, its countRows as relayedRows (relay_plan.h) gives them
  rounds,      // one part's rows after the other: in round r from rank + r, those of round r + 1 on their way
  sums,        // partial sums leave after the aggregation, and totals come back: two rounds
  transposed,  // columns are aggregated, between two all-to-alls (of the first layer forward: before one)
  broadcasts,  // whole blocks come before every aggregation, one rank's after the other
  pulls,       // an update for each batch of an epoch, before which ranks ask owners for what the batch reads
};
/// What is aggregated while halo rows travel.
enum class Meanwhile : std::uint8_t {
  nothing,
  central,  // own rows without remote neighbours; backward all of what is at hand
  own,      // of own rows what is at hand
};

/// In which order an epoch of a method works and exchanges: for who lays it out in steps without running it
/// (simulator/cluster).
struct MethodStyle {
  ExchangeOrder order = ExchangeOrder::halo;
  Meanwhile meanwhile = Meanwhile::nothing;
  int depth = 0;       // epochs that messages may travel
  bool codes = false;  // rows travel as codes
  int groups = 1;      // transposed: of ranks that share a row block; the others of a group have its slices
  /// What two ranks exchange depends on nothing but the number of halo rows between them.
  bool pairsAlone = false;
  bool wholeBlocks = false;  // broadcasts: every pass sends every rank's rows to all others
  int ahead = 0;             // pulls: batches whose asking goes on beside the present one
  /// Why its work cannot be laid out in steps; empty if it can.
  std::string unknown = {};
};

/// One epoch, after the first few, and how many of a period send what it sends.
struct EpochTurn {
  std::int64_t epoch = 1, count = 1;
};
/// The epochs that a method goes through again and again: for who shows what an epoch is without training
/// all (simulator/cluster).
struct EpochCycle {
  std::vector<EpochTurn> turns = std::vector<EpochTurn>(1);
  /// What its `predict` takes for what depends on values, which is the most that may be sent; empty: nothing
  /// does.
  std::string bound = {};
  std::int64_t epochs() const;  // of a period
};

}  // namespace halo
