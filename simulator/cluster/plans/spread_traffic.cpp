#include "simulator/cluster/plans/spread_traffic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/index.h"

namespace halo::cluster {
namespace {

/// Of pairs of the drawn ranks, bytes and messages.
struct Pairs {
  int count;
  std::vector<std::int64_t> bytes, messages;

  Pairs(const std::vector<Flow>& flows, int drawn)
      : count(drawn), bytes(at(drawn) * at(drawn), 0), messages(bytes) {
    for (const Flow& flow : flows) {
      if (flow.source == flow.target) continue;
      bytes[place(flow.source, flow.target)] += flow.bytes;
      messages[place(flow.source, flow.target)] += flow.messages;
    }
  }
  std::size_t place(int source, int target) const { return at(source) * at(count) + at(target); }

  std::size_t place(int rank, int other, bool sends) const {
    return sends ? place(rank, other) : place(other, rank);
  }

  /// Whether each rank has the same with all others, as who sends or as who gets.
  bool alike(bool sends) const {
    for (int rank = 0; rank < count; ++rank) {
      const auto to = [&](int other) {
        const std::size_t pair = place(rank, other, sends);
        return std::pair(bytes[pair], messages[pair]);
      };
      const int first = rank == 0 ? 1 : 0;
      for (int other = first; other < count; ++other)
        if (other != rank && to(other) != to(first)) return false;
    }
    return true;
  }

  /// A rank has the same with those that it stands for.
  void fillOwn(bool sends) {
    for (int rank = 0; rank < count; ++rank) {
      const std::size_t with = place(rank, rank == 0 ? 1 : 0, sends);
      bytes[place(rank, rank)] = bytes[with];
      messages[place(rank, rank)] = messages[with];
    }
  }

  /// Mean number of rows of a pair, by the share of pairs that have none. Where all have some it goes by the
  /// bytes of a row, which divide those of all.
  double meanRows() const {
    const double pairs = static_cast<double>(count) * (count - 1);
    const auto some = static_cast<double>(std::ranges::count_if(messages, [](auto m) { return m > 0; }));
    if (some < pairs) return -std::log(1 - some / pairs);
    std::int64_t row = 0;
    for (const std::int64_t each : bytes) row = std::gcd(row, each);
    const auto all = static_cast<double>(std::reduce(bytes.begin(), bytes.end()));
    return row == 0 ? 0 : all / static_cast<double>(row) / pairs;
  }
};

/// By how much rows of pairs of the drawn grow.
struct Growth {
  double bytes = 1, messages = 1;
};

Growth growthOf(const Pairs& pairs, int ranks) {
  if (pairs.count == ranks) return {};
  const double drawn = pairs.count, all = ranks;
  const double rows = pairs.meanRows();
  const auto some = [](double mean) { return 1 - std::exp(-mean); };
  return {(1 - 1 / all) / (1 - 1 / drawn),
          rows > 0 ? (all - 1) / (drawn - 1) * some(rows * drawn / all) / some(rows) : 1};
}

}  // namespace

Traffic spreadTraffic(const std::vector<Flow>& flows, const StandIns& standIns) {
  const int drawn = static_cast<int>(standIns.rankOf.size()),
            ranks = static_cast<int>(standIns.ofRank.size());
  Pairs pairs(flows, drawn);
  std::vector<std::int64_t> places(at(drawn), 0);  // of ranks that each stands for
  for (const int standIn : standIns.ofRank) ++places[at(standIn)];
  const auto sums = [&](const std::vector<std::int64_t>& figure, bool sends, const auto& sumOf) {
    std::vector<std::int64_t> byDrawn, all;
    for (int rank = 0; rank < drawn; ++rank)
      byDrawn.push_back(sumOf(rank, [&](int other) { return figure[pairs.place(rank, other, sends)]; }));
    for (const int standIn : standIns.ofRank) all.push_back(byDrawn[at(standIn)]);
    return PerRank(std::move(all));
  };
  // Nobody sends to itself.
  const auto counted = [&](int rank, const auto& with) {
    std::int64_t sum = -with(rank);
    for (int other = 0; other < drawn; ++other) sum += places[at(other)] * with(other);
    return sum;
  };
  const auto grown = [&](double factor) {
    return [&places, factor, drawn, ranks](int rank, const auto& with) {
      double sum = 0;
      for (int other = 0; other < drawn; ++other)
        if (other != rank) sum += static_cast<double>(places[at(other)] * with(other)) * drawn / ranks;
      return static_cast<std::int64_t>(std::llround(sum * factor));
    };
  };
  const auto trafficBy = [&](const auto& messages, const auto& bytes) {
    Traffic traffic;
    traffic.outMessages = sums(pairs.messages, true, messages);
    traffic.outBytes = sums(pairs.bytes, true, bytes);
    traffic.inMessages = sums(pairs.messages, false, messages);
    traffic.inBytes = sums(pairs.bytes, false, bytes);
    return traffic;
  };
  for (const bool sends : {true, false})
    if (drawn > 1 && pairs.alike(sends)) {
      pairs.fillOwn(sends);
      return trafficBy(counted, counted);
    }
  const Growth growth = growthOf(pairs, ranks);
  return trafficBy(grown(growth.messages), grown(growth.bytes));
}

}  // namespace halo::cluster
