#include "simulator/cluster/plans/schedule.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

template <class Figure>
PerRank perRank(int ranks, Figure figure) {
  std::vector<std::int64_t> values(at(ranks));
  for (int rank = 0; rank < ranks; ++rank) values[at(rank)] = figure(rank);
  return PerRank(std::move(values));
}

class StepWriter {
 public:
  StepWriter(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool cached,
             const TrafficOf& traffic, Plan& plan)
      : shape_(shape), style_(style), loads_(loads), cached_(cached), traffic_(traffic), plan_(plan) {}

  void write() {
    if (partByPart(style_) && loads_.partEntries.empty() && !traffic_.empty())
      plan_.notes.push_back("rows of all parts are taken together, not one part's after the other");
    layer_ = -1;
    pass_ = Pass::none;
    if (const PassTraffic* setUp = passTraffic()) exchangeNow(*setUp, 0, setUp->rounds.size());
    const int layers = static_cast<int>(shape_.layers.size());
    for (int l = 0; l < layers; ++l) forward(l);
    for (int l = layers - 1; l >= 0; --l) backward(l);
    layer_ = -1;
    pass_ = Pass::none;
    if (plan_.ranks > 1) add(Op::allReduce).bytes = PerRank(shape_.weights * std::int64_t{sizeof(Scalar)});
  }

 private:
  const LayerShape& shape() const { return shape_.layers[at(layer_)]; }

  Step& add(Op op) {
    Step& step = plan_.steps.emplace_back();
    step.op = op;
    step.layer = layer_;
    step.pass = pass_;
    return step;
  }

  const PassTraffic* passTraffic() const {
    const auto entry = traffic_.find({layer_, pass_});
    return entry == traffic_.end() ? nullptr : &entry->second;
  }

  void forward(int l) {
    layer_ = l;
    pass_ = Pass::forward;
    dense(shape().prepareFlop);
    const bool aggregates = l > 0 || !cached_;
    propagate(aggregates ? shape().propagated : 0, /*arrivesFirst=*/true);
    dense(shape().finishFlop);
  }

  void backward(int l) {
    layer_ = l;
    pass_ = Pass::backward;
    dense(shape().backwardFinishFlop);
    if (shape().backward) propagate(shape().returned, /*arrivesFirst=*/false);
    dense(shape().backwardPrepareFlop);
  }

  /// An aggregation of `width` columns (0: none, what travels travels all the same) with its exchanges.
  void propagate(std::int64_t width, bool arrivesFirst) {
    const PassTraffic* traffic = passTraffic();
    if (traffic != nullptr && traffic->gathered) add(Op::allGather).bytes = *traffic->gathered;
    if (traffic == nullptr || traffic->rounds.empty()) return aggregate(width);
    const std::size_t rounds = traffic->rounds.size();
    switch (style_.order) {
      case ExchangeOrder::rounds:
        if (loads_.partEntries.empty()) return halo(*traffic, width, arrivesFirst);
        return inRounds(*traffic, width, arrivesFirst);
      case ExchangeOrder::halo:
      case ExchangeOrder::relayed:
        return halo(*traffic, width, arrivesFirst);
      case ExchangeOrder::sums:
        aggregate(width);
        return style_.depth > 0 ? late(*traffic, false) : exchangeNow(*traffic, 0, rounds);
      case ExchangeOrder::transposed:
        if (rounds > 1) exchangeNow(*traffic, 0, rounds - 1);
        aggregate(width);
        return exchangeNow(*traffic, rounds - 1, rounds);
      case ExchangeOrder::broadcasts:
        if (!loads_.partEntries.empty()) return blocks(*traffic, width);
        for (const int t : traffic->rounds) add(Op::broadcast).traffic = t;
        return aggregate(width);
      case ExchangeOrder::pulls:
        HALO_CHECK(false && "batches have a schedule of their own");
    }
  }

