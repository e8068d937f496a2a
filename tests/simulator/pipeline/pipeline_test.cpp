#include "simulator/pipeline/pipeline.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <numeric>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "tests/simulator/pipeline/pipeline_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::test;

namespace {

/// The definition as a longest path, by recursion: when each batch is aggregated and updated where each
/// direction of the link has a server of its own, or none takes time.
class LongestPath {
 public:
  explicit LongestPath(const PipelineRequest& request) : request_(request) {}

  std::int64_t end(PipelineUnit unit, int phase, int batch) {
    if (phase < 0 || batch < 0) return 0;
    const auto key = std::tuple(unit, phase, batch);
    if (const auto entry = known_.find(key); entry != known_.end()) return entry->second;
    const std::int64_t endTime = std::max(before(unit, phase, batch), ready(unit, phase, batch)) +
                                 times(unit, request_.phases[at(phase)])[at(batch)];
    return known_[key] = endTime;
  }

  std::int64_t makespan() {
    std::int64_t last = 0;
    const int phases = static_cast<int>(request_.phases.size());
    for (int p = 0; p < phases; ++p)
      for (int j = 0; j < batches(); ++j)
        for (const PipelineUnit unit : {PipelineUnit::sparse, PipelineUnit::dense})
          last = std::max(last, end(unit, p, j));
    return last;
  }

 private:
  int batches() const { return static_cast<int>(request_.phases.front().aggregatePs.size()); }
  bool joined() const { return request_.link == PipelineLink::duplex; }
  static const std::vector<std::int64_t>& times(PipelineUnit unit, const PipelinePhase& phase) {
    if (unit == PipelineUnit::sparse) return phase.aggregatePs;
    if (unit == PipelineUnit::dense) return phase.updatePs;
    return unit == PipelineUnit::toDense ? phase.toDensePs : phase.toSparsePs;
  }
  std::int64_t before(PipelineUnit unit, int phase, int batch) {
    return batch > 0 ? end(unit, phase, batch - 1) : end(unit, phase - 1, batches() - 1);
  }
  std::int64_t ready(PipelineUnit unit, int phase, int batch) {
    const PipelinePhase& own = request_.phases[at(phase)];
    if (unit == PipelineUnit::toDense) return end(PipelineUnit::sparse, phase, batch);
    if (unit == PipelineUnit::toSparse) return end(PipelineUnit::dense, phase, batch);
    if (unit == PipelineUnit::dense) {
      const std::int64_t rows = end(joined() ? PipelineUnit::toDense : PipelineUnit::sparse, phase, batch);
      const bool inPlace = request_.stateBuffers == 1;
      return std::max(rows, inPlace ? end(PipelineUnit::sparse, phase, own.lastReader[at(batch)]) : 0);
    }
    const std::int64_t rows =
        end(joined() ? PipelineUnit::toSparse : PipelineUnit::dense, phase - 1, own.lastNeeded[at(batch)]);
    const int task = phase * batches() + batch - request_.aggregatedBatches;
    if (request_.aggregatedBatches == 0 || task < 0) return rows;
    return std::max(rows, end(PipelineUnit::dense, task / batches(), task % batches()));
  }

  const PipelineRequest& request_;
  std::map<std::tuple<PipelineUnit, int, int>, std::int64_t> known_;
};

/// Phases of random times over a random directed graph.
std::vector<PipelinePhase> randomPhases(int phases, int batches, std::uint64_t seed) {
  const Csr A = randomDirected(40, 90, seed);
  const BatchCut cut = cutIntoBatches(A, batches, PipelineDependence::exact);
  PhiloxStream random(seed, Purpose::generate, 5);
  const auto draw = [&] {
    std::vector<std::int64_t> times;
    for (int j = 0; j < batches; ++j) times.push_back(static_cast<std::int64_t>(random.below(9)));
    return times;
  };
  std::vector<PipelinePhase> drawn;
  for (int p = 0; p < phases; ++p)
    drawn.push_back({draw(), draw(), draw(), draw(), cut.lastNeeded, cut.lastReader});
  return drawn;
}

/// Begin and end of each unit's batches.
using Spans = std::map<std::tuple<PipelineUnit, int, int>, PipelineSpan>;
Spans byTask(const PipelineTimes& times) {
  Spans spans;
  for (const PipelineSpan& span : times.spans) {
    const bool isNew = spans.emplace(std::tuple(span.unit, span.phase, span.batch), span).second;
    REQUIRE(isNew);
  }
  return spans;
}

void checkConservation(const PipelineTimes& times) {
  for (const UnitTimes& unit : times.units)
    CHECK(unit.fillPs + unit.busyPs + unit.idleTotalPs() + unit.drainPs == times.makespanPs);
  std::array<std::array<std::int64_t, kIdleCauses.size()>, kPipelineUnits.size()> waited{};
  for (const PipelineWait& wait : times.waits) {
    CHECK(wait.beginPs < wait.endPs);
    const std::int64_t ps = wait.endPs - wait.beginPs;
    if (wait.cause)
      waited[at(wait.unit)][at(*wait.cause)] += ps;
    else
      CHECK(ps == times.timesOf(wait.unit).fillPs);
  }
  for (std::size_t u = 0; u < waited.size(); ++u) CHECK(waited[u] == times.units[u].idlePs);
}

}  // namespace

