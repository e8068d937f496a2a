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

  /// Whether each rank has the same with all others, as who sends or as who gets.
  bool alike(bool sends) const {
    for (int rank = 0; rank < count; ++rank) {
      const auto to = [&](int other) {
        const std::size_t pair = sends ? place(rank, other) : place(other, rank);
        return std::pair(bytes[pair], messages[pair]);
      };
      const int first = rank == 0 ? 1 : 0;
      for (int other = first; other < count; ++other)
        if (other != rank && to(other) != to(first)) return false;
    }
    return true;
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

/// By how much a drawn rank's sums grow.
struct Growth {
  double bytes = 1, messages = 1;
};

Growth growthOf(const Pairs& pairs, int ranks) {
  if (pairs.count == ranks) return {};
  const double drawn = pairs.count, all = ranks;
  const double peers = (all - 1) / (drawn - 1);
  if (pairs.alike(/*sends=*/true) || pairs.alike(/*sends=*/false)) return {peers, peers};
  const double rows = pairs.meanRows();
  const auto some = [](double mean) { return 1 - std::exp(-mean); };
  return {(1 - 1 / all) / (1 - 1 / drawn), rows > 0 ? peers * some(rows * drawn / all) / some(rows) : 1};
}

}  // namespace

Traffic spreadTraffic(const std::vector<Flow>& flows, int drawn, int ranks) {
  const Pairs pairs(flows, drawn);
  const Growth growth = growthOf(pairs, ranks);
  const auto sums = [&](const std::vector<std::int64_t>& figure, double factor, bool sends) {
    std::vector<double> byDrawn(at(drawn), 0);
    for (int i = 0; i < drawn; ++i)
      for (int j = 0; j < drawn; ++j)
        byDrawn[at(sends ? i : j)] += static_cast<double>(figure[pairs.place(i, j)]);
    std::vector<std::int64_t> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(std::llround(byDrawn[at(rank % drawn)] * factor));
    return PerRank(std::move(all));
  };
  Traffic traffic;
  traffic.outMessages = sums(pairs.messages, growth.messages, true);
  traffic.outBytes = sums(pairs.bytes, growth.bytes, true);
  traffic.inMessages = sums(pairs.messages, growth.messages, false);
  traffic.inBytes = sums(pairs.bytes, growth.bytes, false);
  return traffic;
}

}  // namespace halo::cluster
