#include "simulator/cluster/plans/pair_cost.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

constexpr double kFarFromZero = 400;  // rows: a Poisson number is within 15 % of so large a mean

/// Of one pass of one layer, by rank.
struct Sums {
  std::vector<std::int64_t> outMessages, outBytes, inMessages, inBytes;
  explicit Sums(std::size_t ranks) : outMessages(ranks), outBytes(ranks), inMessages(ranks), inBytes(ranks) {}
  void add(std::size_t from, std::size_t to, std::int64_t messages, std::int64_t bytes) {
    outMessages[from] += messages;
    outBytes[from] += bytes;
    inMessages[to] += messages;
    inBytes[to] += bytes;
  }
};
struct AllSums {
  Sums all, within, plain;
  explicit AllSums(std::size_t ranks) : all(ranks), within(ranks), plain(ranks) {}
};

Traffic trafficOf(AllSums& sums, std::int64_t ranksPerNode) {
  Traffic traffic;
  traffic.outMessages = PerRank(std::move(sums.all.outMessages));
  traffic.outBytes = PerRank(std::move(sums.all.outBytes));
  traffic.inMessages = PerRank(std::move(sums.all.inMessages));
  traffic.inBytes = PerRank(std::move(sums.all.inBytes));
  traffic.ranksPerNode = ranksPerNode;
  traffic.withinOutMessages = PerRank(std::move(sums.within.outMessages));
  traffic.withinOutBytes = PerRank(std::move(sums.within.outBytes));
  traffic.withinInMessages = PerRank(std::move(sums.within.inMessages));
  traffic.withinInBytes = PerRank(std::move(sums.within.inBytes));
  return traffic;
}

}  // namespace

PairCost::PairCost(const MethodEntry& method, const RunSettings& run, const ModelShape& shape,
                   std::int64_t epoch)
    : method_(method), request_(volumeRequest(shape, run, 2, epoch)), codes_(styleOf(run, 2).codes) {
  if (!styleOf(run, 2).pairsAlone)
    throw InputError(
        Problem{.key = "method",
                .message = run.method +
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

const std::vector<PairCost::Message>& PairCost::messagesOf(std::int64_t rows) {
  const auto entry = known_.find(rows);
  if (entry != known_.end()) return entry->second;
  std::vector<Message> messages = ask(rows, false);
  if (codes_) {
    const std::vector<Message> plain = ask(rows, true);
    for (Message& message : messages)
      for (const Message& other : plain)
        if (other.layer == message.layer && other.pass == message.pass && other.returns == message.returns)
          message.plainBytes = other.bytes;
  }
  return known_.emplace(rows, std::move(messages)).first->second;
}

std::vector<PairCost::Message> PairCost::expected(double meanRows) {
  HALO_CHECK(meanRows >= 0);
  if (meanRows >= kFarFromZero) {
    const auto rows = static_cast<std::int64_t>(std::llround(meanRows));
    std::vector<Message> mean = messagesOf(rows);
    for (Message& message : mean) message.bytes *= meanRows / static_cast<double>(rows);
    return mean;
  }
  std::vector<Message> mean;
  const auto most = static_cast<std::int64_t>(std::ceil(meanRows + 12 * std::sqrt(meanRows) + 12));
  double probability = std::exp(-meanRows);
  for (std::int64_t rows = 1; rows <= most; ++rows) {
    probability *= meanRows / static_cast<double>(rows);
    for (const Message& message : messagesOf(rows)) {
      const auto same = std::ranges::find_if(mean, [&](const Message& m) {
        return m.layer == message.layer && m.pass == message.pass && m.returns == message.returns;
      });
      Message& sum = same == mean.end()
                         ? mean.emplace_back(Message{message.layer, message.pass, message.returns})
                         : *same;
      sum.messages += probability * message.messages;
      sum.bytes += probability * message.bytes;
      sum.plainBytes += probability * message.plainBytes;
    }
  }
  return mean;
}

std::map<std::pair<int, Pass>, PairCost::PassSums> PairCost::sumsOf(const std::vector<PairRows>& pairs,
                                                                    std::int64_t ranksPerNode, int ranks) {
  std::map<std::pair<int, Pass>, AllSums> sums;
  for (const PairRows& pair : pairs) {
    const bool within = pair.source / ranksPerNode == pair.target / ranksPerNode;
    for (const Message& m : messagesOf(pair.rows)) {
      AllSums& sum = sums.try_emplace({m.layer, m.pass}, at(ranks)).first->second;
      const auto from = at(m.returns ? pair.target : pair.source);
      const auto to = at(m.returns ? pair.source : pair.target);
      const auto messages = std::llround(m.messages), bytes = std::llround(m.bytes);
      sum.all.add(from, to, messages, bytes);
      if (within) sum.within.add(from, to, messages, bytes);
      sum.plain.add(from, to, 0, std::llround(m.plainBytes));
    }
  }
  std::map<std::pair<int, Pass>, PassSums> all;
  for (auto& [key, sum] : sums)
    all[key] = {trafficOf(sum, ranksPerNode), PerRank(std::move(sum.plain.outBytes)),
                PerRank(std::move(sum.plain.inBytes))};
  return all;
}

}  // namespace halo::cluster