TEST_CASE("the pipeline is the longest path through what it has to wait for", "[pipeline]") {
  const auto seed = GENERATE(range(1, 9));
  const auto batches = GENERATE(1, 2, 7);
  const auto link = GENERATE(PipelineLink::none, PipelineLink::duplex);
  const auto [stateBuffers, aggregated] = GENERATE(table<int, int>({{2, 0}, {2, 1}, {2, 2}, {1, 0}, {1, 7}}));
  CAPTURE(seed, batches, static_cast<int>(link), stateBuffers, aggregated);
  PipelineRequest request{randomPhases(4, batches, static_cast<std::uint64_t>(seed)), link, stateBuffers,
                          aggregated};
  const PipelineTimes times = simulatePipeline(request);
  LongestPath path(request);
  for (const PipelineSpan& span : times.spans)
    CHECK(span.endPs == path.end(span.unit, span.phase, span.batch));
  CHECK(times.makespanPs == path.makespan());
  checkConservation(times);
}

TEST_CASE("a shared link takes one batch at a time, in the order in which they are ready", "[pipeline]") {
  const auto seed = GENERATE(range(1, 9));
  const std::vector<PipelinePhase> phases = randomPhases(3, 5, static_cast<std::uint64_t>(seed));
  const PipelineTimes times = simulatePipeline({phases, PipelineLink::shared});
  const Spans spans = byTask(times);
  CHECK(spans.size() == 3 * 5 * 4 - 5);  // what is updated last goes nowhere
  std::int64_t free = 0, lastReady = 0;
  for (const PipelineSpan& span : times.spans) {
    if (span.unit == PipelineUnit::sparse || span.unit == PipelineUnit::dense) continue;
    const auto maker = span.unit == PipelineUnit::toDense ? PipelineUnit::sparse : PipelineUnit::dense;
    const std::int64_t ready = spans.at({maker, span.phase, span.batch}).endPs;
    CHECK(ready >= lastReady);
    CHECK(span.beginPs == std::max(free, ready));
    free = span.endPs, lastReady = ready;
  }
  for (const PipelineSpan& span : times.spans) {
    const PipelinePhase& phase = phases[at(span.phase)];
    if (span.unit == PipelineUnit::dense)
      CHECK(span.beginPs >= spans.at({PipelineUnit::toDense, span.phase, span.batch}).endPs);
    if (const int last = phase.lastNeeded[at(span.batch)];
        span.unit == PipelineUnit::sparse && span.phase > 0 && last >= 0)
      for (int k = 0; k <= last; ++k)
        CHECK(span.beginPs >= spans.at({PipelineUnit::toSparse, span.phase - 1, k}).endPs);
  }
  checkConservation(times);
}

