#include "engine/methods/choices/bit_assignment.h"

#include <algorithm>
#include <tuple>

#include "engine/base/index.h"

namespace halo {
namespace {

double variance(double score, int bits) {
  const double levels = (1 << bits) - 1;
  return score / (levels * levels);
}

double bytes(const WidthMessage& message, const WidthGroup& group, int bits) {
  return static_cast<double>(group.rows * message.width * bits) / 8;
}

double bytes(const WidthMessage& message, std::span<const std::uint8_t> widths) {
  double sum = 0;
  for (std::size_t g = 0; g < message.groups.size(); ++g) sum += bytes(message, message.groups[g], widths[g]);
  return sum;
}

int roundOf(const WidthMessage& message, int parts) {
  return (message.receiver - message.sender + parts) % parts;
}

struct Totals {
  double variance = 0, time = 0;
};

/// `rounds`: scratch.
Totals totalsOf(std::span<const WidthMessage> messages, int parts, const GroupWidths& widths,
                std::vector<double>& rounds) {
  Totals totals;
  rounds.assign(at(parts), 0);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    for (std::size_t g = 0; g < widths[m].size(); ++g)
      totals.variance += variance(messages[m].groups[g].score, widths[m][g]);
    double& longest = rounds[at(roundOf(messages[m], parts))];
    longest = std::max(longest, bytes(messages[m], widths[m]));
  }
  for (const double round : rounds) totals.time += round;
  return totals;
}

void setUniform(std::span<const WidthMessage> messages, std::uint8_t bits, GroupWidths& widths) {
  widths.resize(messages.size());
  for (std::size_t m = 0; m < messages.size(); ++m) widths[m].assign(messages[m].groups.size(), bits);
}

}  // namespace

double assignmentCost(std::span<const WidthMessage> messages, int parts, double tradeOff,
                      const GroupWidths& widths) {
  GroupWidths uniform;
  std::vector<double> rounds;
  const auto totalsAt = [&](std::uint8_t bits) {
    setUniform(messages, bits, uniform);
    return totalsOf(messages, parts, uniform, rounds);
  };
  const Totals totals = totalsOf(messages, parts, widths, rounds), narrow = totalsAt(2), wide = totalsAt(8);
  double cost = 0;
  if (narrow.variance > wide.variance)
    cost += tradeOff * (totals.variance - wide.variance) / (narrow.variance - wide.variance);
  if (wide.time > narrow.time)
    cost += (1 - tradeOff) * (totals.time - narrow.time) / (wide.time - narrow.time);
  return cost;
}

GroupWidths assignWidths(std::span<const WidthMessage> messages, int parts, double tradeOff) {
  return WidthAssigner().assign(messages, parts, tradeOff);
}

const GroupWidths& WidthAssigner::assign(std::span<const WidthMessage> messages, int parts, double tradeOff) {
  if (tradeOff >= 1) {
    setUniform(messages, 8, widths_);  // also where nothing varies
    return widths_;
  }
  const Prices prices = tradeOff > 0 ? pricesOf(messages, parts, tradeOff) : Prices{};
  setUniform(messages, 2, widths_);
  if (tradeOff <= 0) return widths_;  // also where a message is not its round's longest
  for (int round = 1; round < parts; ++round) assignRound(messages, parts, round, prices);
  return widths_;
}

WidthAssigner::Prices WidthAssigner::pricesOf(std::span<const WidthMessage> messages, int parts,
                                              double tradeOff) {
  setUniform(messages, 2, widths_);
  const Totals narrow = totalsOf(messages, parts, widths_, rounds_);
  setUniform(messages, 8, widths_);
  const Totals wide = totalsOf(messages, parts, widths_, rounds_);
  Prices prices;
  if (narrow.variance > wide.variance) prices.variance = tradeOff / (narrow.variance - wide.variance);
  if (wide.time > narrow.time) prices.time = (1 - tradeOff) / (wide.time - narrow.time);
  return prices;
}

/// All upgrades of a message, those that gain most a byte first. From 2 to 4 bits gains more a byte than from
/// 4 to 8, so a group's come in this order.
void WidthAssigner::addUpgrades(const WidthMessage& message, std::size_t index) {
  const auto first = static_cast<std::ptrdiff_t>(upgrades_.size());
  double length = 0;
  for (std::size_t g = 0; g < message.groups.size(); ++g) {
    const WidthGroup& group = message.groups[g];
    length += bytes(message, group, 2);
    for (const int bits : {4, 8})
      upgrades_.push_back({index, g, static_cast<std::uint8_t>(bits),
                           variance(group.score, bits / 2) - variance(group.score, bits),
                           bytes(message, group, bits) - bytes(message, group, bits / 2)});
  }
  const std::span<Upgrade> own(upgrades_.begin() + first, upgrades_.end());
  std::ranges::sort(own, {}, [](const Upgrade& u) { return std::tuple(-u.gain / u.cost, u.group, u.bits); });
  for (Upgrade& upgrade : own) upgrade.length = length += upgrade.cost;
}

/// Widths of one round's messages, which have 2 bits everywhere.
void WidthAssigner::assignRound(std::span<const WidthMessage> messages, int parts, int round,
                                const Prices& prices) {
  upgrades_.clear();
  double longest = 0;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (roundOf(messages[m], parts) != round) continue;
    longest = std::max(longest, bytes(messages[m], widths_[m]));
    addUpgrades(messages[m], m);
  }
  std::ranges::sort(upgrades_, {}, [](const Upgrade& u) { return std::pair(u.length, u.message); });
  double gained = 0, best = prices.time * longest;
  std::size_t upgradeCount = 0;
  for (std::size_t k = 0; k < upgrades_.size(); ++k) {
    gained += upgrades_[k].gain;
    const double cost = prices.time * std::max(longest, upgrades_[k].length) - prices.variance * gained;
    if (cost >= best) continue;
    best = cost;
    upgradeCount = k + 1;
  }
  for (std::size_t k = 0; k < upgradeCount; ++k)
    widths_[upgrades_[k].message][upgrades_[k].group] = upgrades_[k].bits;
}

}  // namespace halo
