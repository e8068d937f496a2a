#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// The network card of each rank, from 0: on an emulated link its own, or that of as many ranks as share one;
/// else its host's. Empty where nothing leaves a host.
/// parameters: keys of the run with their values as recorded. workers: all of them, by rank.
std::vector<std::size_t> cardsOfRanks(const std::map<std::string, std::string>& parameters,
                                      const std::vector<WorkerRow>& workers);

/// What a card carried in one epoch. Messages within a host do not take it.
struct CardLoad {
  struct Way {
    std::int64_t bytes = 0, messages = 0;
  };
  Way sent, received;
  /// Of sums over all ranks, both ways: as a ring that is laid host by host, which passes each card once.
  Way sums;
  std::int64_t sentBytes() const { return sent.bytes + sums.bytes; }
  std::int64_t receivedBytes() const { return received.bytes + sums.bytes; }
};

/// By card. rows: of one epoch, all of them.
std::vector<CardLoad> cardLoads(std::span<const MessageRow> rows, std::span<const std::size_t> cards);

/// What the busiest card of a run carries one way. The mean is over the epochs after the first that fill no
/// pipeline, as that of their times is. Divided by the bandwidth, it is the least that an epoch takes.
class BusiestCard {
 public:
  explicit BusiestCard(std::vector<std::size_t> cards);

  /// Further whole epochs with their rows, in any order.
  void add(std::span<const EpochRow> epochs, std::span<const MessageRow> rows);
  /// `wire_bytes_per_epoch`, where messages leave hosts.
  std::map<std::string, double> metrics() const;

 private:
  std::vector<std::size_t> cards_;
  std::vector<double> sent_, received_;  // by card, over all epochs
  double epochs_ = 0;
};

}  // namespace halo