TEST_CASE("each idle time has its cause", "[pipeline]") {
  SECTION("the other device's computing: all of the update is needed") {
    const BatchCut cut = cutIntoBatches(completeGraph(8), 4, PipelineDependence::exact);
    const PipelineTimes times = simulatePipeline({alike(2, cut, byRows(10, 10))});
    // 4 batches of 20 ps; the last update ends at 100, when the second phase begins
    CHECK(times.makespanPs == 200);
    CHECK(times.timesOf(PipelineUnit::sparse).idlePs == std::array<std::int64_t, 3>{20, 0, 0});
    REQUIRE(times.firstIdle);
    CHECK(times.firstIdle->unit == PipelineUnit::sparse);
    CHECK(times.firstIdle->phase == 1);
    CHECK(times.firstIdle->batch == 0);
    CHECK(times.firstIdle->ps == 20);
    CHECK(times.firstIdle->cause == IdleCause::dependency);
    CHECK(times.idleness() == 20.0 / 180.0);
  }
  SECTION("rows under way") {
    const BatchCut cut = cutIntoBatches(edgeless(8), 4, PipelineDependence::all);
    PipelineRates rates = byRows(10, 10);
    rates.toDensePsPerRow = rates.toSparsePsPerRow = 5;
    const PipelineTimes times = simulatePipeline({alike(2, cut, rates), PipelineLink::duplex});
    // the last update ends at 80 + 10 + 20 and is there 10 later; nothing is done since 80
    CHECK(times.timesOf(PipelineUnit::sparse).idlePs == std::array<std::int64_t, 3>{30, 0, 10});
  }
  SECTION("no room for what is aggregated") {
    const BatchCut cut = cutIntoBatches(edgeless(8), 4, PipelineDependence::exact);
    const PipelineTimes times = simulatePipeline({alike(1, cut, byRows(10, 30)), PipelineLink::none, 2, 1});
    CHECK(times.makespanPs == 4 * 80);  // one after the other
    CHECK(times.timesOf(PipelineUnit::sparse).idlePs == std::array<std::int64_t, 3>{0, 180, 0});
    CHECK(times.firstIdle->cause == IdleCause::buffer);
  }
  SECTION("rows that are still read stand where the update would go") {
    const BatchCut cut = cutIntoBatches(completeGraph(8), 4, PipelineDependence::exact);
    const PipelineTimes times = simulatePipeline({alike(2, cut, byRows(10, 10)), PipelineLink::none, 1});
    CHECK(times.makespanPs == 2 * 160);  // the first update begins after the last aggregation
    CHECK(times.timesOf(PipelineUnit::dense).idlePs == std::array<std::int64_t, 3>{20, 60, 0});
  }
}

TEST_CASE("two state buffers never make anybody wait", "[pipeline]") {
  const auto seed = GENERATE(range(1, 6));
  const PipelineTimes times = simulatePipeline({randomPhases(5, 6, static_cast<std::uint64_t>(seed))});
  for (const UnitTimes& unit : times.units) {
    CHECK(unit.idlePs[at(IdleCause::buffer)] == 0);
    CHECK(unit.idlePs[at(IdleCause::link)] == 0);
  }
}

TEST_CASE("with a link the pipeline takes its busiest unit and what fills and drains it", "[pipeline]") {
  // b = 0: nothing but the order inside a phase binds
  const BatchCut cut = cutIntoBatches(bandGraph(120, 0), 12, PipelineDependence::exact);
  const auto [aggregate, update, move] =
      GENERATE(table<double, double, double>({{9, 5, 3}, {5, 9, 3}, {5, 3, 9}, {7, 7, 7}}));
  CAPTURE(aggregate, update, move);
  PipelineRates rates = byRows(aggregate, update);
  rates.toDensePsPerRow = rates.toSparsePsPerRow = move;
  for (const PipelineLink link : {PipelineLink::duplex, PipelineLink::shared}) {
    const PipelineTimes times = simulatePipeline({alike(5, cut, rates), link});
    const std::int64_t most = times.timesOf(times.slower()).busyPs;
    const double each = 10 * (aggregate + update + 2 * move);  // one batch through all units
    CHECK(times.makespanPs >= most);
    CHECK(times.makespanPs <= most + std::llround(each) * 2);
    checkConservation(times);
  }
}

TEST_CASE("no phases and no vertices take no time", "[pipeline]") {
  const BatchCut none = cutIntoBatches(edgeless(0), 3, PipelineDependence::exact);
  for (const PipelineTimes& times :
       {simulatePipeline({}), simulatePipeline({alike(3, none, byRows(1, 1))})}) {
    CHECK(times.makespanPs == 0);
    CHECK(times.spans.empty());
    CHECK(times.idleness() == 0);
    CHECK_FALSE(times.firstIdle);
    checkConservation(times);
  }
}

TEST_CASE("buffers that cannot be are refused by name", "[pipeline]") {
  const BatchCut cut = cutIntoBatches(completeGraph(8), 4, PipelineDependence::exact);
  const auto message = [&](int state, int aggregated) {
    try {
      simulatePipeline({alike(2, cut, byRows(1, 1)), PipelineLink::none, state, aggregated});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message(3, 0) == "pipeline.state_buffers: 3 cannot be used; 1 or 2");
  CHECK(message(2, -1) == "pipeline.aggregated_batches: -1 cannot be used; 0 (no limit), or how many fit");
  CHECK(message(1, 3) ==
        "pipeline.aggregated_batches: 3 cannot be used; with one state buffer, rows of this graph are read "
        "until 4 "
        "batches are aggregated and not yet updated: at least 4");
  CHECK(message(1, 4).empty());
}