  void halo(const PassTraffic& traffic, std::int64_t width, bool arrivesFirst) {
    if (style_.depth > 0) {
      if (!arrivesFirst) aggregate(width);
      late(traffic, arrivesFirst);
      if (arrivesFirst) aggregate(width);
      return;
    }
    const bool overlaps = style_.meanwhile != Meanwhile::nothing || style_.order == ExchangeOrder::rounds;
    if (!overlaps) {
      if (!arrivesFirst) aggregate(width);
      exchangeStages(traffic, [] {});
      if (arrivesFirst) aggregate(width);
      return;
    }
    const bool central = arrivesFirst && style_.meanwhile == Meanwhile::central;
    const PerRank& first = central ? loads_.centralEntries : loads_.ownEntries;
    const auto atHand = [&](int rank) { return first[rank]; };
    const auto later = [&](int rank) { return loads_.entries[rank] - first[rank]; };
    if (!arrivesFirst) sparse(width, later, /*withRows=*/false);
    exchangeStages(traffic, [&] { sparse(width, atHand, /*withRows=*/true); });
    if (arrivesFirst) sparse(width, later, /*withRows=*/false);
  }

  /// Each rank's block is summed when it has come, before the next one's.
  void blocks(const PassTraffic& traffic, std::int64_t width) {
    for (std::size_t part = 0; part < traffic.rounds.size(); ++part) {
      if (traffic.rounds[part] >= 0) add(Op::broadcast).traffic = traffic.rounds[part];
      sparse(
          width, [&](int rank) { return loads_.partEntries[part][rank]; }, /*withRows=*/part == 0);
    }
  }

  /// Round r + 1 is under way while what came in round r is summed (or, backward, made for round r + 1).
  void inRounds(const PassTraffic& traffic, std::int64_t width, bool arrivesFirst) {
    const std::size_t rounds = traffic.rounds.size();
    const auto part = [&](std::size_t r) {
      const std::size_t steps = plan_.steps.size();
      sparse(
          width, [&](int rank) { return loads_.partEntries[r][rank]; }, /*withRows=*/false);
      if (traffic.rounds[r] < 0 || plan_.steps.size() == steps) return;
      const Traffic& messages = plan_.traffics[at(traffic.rounds[r])];
      plan_.steps.back().kernels = arrivesFirst ? messages.inMessages : messages.outMessages;
    };
    std::vector<int> started(rounds, -1);
    const auto begin = [&](std::size_t r) {
      if (r >= rounds) return;
      if (!arrivesFirst) part(r);
      if (traffic.rounds[r] >= 0) started[r] = start(traffic.rounds[r], 0);
    };
    pack(traffic);
    begin(0);
    sparse(
        width, [&](int rank) { return loads_.ownEntries[rank]; }, /*withRows=*/true);
    for (std::size_t r = 0; r < rounds; ++r) {
      begin(r + 1);
      if (started[r] >= 0) wait(started[r], 0);
      if (arrivesFirst) part(r);
    }
  }

  /// Takes what was sent `depth` epochs ago, and sends what will be taken as many epochs from now. Rows are
  /// sent after the taking, gradients before it, as they are made.
  void late(const PassTraffic& traffic, bool takesFirst) {
    pack(traffic);
    for (const int t : traffic.rounds) {
      const int exchange = static_cast<int>(plan_.steps.size()) + (takesFirst ? 1 : 0);
      if (takesFirst) wait(exchange, style_.depth);
      start(t, style_.depth);
      if (!takesFirst) wait(exchange, style_.depth);
    }
    unpack(traffic);
  }

  /// What leaves at once, `meanwhile`, and what waits for the first of it; then what is left, one by one.
  template <class Work>
  void exchangeStages(const PassTraffic& traffic, Work meanwhile) {
    const std::size_t rounds = traffic.rounds.size(), atOnce = std::min(traffic.atOnce, rounds);
    pack(traffic);
    std::vector<int> started;
    for (std::size_t r = 0; r < atOnce; ++r) started.push_back(start(traffic.rounds[r], 0));
    meanwhile();
    wait(started.front(), 0);
    if (atOnce < rounds) started.push_back(start(traffic.rounds[atOnce], 0));
    for (std::size_t r = 1; r < started.size(); ++r) wait(started[r], 0);
    for (std::size_t r = started.size(); r < rounds; ++r) wait(start(traffic.rounds[r], 0), 0);
    unpack(traffic);
  }

