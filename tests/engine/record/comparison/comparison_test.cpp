// Figures of two configurations, against what their definitions say span by span.
#include "engine/record/comparison/comparison.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "engine/base/philox.h"
#include "engine/record/analysis/breakdown.h"
#include "engine/record/analysis/layer_times.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

struct Like {
  std::int64_t ranks = 2, epochs = 6;
  std::uint64_t seed = 1;
  bool spans = true;
};

/// The spans of a rank: work, waits with reasons, transfers that reach over an epoch's end, and evaluation
/// between epochs.
std::vector<Span> spansOf(const Like& like, std::int64_t rank, const std::vector<EpochRow>& epochs) {
  PhiloxStream random(like.seed, Purpose::generate, static_cast<std::uint64_t>(rank));
  std::vector<Span> spans;
  const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
  const auto add = [&](std::int64_t begin, std::int64_t length, const EpochRow& epoch, Name name, Kind kind,
                       Lane lane) {
    Span span;
    span.beginNs = begin, span.durationNs = length, span.epoch = static_cast<std::int32_t>(epoch.epoch);
    span.layer = static_cast<std::int16_t>(random.below(3)) - 1;
    span.name = name, span.kind = kind, span.lane = lane;
    spans.push_back(span);
  };
  constexpr std::pair<Name, Kind> kWork[] = {{Name::aggregate, Kind::compute},
                                             {Name::wait, Kind::communication},
                                             {Name::allReduce, Kind::synchronise},
                                             {Name::encode, Kind::quantise},
                                             {Name::update, Kind::compute}};
  for (const EpochRow& epoch : epochs) {
    const std::int64_t end = epoch.beginNs + epoch.wallNs;
    for (std::int64_t at = epoch.beginNs + below(100); at < end - 2'000;) {
      const auto [name, kind] = kWork[random.below(5)];
      const std::int64_t length = 100 + below(1'500);
      add(at, length, epoch, name, kind, Lane::main);
      if (kind == Kind::communication && random.below(2) == 0)
        add(at, length / 2, epoch, Name::waitsWire, Kind::communication, Lane::wait);
      if (random.below(3) == 0) add(at, 4'000, epoch, Name::receive, Kind::communication, Lane::link);
      at += length + below(200);
    }
    add(end + 10, 500, epoch, Name::evaluate, Kind::other, Lane::main);
  }
  return spans;
}

RunRow addRun(Database& database, const Like& like) {
  Runs runs(database);
  RunRow row;
  row.method = "vanilla", row.dataset = "made", row.model = "gcn", row.workers = like.ranks;
  row.status = "completed";
  row.id = runs.add(row);
  std::vector<EpochRow> epochs;
  PhiloxStream random(like.seed, Purpose::shuffle, 0);
  for (std::int64_t e = 0; e < like.epochs; ++e) {
    EpochRow epoch;
    epoch.epoch = e, epoch.beginNs = 1'000'000 + e * 100'000,
    epoch.wallNs = 20'000 + static_cast<std::int64_t>(random.below(30'000));
    epoch.valid = 0.1 * static_cast<double>(e + 1);
    epochs.push_back(epoch);
  }
  Epochs(database).append(row.id, epochs);
  std::vector<WorkerRow> workers;
  std::vector<LayerRow> layers;
  for (std::int64_t rank = 0; rank < like.ranks; ++rank) {
    workers.push_back({});
    workers.back().rank = rank;
    const std::vector<Span> spans = spansOf(like, rank, epochs);
    for (const EpochRow& epoch : epochs) {
      LayerRow& layer = layers.emplace_back();
      layer.epoch = epoch.epoch, layer.rank = rank, layer.bytesSent = 1'000 + rank;
      for (const Span& span : spans)
        if (span.epoch == epoch.epoch) addTime(layer, span);
    }
    if (like.spans) Spans(database).append(row.id, rank, spans);
  }
  Epochs(database).append(row.id, layers);
  runs.setWorkers(row.id, workers);
  return row;
}

struct Two {
  Scratch scratch;
  Database database{scratch.path() / "two.db", Access::create};
  RunRow a, b;
  explicit Two(const Like& ofA, const Like& ofB) {
    Transaction transaction(database);
    a = addRun(database, ofA);
    b = addRun(database, ofB);
    transaction.commit();
  }
  Comparison compared(const Scope& scope = {}) {
    return compareConfigurations({{&database, {a}, {}}, {&database, {b}, {}}}, scope, {});
  }
};

std::int64_t sumOf(const std::vector<WaterfallStep>& steps) {
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0},
                         [](std::int64_t sum, const WaterfallStep& step) { return sum + step.ns; });
}

bool inScope(const EpochRow& epoch, const Span& span) {
  return span.beginNs >= epoch.beginNs && span.beginNs < epoch.beginNs + epoch.wallNs;
}

}  // namespace

