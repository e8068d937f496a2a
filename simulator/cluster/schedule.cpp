#include "simulator/cluster/schedule.h"

#include <algorithm>
#include <charconv>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

template <class Figure>
PerRank each(int ranks, Figure figure) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) values[static_cast<std::size_t>(rank)] = figure(rank);
  return PerRank(std::move(values));
}

std::string textOf(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  const auto* word = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return word == nullptr ? "" : *word;
}

/// The groups of "GROUPSxSLICES", or for "auto" as many as make the grid as square as can be.
int groupsOf(const std::string& grid, int ranks) {
  int groups = 1;
  if (std::from_chars(grid.data(), grid.data() + grid.size(), groups).ec == std::errc()) return groups;
  for (int g = 1; g * g <= ranks; ++g)
    if (ranks % g == 0) groups = g;
  return groups;
}

class StepWriter {
 public:
  StepWriter(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool cached,
             const TrafficOf& traffic, Plan& plan)
      : shape_(shape), style_(style), loads_(loads), cached_(cached), traffic_(traffic), plan_(plan) {}

  void write() {
    layer_ = -1;
    pass_ = Pass::none;
    if (const PassTraffic* setUp = found()) exchangeNow(*setUp, 0, setUp->rounds.size());
    const int layers = static_cast<int>(shape_.layers.size());
    for (int l = 0; l < layers; ++l) forward(l);
    for (int l = layers - 1; l >= 0; --l) backward(l);
    layer_ = -1;
    pass_ = Pass::none;
    if (plan_.ranks > 1) add(Op::allReduce).bytes = PerRank(shape_.weights * std::int64_t{sizeof(Scalar)});
  }

 private:
  const LayerShape& shape() const { return shape_.layers[static_cast<std::size_t>(layer_)]; }

  Step& add(Op op) {
    Step& step = plan_.steps.emplace_back();
    step.op = op;
    step.layer = layer_;
    step.pass = pass_;
    return step;
  }

  const PassTraffic* found() const {
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
    const PassTraffic* traffic = found();
    if (traffic != nullptr && traffic->gathered) add(Op::allGather).bytes = *traffic->gathered;
    if (traffic == nullptr || traffic->rounds.empty()) return aggregate(width);
    const std::size_t rounds = traffic->rounds.size();
    switch (style_.style) {
      case Style::halo:
        return halo(*traffic, width, arrivesFirst);
      case Style::sums:
        aggregate(width);
        return style_.depth > 0 ? late(*traffic, false) : exchangeNow(*traffic, 0, rounds);
      case Style::transposed:
        if (rounds > 1) exchangeNow(*traffic, 0, rounds - 1);
        aggregate(width);
        return exchangeNow(*traffic, rounds - 1, rounds);
      case Style::broadcasts:
        for (const int t : traffic->rounds) add(Op::broadcast).traffic = t;
        return aggregate(width);
    }
  }

  void halo(const PassTraffic& traffic, std::int64_t width, bool arrivesFirst) {
    if (style_.depth > 0) {
      if (!arrivesFirst) aggregate(width);
      late(traffic, arrivesFirst);
      if (arrivesFirst) aggregate(width);
      return;
    }
    const auto own = [&](int rank) { return loads_.ownEntries[rank]; };
    const auto others = [&](int rank) { return loads_.entries[rank] - loads_.ownEntries[rank]; };
    if (!style_.localFirst) {
      if (!arrivesFirst) aggregate(width);
      exchangeNow(traffic, 0, traffic.rounds.size());
      if (arrivesFirst) aggregate(width);
      return;
    }
    if (!arrivesFirst) sparse(width, others, /*withRows=*/false);
    pack(traffic);
    std::vector<int> started;
    for (const int t : traffic.rounds) started.push_back(start(t, 0));
    sparse(width, own, /*withRows=*/true);
    for (const int step : started) wait(step, 0);
    unpack(traffic);
    if (arrivesFirst) sparse(width, others, /*withRows=*/false);
  }

  /// Takes what was sent `depth` epochs ago, and sends what will be taken as many epochs from now: rows after
  /// the taking, gradients before it, as they are made.
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

  void exchangeNow(const PassTraffic& traffic, std::size_t from, std::size_t to) {
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
    if (style_.style == Style::transposed) {
      const std::int64_t slices = plan_.ranks / style_.groups;
      const auto columns = [&](int rank) { return sliceWidth(width, rank % slices, slices); };
      step.entryElements = each(plan_.ranks, [&](int r) { return loads_.entriesOfGroup[r] * columns(r); });
      step.rowElements = each(plan_.ranks, [&](int r) { return loads_.rowsOfGroup[r] * columns(r); });
      return;
    }
    step.entryElements = each(plan_.ranks, [&](int r) { return entries(r) * width; });
    if (withRows) step.rowElements = each(plan_.ranks, [&](int r) { return loads_.rows[r] * width; });
  }

  void dense(std::int64_t rowFlop) {
    if (rowFlop > 0) add(Op::dense).flop = each(plan_.ranks, [&](int r) { return loads_.rows[r] * rowFlop; });
  }

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

MethodStyle styleOf(const RunSettings& run, int ranks) {
  const Values& values = run.parameters;
  MethodStyle style;
  style.localFirst = textOf(values, "overlap") == "local-first";
  const std::string bits = textOf(values, "bits");
  style.codes = !bits.empty() && bits != "32";
  if (run.method == "pipegcn") style.depth = static_cast<int>(values.integer("depth"));
  if (run.method == "p2p") style.localFirst = true;
  if (run.method == "distgnn") {
    style.style = Style::sums;
    style.depth = static_cast<int>(std::max<std::int64_t>(values.integer("delay"), 0));
  }
  if (run.method == "cagnet" || run.method == "sancus") style.style = Style::broadcasts;
  if (run.method == "mop" || run.method == "mop-partition") style.style = Style::transposed;
  if (run.method == "mop-partition") style.groups = groupsOf(values.text("grid"), ranks);
  if (run.method == "mop" && values.text("adjacency") == "ring")
    style.unknown = "blocks of the graph go round while they are aggregated";
  if (run.method == "lhop" || run.method == "neutronstar")
    style.unknown = "it computes rows that others own, how many is not in the rows that travel";
  if (run.method == "moa") style.unknown = "its workers that aggregate and those that update are a pipeline";
  if (run.method == "dorylus") style.unknown = "its graph servers and tensor workers are a pipeline";
  if (run.method == "roc") style.unknown = "its time goes into swapping, which no rank sends";
  return style;
}

std::int64_t sliceWidth(std::int64_t width, std::int64_t index, std::int64_t count) {
  return width * (index + 1) / count - width * index / count;
}

void writeSteps(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool cached,
                const TrafficOf& traffic, Plan& plan) {
  StepWriter(shape, style, loads, cached, traffic, plan).write();
}

}  // namespace halo::cluster
