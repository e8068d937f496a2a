#include "simulator/cluster/plans/wide_plan.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "simulator/cluster/plans/memory.h"
#include "simulator/cluster/plans/pair_cost.h"
#include "simulator/cluster/plans/rounds.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar);

class Wide {
 public:
  Wide(const RunSettings& run, const std::vector<std::int64_t>& widths, const WideFigures& figures,
       std::int64_t epoch)
      : run_(run),
        figures_(figures),
        epoch_(epoch),
        method_(plannedMethod(run, widths, figures.ranks)),
        style_(styleOf(run, figures.ranks)),
        shape_(shapeFor(method_, run, widths)) {
    HALO_CHECK(figures.rows.size() == at(figures.ranks) && figures.entriesOf.size() == at(figures.ranks));
    plan_.ranks = figures.ranks;
    plan_.method = run.method;
    plan_.origin = figures.origin;
    plan_.untimed = style_.unknown;
  }

  Plan make() {
    const Loads loads = loadsOf();
    if (plan_.ranks > 1) {
      if (style_.order == ExchangeOrder::halo || style_.order == ExchangeOrder::rounds)
        halo();
      else if (style_.order == ExchangeOrder::transposed && !shape_.attends)
        layers([&](int layer, Pass pass, std::int64_t width) { transposed(layer, pass, width); });
      else if (style_.wholeBlocks)
        layers([&](int layer, Pass pass, std::int64_t width) { broadcasts(layer, pass, width); });
      else
        unsupported();
    }
    writeSteps(shape_, style_, loads, cached(), traffic_, plan_);
    plan_.rows = loads.rows;
    plan_.entries = style_.order == ExchangeOrder::transposed ? loads.entriesOfGroup : loads.entries;
    setMemory(run_, shape_, style_, loads, traffic_, plan_);
    return std::move(plan_);
  }

 private:
  void unsupported() const {
    throw InputError(Problem{.key = "method",
                             .message = run_.method + " has no closed form of its sums; at most " +
                                        std::to_string(kPairwiseRanks) +
                                        " workers, on a graph that is at hand"});
  }

  bool cached() const { return cachesLayer0(method_, run_.parameters) && epoch_ > 0; }

  std::int64_t slices() const { return plan_.ranks / style_.groups; }

  Loads loadsOf() const {
    Loads loads;
    loads.rows = PerRank(figures_.rows);
    loads.entries = PerRank(figures_.entriesOf);
    std::vector<std::int64_t> own, central;
    for (const std::int64_t entries : figures_.entriesOf) {
      own.push_back(std::llround(static_cast<double>(entries) * figures_.ownShare));
      central.push_back(std::llround(static_cast<double>(entries) * figures_.centralShare));
    }
    loads.ownEntries = PerRank(std::move(own));
    loads.centralEntries = PerRank(std::move(central));
    if (style_.order == ExchangeOrder::rounds && takesParts(style_, plan_.ranks))
      loads.partEntries = othersInRounds(loads, plan_.ranks);
    if (style_.order != ExchangeOrder::transposed) return loads;
    loads.haloRows = loads.groupSent =
        PerRank(std::llround(figures_.groupHaloRows / static_cast<double>(style_.groups)));
    std::vector<std::int64_t> rows(at(plan_.ranks), 0), entries(at(plan_.ranks), 0);
    for (std::int64_t group = 0; group < style_.groups; ++group) {
      std::int64_t groupRows = 0, groupEntries = 0;
      for (std::int64_t r = group * slices(); r < (group + 1) * slices(); ++r) {
        groupRows += figures_.rows[at(r)];
        groupEntries += figures_.entriesOf[at(r)];
      }
      std::fill_n(rows.begin() + group * slices(), slices(), groupRows);
      std::fill_n(entries.begin() + group * slices(), slices(), groupEntries);
    }
    loads.rowsOfGroup = PerRank(std::move(rows));
    loads.entriesOfGroup = PerRank(std::move(entries));
    return loads;
  }