TEST_CASE("differences are those of their definition, for other numbers of ranks and epochs too",
          "[comparison]") {
  Two two({2, 6, 1, true}, {5, 9, 2, true});
  const Comparison comparison = two.compared();
  REQUIRE(comparison.changes.size() == 1);
  std::map<SpanKind, std::array<std::vector<std::int64_t>, 2>> durations;
  const RunRow* runs[] = {&two.a, &two.b};
  for (std::size_t side = 0; side < 2; ++side)
    for (const EpochRow& epoch : epochsIn(Epochs(two.database).epochs(runs[side]->id), {}))
      for (std::int64_t rank = 0; rank < runs[side]->workers; ++rank)
        for (const Span& span : Spans(two.database).all(runs[side]->id, rank))
          if (inScope(epoch, span)) durations[{span.name, span.layer}][side].push_back(span.durationNs);
  CHECK(comparison.changes[0].differences.size() == durations.size());
  double before = std::numeric_limits<double>::infinity();
  for (const Difference& difference : comparison.changes[0].differences) {
    CHECK(std::abs(difference.deltaNs) <= before);
    before = std::abs(difference.deltaNs);
    double mean[2];
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<std::int64_t> expected = durations.at(difference.kind)[side];
      std::ranges::sort(expected);
      const SpanStatistics& statistics = difference.sides[side];
      CHECK(statistics.count == static_cast<std::int64_t>(expected.size()));
      CHECK(statistics.totalNs == std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
      const std::size_t n = expected.size();
      REQUIRE((n == 0 || statistics.medianNs));
      if (n > 0)
        CHECK(*statistics.medianNs == 0.5 * static_cast<double>(expected[(n - 1) / 2] + expected[n / 2]));
      mean[side] = static_cast<double>(statistics.totalNs) /
                   static_cast<double>((side == 0 ? 5 : 8) * runs[side]->workers);
      CHECK(statistics.meanNs == Approx(mean[side]).epsilon(1e-12));
    }
    CHECK(difference.deltaNs == Approx(mean[1] - mean[0]).epsilon(1e-9).margin(1e-9));
    CHECK(difference.kind.name != Name::evaluate);
  }
}

TEST_CASE("the waterfall goes by the breakdown of every epoch and rank, and adds up", "[comparison]") {
  Two two({2, 6, 1, true}, {3, 9, 2, true});
  const Change change = two.compared().changes.at(0);
  CHECK(change.bySpans);
  CHECK(sumOf(change.waterfall) == std::llround(change.deltaNs));
  std::array<double, 2> compute{}, wire{}, idle{};
  const RunRow* runs[] = {&two.a, &two.b};
  for (std::size_t side = 0; side < 2; ++side) {
    const auto epochs = epochsIn(Epochs(two.database).epochs(runs[side]->id), {});
    const double parts = static_cast<double>(epochs.size()) * static_cast<double>(runs[side]->workers);
    for (const EpochRow& epoch : epochs)
      for (std::int64_t rank = 0; rank < runs[side]->workers; ++rank) {
        const Breakdown epochTimes = breakdown(Spans(two.database).all(runs[side]->id, rank), epoch.beginNs,
                                               epoch.beginNs + epoch.wallNs);
        compute[side] += static_cast<double>(epochTimes.computeNs) / parts;
        idle[side] += static_cast<double>(epochTimes.idleNs) / parts;
        if (epochTimes.reasonNs.contains(Name::waitsWire))
          wire[side] += static_cast<double>(epochTimes.reasonNs.at(Name::waitsWire)) / parts;
      }
  }
  for (const auto& [part, expected] :
       {std::pair(TimePart::compute, compute[1] - compute[0]), std::pair(TimePart::wire, wire[1] - wire[0]),
        std::pair(TimePart::idle, idle[1] - idle[0])}) {
    const auto step = std::ranges::find(change.waterfall, part, &WaterfallStep::part);
    REQUIRE(step != change.waterfall.end());
    CHECK(std::abs(static_cast<double>(step->ns) - expected) <= 1);
  }
}

TEST_CASE("without spans of every epoch the waterfall goes by the sums of layers, and adds up",
          "[comparison]") {
  Two two({2, 6, 1, true}, {3, 9, 2, false});
  const Change change = two.compared().changes.at(0);
  CHECK_FALSE(change.bySpans);
  CHECK(sumOf(change.waterfall) == std::llround(change.deltaNs));
  CHECK(change.differences.empty());
  CHECK(std::ranges::find(change.waterfall, TimePart::idle, &WaterfallStep::part) == change.waterfall.end());
  CHECK(std::ranges::find(change.waterfall, TimePart::rest, &WaterfallStep::part) != change.waterfall.end());
}

