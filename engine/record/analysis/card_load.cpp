#include "engine/record/analysis/card_load.h"

#include <algorithm>
#include <cstdlib>

#include "engine/base/index.h"

namespace halo {
namespace {

/// How many consecutive ranks share a card of the emulated link; 0 where it is no number.
std::size_t ranksACard(const std::map<std::string, std::string>& parameters) {
  const auto shared = parameters.find("cluster.link.ranks_per_host");
  if (shared == parameters.end()) return 1;
  return at(std::max(0LL, std::strtoll(shared->second.c_str(), nullptr, 10)));
}

std::size_t countOf(std::span<const std::size_t> cards) {
  return cards.empty() ? 0 : std::ranges::max(cards) + 1;
}

}  // namespace

std::vector<std::size_t> cardsOfRanks(const std::map<std::string, std::string>& parameters,
                                      const std::vector<WorkerRow>& workers) {
  const bool emulated = parameters.contains("cluster.link.bandwidth_gbit");
  const std::size_t share = ranksACard(parameters);
  if (share == 0) return {};
  std::vector<std::size_t> cards;
  std::map<std::string, std::size_t> hosts;
  for (std::size_t rank = 0; rank < workers.size(); ++rank)
    cards.push_back(emulated ? rank / share
                             : hosts.try_emplace(workers[rank].host, hosts.size()).first->second);
  return countOf(cards) > 1 ? cards : std::vector<std::size_t>{};
}

std::vector<CardLoad> cardLoads(std::span<const MessageRow> rows, std::span<const std::size_t> cards) {
  std::vector<CardLoad> loads(countOf(cards));
  std::vector<CardLoad::Way> sums(cards.size());  // by rank
  const auto add = [](CardLoad::Way& way, const MessageRow& row) {
    way.bytes += row.bytes;
    way.messages += row.messages;
  };
  const auto known = [&](std::int64_t rank) {
    return rank >= 0 && rank < static_cast<std::int64_t>(cards.size());
  };
  for (const MessageRow& row : rows) {
    if (!known(row.source) || row.target >= static_cast<std::int64_t>(cards.size()))
      continue;  // found otherwise
    const auto source = at(row.source);
    if (row.target < 0) {
      add(sums[source], row);
      continue;
    }
    const std::size_t from = cards[source], to = cards[at(row.target)];
    if (from == to) continue;
    add(loads[from].sent, row);
    add(loads[to].received, row);
  }
  for (std::size_t rank = 0; rank < cards.size(); ++rank) {
    CardLoad::Way& most = loads[cards[rank]].sums;
    most = {std::max(most.bytes, sums[rank].bytes), std::max(most.messages, sums[rank].messages)};
  }
  return loads;
}

BusiestCard::BusiestCard(std::vector<std::size_t> cards)
    : cards_(std::move(cards)), sent_(countOf(cards_)), received_(sent_.size()) {}

void BusiestCard::add(std::span<const EpochRow> epochs, std::span<const MessageRow> rows) {
  if (cards_.empty()) return;
  std::map<std::int64_t, std::vector<MessageRow>> ofEpochs;  // they come rank by rank
  for (const EpochRow& epoch : epochs)
    if (epoch.epoch > 0 && !epoch.filling) ofEpochs[epoch.epoch];
  epochs_ += static_cast<double>(ofEpochs.size());
  for (const MessageRow& row : rows)
    if (const auto own = ofEpochs.find(row.epoch); own != ofEpochs.end()) own->second.push_back(row);
  for (const auto& [epoch, own] : ofEpochs) {
    const auto loads = cardLoads(own, cards_);
    for (std::size_t card = 0; card < loads.size(); ++card) {
      sent_[card] += static_cast<double>(loads[card].sentBytes());
      received_[card] += static_cast<double>(loads[card].receivedBytes());
    }
  }
}

std::map<std::string, double> BusiestCard::metrics() const {
  if (cards_.empty() || epochs_ == 0) return {};
  return {{"wire_bytes_per_epoch", std::max(std::ranges::max(sent_), std::ranges::max(received_)) / epochs_}};
}

}  // namespace halo
