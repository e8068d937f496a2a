#include "simulator/cluster/pair_cost.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

constexpr double kFarFromZero = 400;  // rows: a Poisson number is within 15 % of so large a mean

/// Sums of one pass of one layer, by rank.
struct RankSums {
  std::vector<std::int64_t> outMessages, outBytes, inMessages, inBytes, plainOut, plainIn;
  explicit RankSums(std::size_t ranks)
      : outMessages(ranks),
        outBytes(ranks),
        inMessages(ranks),
        inBytes(ranks),
        plainOut(ranks),
        plainIn(ranks) {}
};

}  // namespace

PairCost::PairCost(const MethodEntry& method, const RunSettings& run, const ModelShape& shape,
                   std::int64_t epoch)
    : method_(method), request_(volumeRequest(shape, run, 2, epoch)), codes_(styleOf(run, 2).codes) {
  if (!styleOf(run, 2).pairsAlone)
    throw InputError(
        Problem{"", 0, 0, "method",
                run.method +
                    "'s messages depend on more than the halo rows of a pair, so ranks cannot be "
                    "summed; at most " +
                    std::to_string(kPairwiseRanks) + " workers"});
}

std::vector<PairCost::Message> PairCost::ask(std::int64_t rows, bool plain) const {
  VolumeRequest request = request_;
  if (plain) request.parameters.insert_or_assign("bits", Value(std::string("32")));
  request.rows = {{0, rows}, {0, 0}};
  request.tables = {request.rows};
  std::map<std::tuple<int, Pass, bool>, std::pair<std::int64_t, std::int64_t>> sums;
  for (const PredictedVolume& v : method_.predict(request)) {
    auto& [messages, bytes] = sums[{v.layer, v.pass, v.source == 1}];
    messages += v.messages;
    bytes += v.bytes;
  }
  std::vector<Message> all;
  for (const auto& [key, sum] : sums)
    all.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), static_cast<double>(sum.first),
                   static_cast<double>(sum.second), static_cast<double>(sum.second)});
  return all;
}

const std::vector<PairCost::Message>& PairCost::of(std::int64_t rows) {
  const auto found = known_.find(rows);
  if (found != known_.end()) return found->second;
  std::vector<Message> messages = ask(rows, false);
  if (codes_) {
    const std::vector<Message> plain = ask(rows, true);
    for (Message& one : messages)
      for (const Message& other : plain)
        if (other.layer == one.layer && other.pass == one.pass && other.returns == one.returns)
          one.plainBytes = other.bytes;
  }
  return known_.emplace(rows, std::move(messages)).first->second;
}

std::vector<PairCost::Message> PairCost::expected(double meanRows) {
  HALO_CHECK(meanRows >= 0);
  if (meanRows >= kFarFromZero) {
    const auto rows = static_cast<std::int64_t>(std::llround(meanRows));
    std::vector<Message> mean = of(rows);
    for (Message& one : mean) one.bytes *= meanRows / static_cast<double>(rows);
    return mean;
  }
  std::vector<Message> mean;
  const auto most = static_cast<std::int64_t>(std::ceil(meanRows + 12 * std::sqrt(meanRows) + 12));
  double probability = std::exp(-meanRows);
  for (std::int64_t rows = 1; rows <= most; ++rows) {
    probability *= meanRows / static_cast<double>(rows);
    for (const Message& one : of(rows)) {
      const auto same = std::ranges::find_if(mean, [&](const Message& m) {
        return m.layer == one.layer && m.pass == one.pass && m.returns == one.returns;
      });
      Message& sum =
          same == mean.end() ? mean.emplace_back(Message{one.layer, one.pass, one.returns}) : *same;
      sum.messages += probability * one.messages;
      sum.bytes += probability * one.bytes;
      sum.plainBytes += probability * one.plainBytes;
    }
  }
  return mean;
}

TrafficOf PairCost::sumsOf(const std::vector<PairRows>& pairs, Plan& plan) {
  const auto ranks = static_cast<std::size_t>(plan.ranks);
  std::map<std::pair<int, Pass>, RankSums> sums;
  for (const PairRows& pair : pairs)
    for (const Message& m : of(pair.rows)) {
      RankSums& sum = sums.try_emplace({m.layer, m.pass}, ranks).first->second;
      const auto from = static_cast<std::size_t>(m.returns ? pair.target : pair.source);
      const auto to = static_cast<std::size_t>(m.returns ? pair.source : pair.target);
      const auto messages = std::llround(m.messages), bytes = std::llround(m.bytes);
      const auto plain = std::llround(m.plainBytes);
      sum.outMessages[from] += messages;
      sum.outBytes[from] += bytes;
      sum.inMessages[to] += messages;
      sum.inBytes[to] += bytes;
      sum.plainOut[from] += plain;
      sum.plainIn[to] += plain;
    }
  TrafficOf all;
  for (auto& [key, sum] : sums) {
    Traffic traffic;
    traffic.outMessages = PerRank(std::move(sum.outMessages));
    traffic.outBytes = PerRank(std::move(sum.outBytes));
    traffic.inMessages = PerRank(std::move(sum.inMessages));
    traffic.inBytes = PerRank(std::move(sum.inBytes));
    PassTraffic& pass = all[key];
    pass.plainBytes = PerRank(std::move(sum.plainOut));
    pass.plainArrivedBytes = PerRank(std::move(sum.plainIn));
    pass.rounds.push_back(plan.addTraffic(std::move(traffic)));
  }
  return all;
}

}  // namespace halo::cluster