TEST_CASE("a run held against itself differs in nothing, within noise", "[comparison]") {
  Two two({2, 12, 1, true}, {2, 12, 1, true});
  const Change change = two.compared().changes.at(0);
  CHECK(change.deltaNs == 0);
  REQUIRE(change.interval);
  CHECK(change.interval->isWithinNoise());
  for (const WaterfallStep& step : change.waterfall) CHECK(step.ns == 0);
  for (const Difference& difference : change.differences) {
    CHECK(difference.deltaNs == 0);
    REQUIRE(difference.interval);
    CHECK(difference.interval->isWithinNoise());
  }
}

TEST_CASE("the mean and the median epoch in scope are those that runs are listed with", "[comparison]") {
  Two two({2, 7, 1, false}, {3, 10, 2, false});
  const Comparison comparison = two.compared();
  const RunRow* runs[] = {&two.a, &two.b};
  for (std::size_t side = 0; side < 2; ++side) {
    const auto epochs = Epochs(two.database).epochs(runs[side]->id);
    const auto metrics =
        summarise(epochs, Epochs(two.database).layers(runs[side]->id), {}, runs[side]->workers);
    CHECK(comparison.epochs[side].meanNs == Approx(1e9 * metrics.at("mean_epoch_seconds")).epsilon(1e-12));
    CHECK(comparison.epochs[side].medianNs == Approx(1e9 * metrics.at("epoch_seconds")).epsilon(1e-12));
  }
}

TEST_CASE("all reach the lowest of the best scores, at the bytes of their layers", "[comparison]") {
  Two two({2, 6, 1, false}, {3, 9, 2, false});
  const Comparison comparison = two.compared();
  REQUIRE(comparison.score == Score::valid);
  CHECK(comparison.accuracy == Approx(0.6));
  REQUIRE(comparison.reached.size() == 2);
  const auto& first = comparison.reached[0].runs.at(0).reached;
  const auto& second = comparison.reached[1].runs.at(0).reached;
  REQUIRE((first && second));
  CHECK(first->epoch == 5);
  CHECK(first->bytes == 6 * (1'000 + 1'001));
  CHECK(second->bytes == 6 * (1'000 + 1'001 + 1'002));
}

TEST_CASE("a run without an epoch in scope is named, and what lacks it is left empty", "[comparison]") {
  Two two({2, 4, 1, true}, {2, 9, 2, true});
  const Comparison comparison = two.compared({6, {}});
  CHECK(std::isnan(comparison.epochs[0].meanNs));
  CHECK(comparison.changes.at(0).waterfall.empty());
  CHECK(comparison.changes.at(0).differences.empty());
  REQUIRE_FALSE(comparison.notes.empty());
  CHECK(comparison.notes.front() == "Run 1 has no epoch in scope.");
}

TEST_CASE("a run that claims more workers than are recorded is refused, not made room for", "[comparison]") {
  Two two({}, {});
  for (const std::int64_t claimed : {std::int64_t{3}, std::int64_t{20'000'000}, INT64_MAX}) {
    two.b.workers = claimed;
    CHECK_THROWS_WITH(two.compared(), Catch::Matchers::Contains(" workers, 2 are recorded"));
  }
}

TEST_CASE("a simulation stands for one epoch, and takes nothing from what others recorded", "[comparison]") {
  Two two({}, {});
  RunRow simulated;
  simulated.method = "vanilla", simulated.dataset = "made", simulated.model = "gcn", simulated.workers = 2;
  simulated.kind = "simulation", simulated.status = "completed";
  Runs runs(two.database);
  simulated.id = runs.add(simulated);
  runs.setLatest(simulated.id, {{"epoch_seconds", 25e-6}});
  const Comparison measured = two.compared();
  const Comparison all = compareConfigurations(
      {{&two.database, {two.a}, {}}, {&two.database, {two.b}, {}}, {&two.database, {simulated}, {}}}, {}, {});
  CHECK(all.epochs[2].modelled);
  CHECK(all.epochs[2].epochs == std::vector<std::int64_t>{1});
  CHECK(all.epochs[2].meanNs == Approx(25'000));
  CHECK(all.epochs[2].medianNs == 25'000);
  CHECK_FALSE(all.epochs[2].interval);
  CHECK_FALSE(all.epochs[0].modelled);
  CHECK(all.changes[1].deltaNs == Approx(25'000 - all.epochs[0].meanNs));
  CHECK_FALSE(all.changes[1].interval);
  CHECK(all.changes[1].waterfall.empty());
  REQUIRE(all.means.size() == 3);
  CHECK(all.means[0].parts == measured.means[0].parts);
  CHECK(all.means[2].ns == 0);
  CHECK(all.score == measured.score);
  CHECK(all.notes.back() == "Run 3 is simulated: one epoch, whose parts and spread are not recorded.");
}
