#include "engine/methods/bit_assignment.h"

#include <algorithm>

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

Totals totalsOf(std::span<const WidthMessage> messages, int parts, const GroupWidths& widths) {
  Totals totals;
  std::vector<double> rounds(static_cast<std::size_t>(parts), 0);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    for (std::size_t g = 0; g < widths[m].size(); ++g)
      totals.variance += variance(messages[m].groups[g].score, widths[m][g]);
    double& longest = rounds[static_cast<std::size_t>(roundOf(messages[m], parts))];
    longest = std::max(longest, bytes(messages[m], widths[m]));
  }
  for (const double round : rounds) totals.time += round;
  return totals;
}

GroupWidths uniform(std::span<const WidthMessage> messages, std::uint8_t bits) {
  GroupWidths widths;
  for (const WidthMessage& message : messages) widths.emplace_back(message.groups.size(), bits);
  return widths;
}

/// What a unit of variance and a byte of a round's length cost.
struct Prices {
  double variance = 0, time = 0;
};

Prices pricesOf(std::span<const WidthMessage> messages, int parts, double tradeOff) {
  const Totals narrow = totalsOf(messages, parts, uniform(messages, 2)),
               wide = totalsOf(messages, parts, uniform(messages, 8));
  Prices prices;
  if (narrow.variance > wide.variance) prices.variance = tradeOff / (narrow.variance - wide.variance);
  if (wide.time > narrow.time) prices.time = (1 - tradeOff) / (wide.time - narrow.time);
  return prices;
}

/// A group gets its next width; its message is `length` bytes long then.
struct Upgrade {
  std::size_t message = 0, group = 0;
  std::uint8_t bits = 0;
  double gain = 0, cost = 0, length = 0;
};

/// All upgrades of a message, those that gain most a byte first. From 2 to 4 bits gains more a byte than from
/// 4 to 8, so a group's come in this order.
std::vector<Upgrade> upgradesOf(const WidthMessage& message, std::size_t index) {
  std::vector<Upgrade> upgrades;
  for (std::size_t g = 0; g < message.groups.size(); ++g)
    for (const int bits : {4, 8}) {
      const WidthGroup& group = message.groups[g];
      upgrades.push_back({index, g, static_cast<std::uint8_t>(bits),
                          variance(group.score, bits / 2) - variance(group.score, bits),
                          bytes(message, group, bits) - bytes(message, group, bits / 2)});
    }
  std::ranges::stable_sort(
      upgrades, [](const Upgrade& a, const Upgrade& b) { return a.gain * b.cost > b.gain * a.cost; });
  double length = 0;
  for (const WidthGroup& group : message.groups) length += bytes(message, group, 2);
  for (Upgrade& upgrade : upgrades) upgrade.length = length += upgrade.cost;
  return upgrades;
}

/// Widths of one round's messages; `widths` holds 2 bits everywhere.
void assignRound(std::span<const WidthMessage> messages, int parts, int round, const Prices& prices,
                 GroupWidths& widths) {
  std::vector<Upgrade> upgrades;
  double longest = 0;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (roundOf(messages[m], parts) != round) continue;
    longest = std::max(longest, bytes(messages[m], widths[m]));
    const auto own = upgradesOf(messages[m], m);
    upgrades.insert(upgrades.end(), own.begin(), own.end());
  }
  std::ranges::stable_sort(upgrades, {}, &Upgrade::length);
  double gained = 0, best = prices.time * longest;
  std::size_t taken = 0;
  for (std::size_t k = 0; k < upgrades.size(); ++k) {
    gained += upgrades[k].gain;
    const double cost = prices.time * std::max(longest, upgrades[k].length) - prices.variance * gained;
    if (cost >= best) continue;
    best = cost;
    taken = k + 1;
  }
  for (std::size_t k = 0; k < taken; ++k) widths[upgrades[k].message][upgrades[k].group] = upgrades[k].bits;
}

}  // namespace

double assignmentCost(std::span<const WidthMessage> messages, int parts, double tradeOff,
                      const GroupWidths& widths) {
  const Prices prices = pricesOf(messages, parts, tradeOff);
  const Totals totals = totalsOf(messages, parts, widths),
               narrow = totalsOf(messages, parts, uniform(messages, 2)),
               wide = totalsOf(messages, parts, uniform(messages, 8));
  return prices.variance * (totals.variance - wide.variance) + prices.time * (totals.time - narrow.time);
}

GroupWidths assignWidths(std::span<const WidthMessage> messages, int parts, double tradeOff) {
  if (tradeOff >= 1) return uniform(messages, 8);  // also where nothing varies
  GroupWidths widths = uniform(messages, 2);
  if (tradeOff <= 0) return widths;  // also where a message is not its round's longest
  const Prices prices = pricesOf(messages, parts, tradeOff);
  for (int round = 1; round < parts; ++round) assignRound(messages, parts, round, prices, widths);
  return widths;
}

}  // namespace halo