  void exchangeNow(const PassTraffic& traffic, std::size_t from, std::size_t to) {
    if (from == to) return;
    if (from == 0) pack(traffic);
    for (std::size_t round = from; round < to; ++round) wait(start(traffic.rounds[round], 0), 0);
    if (to == traffic.rounds.size()) unpack(traffic);
  }

  int start(int traffic, int depth) {
    Step& step = add(Op::exchange);
    step.traffic = traffic;
    step.depth = depth;
    return static_cast<int>(plan_.steps.size()) - 1;
  }
  void wait(int exchange, int depth) {
    Step& step = add(Op::wait);
    step.exchange = exchange;
    step.depth = depth;
  }

  void pack(const PassTraffic& traffic) {
    add(Op::pack).bytes = traffic.plainBytes;
    if (style_.codes) add(Op::quantise).bytes = traffic.plainBytes;
  }
  void unpack(const PassTraffic& traffic) {
    if (style_.codes) add(Op::quantise).bytes = traffic.plainArrivedBytes;
  }

  void aggregate(std::int64_t width) {
    sparse(
        width, [&](int rank) { return loads_.entries[rank]; }, /*withRows=*/true);
  }
  template <class Entries>
  void sparse(std::int64_t width, Entries entries, bool withRows) {
    if (width == 0) return;
    Step& step = add(Op::sparse);
    if (style_.order == ExchangeOrder::transposed) {
      const std::int64_t slices = plan_.ranks / style_.groups;
      const auto columns = [&](int rank) { return sliceWidth(width, rank % slices, slices); };
      step.entries =
          perRank(plan_.ranks, [&](int r) { return columns(r) > 0 ? loads_.entriesOfGroup[r] : 0; });
      step.entryElements = perRank(plan_.ranks, [&](int r) { return loads_.entriesOfGroup[r] * columns(r); });
      step.rowElements = perRank(plan_.ranks, [&](int r) { return loads_.rowsOfGroup[r] * columns(r); });
      return;
    }
    step.entries = perRank(plan_.ranks, [&](int r) { return entries(r); });
    step.entryElements = perRank(plan_.ranks, [&](int r) { return entries(r) * width; });
    if (withRows) step.rowElements = perRank(plan_.ranks, [&](int r) { return updated(r) * width; });
  }

  void dense(std::int64_t rowFlop) {
    if (rowFlop > 0) add(Op::dense).flop = perRank(plan_.ranks, [&](int r) { return updated(r) * rowFlop; });
  }
  std::int64_t updated(int rank) const { return loads_.rows[rank] + loads_.leaves[rank]; }

  const ModelShape& shape_;
  const MethodStyle& style_;
  const Loads& loads_;
  bool cached_;
  const TrafficOf& traffic_;
  Plan& plan_;
  int layer_ = -1;
  Pass pass_ = Pass::none;
};

}  // namespace

std::vector<PerRank> inRoundSteps(const PerRank& all, int ranks) {
  const std::int64_t rounds = ranks - 1;
  std::vector<PerRank> steps;
  for (std::int64_t from = 0; from < rounds;) {
    std::int64_t to = from;
    while (to < rounds && stepOfRound(static_cast<int>(to), ranks) == static_cast<int>(steps.size())) ++to;
    steps.push_back(
        perRank(ranks, [&](int rank) { return all[rank] * to / rounds - all[rank] * from / rounds; }));
    from = to;
  }
  return steps;
}

MethodStyle styleOf(const RunSettings& run, int ranks) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  HALO_CHECK(method != nullptr && method->style != nullptr);
  return method->style(run, ranks);
}

std::int64_t sliceWidth(std::int64_t width, std::int64_t index, std::int64_t count) {
  return width * (index + 1) / count - width * index / count;
}

void writeSteps(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool cached,
                const TrafficOf& traffic, Plan& plan) {
  StepWriter(shape, style, loads, cached, traffic, plan).write();
}

}  // namespace halo::cluster