  /// Every pass of every layer that has an exchange, with the width that travels.
  template <class Add>
  void layers(Add add) {
    for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
      const LayerShape& layer = shape_.layers[l];
      if (l > 0 || !cached()) add(static_cast<int>(l), Pass::forward, layer.propagated);
      if (layer.backward) add(static_cast<int>(l), Pass::backward, layer.returned);
    }
  }

  /// P (P−1) pairs of Poisson rows with the mean that all halo rows give; ranks' sums by their shares.
  void halo() {
    const double ranks = plan_.ranks, pairs = ranks * (ranks - 1);
    PairCost cost(method_, run_, shape_, epoch_);
    for (const PairCost::Message& m : cost.expected(figures_.haloRows / pairs)) {
      const auto total = [&](double each) { return std::llround(each * pairs); };
      const auto sends = m.returns ? std::span<const double>(figures_.receives) : figures_.sends;
      const auto receives = m.returns ? std::span<const double>(figures_.sends) : figures_.receives;
      Traffic traffic;
      traffic.outMessages = PerRank(dealt(total(m.messages), sends));
      traffic.outBytes = PerRank(dealt(total(m.bytes), sends));
      traffic.inMessages = PerRank(dealt(total(m.messages), receives));
      traffic.inBytes = PerRank(dealt(total(m.bytes), receives));
      PassTraffic& pass = traffic_[{m.layer, m.pass}];
      pass.plainBytes = PerRank(dealt(total(m.plainBytes), sends));
      pass.plainArrivedBytes = PerRank(dealt(total(m.plainBytes), receives));
      addSums(std::move(traffic), style_, pass, plan_);
    }
  }

  /// One rank's messages of a group's all-to-all; rows that all have, and slices that none has, make none.
  struct Sums {
    std::vector<std::int64_t> outMessages, outBytes, inMessages, inBytes;
    explicit Sums(std::size_t ranks)
        : outMessages(ranks), outBytes(ranks), inMessages(ranks), inBytes(ranks) {}
  };

  /// Adds the two all-to-alls within the groups, the halo rows between them, and puts halves into rounds.
  void transposed(int layer, Pass pass, std::int64_t width) {
    const std::size_t ranks = at(plan_.ranks);
    const bool toColumns = layer > 0 || pass == Pass::backward;
    Sums columns(ranks), rows(ranks);
    for (std::int64_t group = 0; group < style_.groups; ++group)
      addGroup(group, width, toColumns ? &columns : nullptr, rows);
    if (style_.groups > 1) addBetween(width, pass == Pass::forward ? columns : rows);
    PassTraffic& exchanges = traffic_[{layer, pass}];
    std::vector<std::int64_t> out, in;
    for (std::size_t i = 0; i < ranks; ++i) {
      out.push_back(columns.outBytes[i] + rows.outBytes[i]);
      in.push_back(columns.inBytes[i] + rows.inBytes[i]);
    }
    exchanges.plainBytes = PerRank(std::move(out));
    exchanges.plainArrivedBytes = PerRank(std::move(in));
    for (Sums* round : {&columns, &rows}) {
      Traffic traffic;
      traffic.everyPair = style_.groups == 1;
      traffic.outMessages = PerRank(std::move(round->outMessages));
      traffic.outBytes = PerRank(std::move(round->outBytes));
      traffic.inMessages = PerRank(std::move(round->inMessages));
      traffic.inBytes = PerRank(std::move(round->inBytes));
      if (traffic.outMessages.largest(plan_.ranks) > 0)
        exchanges.rounds.push_back(plan_.addTraffic(std::move(traffic)));
    }
  }

  void addGroup(std::int64_t group, std::int64_t width, Sums* columns, Sums& rows) {
    const std::int64_t first = group * slices(), last = first + slices();
    std::int64_t groupRows = 0, withRows = 0, withColumns = 0;
    for (std::int64_t r = first; r < last; ++r) {
      groupRows += figures_.rows[at(r)];
      withRows += figures_.rows[at(r)] > 0 ? 1 : 0;
      withColumns += sliceWidth(width, r - first, slices()) > 0 ? 1 : 0;
    }
    for (std::int64_t r = first; r < last; ++r) {
      const std::int64_t own = figures_.rows[at(r)], slice = sliceWidth(width, r - first, slices());
      // to rows: its columns of the others' rows go out, their columns of its own come in
      const std::int64_t rowTargets = slice > 0 ? withRows - (own > 0 ? 1 : 0) : 0;
      const std::int64_t columnTargets = own > 0 ? withColumns - (slice > 0 ? 1 : 0) : 0;
      const std::int64_t others = (groupRows - own) * slice * kElement,
                         ownBytes = own * (width - slice) * kElement;
      const auto add = [&](Sums& sums, bool rowsOut) {
        sums.outMessages[at(r)] += rowsOut ? rowTargets : columnTargets;
        sums.outBytes[at(r)] += rowsOut ? others : ownBytes;
        sums.inMessages[at(r)] += rowsOut ? columnTargets : rowTargets;
        sums.inBytes[at(r)] += rowsOut ? ownBytes : others;
      };
      add(rows, true);
      if (columns != nullptr) add(*columns, false);
    }
  }

  /// Halo rows between groups, each slice by itself; every group alike.
  void addBetween(std::int64_t width, Sums& sums) {
    const double each = figures_.groupHaloRows / style_.groups;
    const std::int64_t peers = each > 0 ? style_.groups - 1 : 0;
    for (std::int64_t r = 0; r < plan_.ranks; ++r) {
      const std::int64_t slice = sliceWidth(width, r % slices(), slices());
      if (slice == 0) continue;
      const std::int64_t bytes = std::llround(each * static_cast<double>(slice * kElement));
      sums.outMessages[at(r)] += peers;
      sums.outBytes[at(r)] += bytes;
      sums.inMessages[at(r)] += peers;
      sums.inBytes[at(r)] += bytes;
    }
  }

  /// Each rank's rows to all others.
  void broadcasts(int layer, Pass pass, std::int64_t width) {
    Sums sums(at(plan_.ranks));
    std::int64_t senders = 0;
    for (const std::int64_t rows : figures_.rows) senders += rows > 0 && width > 0 ? 1 : 0;
    for (std::int64_t r = 0; r < plan_.ranks; ++r) {
      const std::int64_t own = figures_.rows[at(r)];
      const bool sends = own > 0 && width > 0;
      sums.outMessages[at(r)] = sends ? plan_.ranks - 1 : 0;
      sums.outBytes[at(r)] = own * width * kElement * (plan_.ranks - 1);
      sums.inMessages[at(r)] = senders - (sends ? 1 : 0);
      sums.inBytes[at(r)] = (figures_.vertices - own) * width * kElement;
    }
    Traffic traffic;
    traffic.outMessages = PerRank(std::move(sums.outMessages));
    traffic.outBytes = PerRank(std::move(sums.outBytes));
    traffic.inMessages = PerRank(std::move(sums.inMessages));
    traffic.inBytes = PerRank(std::move(sums.inBytes));
    if (traffic.outMessages.largest(plan_.ranks) > 0)
      traffic_[{layer, pass}].rounds.push_back(plan_.addTraffic(std::move(traffic)));
  }

  const RunSettings& run_;
  const WideFigures& figures_;
  std::int64_t epoch_;
  const MethodEntry& method_;
  MethodStyle style_;
  ModelShape shape_;
  Plan plan_;
  TrafficOf traffic_;
};

}  // namespace

bool hasClosedForm(const RunSettings& run, int ranks) {
  const MethodStyle style = styleOf(run, ranks);
  switch (style.order) {
    case ExchangeOrder::halo:
    case ExchangeOrder::rounds:
      return style.pairsAlone;
    case ExchangeOrder::transposed:
      return !attends(run.model);
    case ExchangeOrder::broadcasts:
      return style.wholeBlocks;
    case ExchangeOrder::relayed:
    case ExchangeOrder::sums:
    case ExchangeOrder::pulls:
      return false;
  }
  return false;
}

Plan widePlan(const RunSettings& run, const std::vector<std::int64_t>& widths, const WideFigures& figures,
              std::int64_t epoch) {
  return Wide(run, widths, figures, epoch).make();
}

}  // namespace halo::cluster
