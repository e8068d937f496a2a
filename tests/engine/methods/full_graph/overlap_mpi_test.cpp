// What is worked on while messages travel, and in which order those that arrive are taken: by what the ranks
// ask of MPI and the FLOP of aggregations by then, never by time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"
#include "tests/support/mpi_calls.h"

using namespace halo;
using namespace halo::test;

namespace {

using What = MpiCall::What;
constexpr int kLayers = 3, kPartSize = 12;

/// A cycle a part, the first two vertices of each joined with those of all others: every part has central
/// rows and two marginal ones, and exchanges two rows with every other.
Dataset joinedCycles() {
  std::vector<Arc> arcs;
  const auto first = [](int part) { return static_cast<Vertex>(kPartSize * part); };
  for (int part = 0; part < worldSize(); ++part) {
    for (Vertex v = 0; v < kPartSize; ++v)
      arcs.push_back({first(part) + v, first(part) + (v + 1) % kPartSize});
    for (int other = 0; other < part; ++other)
      for (const Vertex joined : {0, 1}) arcs.push_back({first(part) + joined, first(other) + joined});
  }
  return datasetOf("joined cycles", kPartSize * worldSize(), arcs, false);
}
Owners cycleOwners() {
  Owners owners;
  for (int v = 0; v < kPartSize * worldSize(); ++v) owners.push_back(v / kPartSize);
  return owners;
}

RunSettings settingsOf(const std::string& method, const std::string& kind = "gcn") {
  RunSettings run = settingsFor(method, kind, kLayers, 7, 0.5);
  run.model.heads = 7;
  run.model.order = kind == "gat" ? "update-first" : "aggregate-first";
  run.cluster.workers = worldSize();
  return run;
}

/// A method after an epoch, and what it asks of MPI in the next.
struct Watched : Trained {
  MpiCalls calls{tracer};
  explicit Watched(const RunSettings& run) : Trained(MPI_COMM_WORLD, joinedCycles(), run, cycleOwners()) {
    method->runEpoch(0);
    calls.clear();
    method->runEpoch(1);
  }
  Index centralNonzeros() const {
    Index nonzeros = 0;
    for (Index row = 0; row < share.graph.own.rows(); ++row)
      if (share.graph.halo.degree(row) == 0) nonzeros += share.graph.own.degree(row);
    return nonzeros;
  }
  Index width(int layer, Pass pass) {
    return pass == Pass::forward ? model->layer(layer).propagatedWidth()
                                 : model->layer(layer).returnedWidth();
  }
};

/// What was aggregated between the last message that was posted and the first wait after it, in one layer and
/// pass, in arcs; −1: nobody waited.
Index aggregatedMeanwhile(Watched& t, int layer, Pass pass) {
  const std::vector<MpiCall> calls = t.calls.of(layer, pass);
  const auto waits = [](const MpiCall& call) {
    return call.what == What::wait || call.what == What::waitAny;
  };
  const auto wait = std::ranges::find_if(calls, waits);
  if (wait == calls.end() || wait == calls.begin()) return -1;
  return (wait->sparseFlop - std::prev(wait)->sparseFlop) / (2 * t.width(layer, pass));
}

/// Layers that attend make scores of all own rows besides, at most five times what a row's width takes, and
/// backward go over every arc twice.
void checkArcs(const Watched& t, Pass pass, Index actual, Index arcs) {
  if (!attends(t.settings.model)) {
    CHECK(actual == arcs);
    return;
  }
  const auto rows = static_cast<Index>(t.share.graph.owned.size());
  const Index passes = pass == Pass::backward ? 2 : 1;
  CHECK(actual >= passes * arcs);
  CHECK(actual <= passes * arcs + 5 * rows);
}

void checkMeanwhile(const RunSettings& run, const std::string& overlap) {
  CAPTURE(run.method, run.model.kind, run.model.order, overlap);
  const bool allowed = refusals(*find<MethodEntry>(run.method), run).empty();
  CHECK(allowed);
  if (!allowed) return;
  Watched t(run);
  const Index own = t.share.graph.own.nonzeros();
  const Index forward = overlap == "none" ? 0 : overlap == "central" ? t.centralNonzeros() : own;
  for (int layer = t.cached() ? 1 : 0; layer < kLayers; ++layer) {
    CAPTURE(layer);
    checkArcs(t, Pass::forward, aggregatedMeanwhile(t, layer, Pass::forward), forward);
    if (layer > 0 || t.model->layer(0).backwardNeedsPropagation())
      checkArcs(t, Pass::backward, aggregatedMeanwhile(t, layer, Pass::backward),
                overlap == "none" ? 0 : own);
  }
}

bool has(const MethodEntry& entry, std::string_view key) {
  return std::ranges::find(entry.declaration.parameters, key, &Parameter::key) !=
         entry.declaration.parameters.end();
}

/// Whether a method says by its style what it aggregates while its own epoch's halo rows travel.
bool overlapsByStyle(const MethodEntry& entry, const RunSettings& run) {
  if (!entry.distributed) return false;
  const MethodStyle style = entry.style(run, worldSize());
  const bool halo = style.order == ExchangeOrder::halo || style.order == ExchangeOrder::relayed;
  return halo && style.depth == 0 && style.unknown.empty();
}
std::string overlapOf(const MethodEntry& entry, const RunSettings& run) {
  const Meanwhile meanwhile = entry.style(run, worldSize()).meanwhile;
  return meanwhile == Meanwhile::nothing   ? "none"
         : meanwhile == Meanwhile::central ? "central"
                                           : "local-first";
}

/// The ways to run a method that this looks at: kinds of layers and orders, layer 0 cached or not, as far as
/// its declaration says that it can, and what else changes what travels.
std::vector<RunSettings> waysToRun(const std::string& name, const MethodEntry& entry) {
  const auto runOf = [&](const std::string& kind) {
    RunSettings run = settingsOf(name, kind);
    return has(entry, "rate") ? with(run, "rate", Value(1.0)) : run;  // of two rows bns would send none
  };
  std::vector<RunSettings> ways = {runOf("gcn")};
  if (!entry.aggregatesFirst) {
    ways.push_back(runOf("gcn"));
    ways.back().model.order = "update-first";
  }
  if (entry.attends) ways.push_back(runOf("gat"));
  if (has(entry, "layer0_cache")) ways.push_back(with(runOf("gcn"), "layer0_cache", Value(true)));
  if (has(entry, "rate")) ways.push_back(with(runOf("gcn"), "rate", Value(0.5)));
  if (name == "supergcn")
    for (const std::string bits : {"8", "4", "2", "mixed"})
      ways.push_back(with(runOf("gcn"), "bits", Value(bits)));
  if (name == "adaqp") ways.push_back(with(runOf("gcn"), "bits", Value(std::string("32"))));
  return ways;
}

}  // namespace

TEST_CASE("what a method's overlap names is aggregated before its messages are waited for, and nothing else",
          "[overlap]") {
  if (worldSize() == 1) return;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    CAPTURE(name);
    const auto parameter = std::ranges::find(entry.declaration.parameters, "overlap", &Parameter::key);
    const bool chooses = parameter != entry.declaration.parameters.end();
    for (const RunSettings& run : waysToRun(std::string(name), entry)) {
      if (!chooses) {
        if (overlapsByStyle(entry, run)) checkMeanwhile(run, overlapOf(entry, run));
        continue;
      }
      for (const std::string_view overlap : std::get<Choice>(parameter->type).options) {
        const RunSettings chosen = with(run, "overlap", std::string(overlap));
        checkMeanwhile(chosen, std::string(overlap));
        if (overlapsByStyle(entry, chosen)) CHECK(overlapOf(entry, chosen) == overlap);
      }
    }
  }
}

namespace {

/// Messages that sar has posted each way at each of its waits in one pass; where it fetches among gradients
/// it waits for rows and gradients of a round in turn.
std::vector<int> postedAtWaits(int parts, bool fetchesAndReturns) {
  std::vector<int> posted;
  for (int round = 1; round < parts; ++round) {
    const int ahead = std::min(round + 1, parts - 1);
    posted.push_back(ahead + (fetchesAndReturns ? round - 1 : 0));
    if (fetchesAndReturns) posted.push_back(ahead + round);
  }
  return posted;
}

}  // namespace

TEST_CASE("sar posts the next part's messages before it waits for a part's, and none further ahead",
          "[overlap][sar]") {
  if (worldSize() == 1) return;
  for (const std::string kind : {"gcn", "gat"}) {
    Watched t(settingsOf("sar", kind));
    for (int layer = 0; layer < kLayers; ++layer)
      for (const Pass pass : {Pass::forward, Pass::backward}) {
        if (pass == Pass::backward && layer == 0 && kind == "gcn") continue;  // nobody needs its gradients
        CAPTURE(kind, layer, static_cast<int>(pass));
        const std::vector<MpiCall> calls = t.calls.of(layer, pass);
        std::vector<int> received, sent;
        int receives = 0, sends = 0;
        for (const MpiCall& call : calls) {
          receives += call.what == What::receive;
          sends += call.what == What::send;
          if (call.what != What::wait) continue;
          received.push_back(receives);
          sent.push_back(sends);
        }
        const auto expected = postedAtWaits(worldSize(), pass == Pass::backward && kind == "gat");
        CHECK(received == expected);
        CHECK(sent == expected);
        // the own rows while the first part's travel; attention makes scores besides, backward twice as much
        REQUIRE(calls.size() > 2);
        // gradients of the two arcs to the next round's part are made before they are posted
        const Index next = pass == Pass::backward && kind == "gcn" && worldSize() > 2 ? 2 : 0;
        const Index own = (t.share.graph.own.nonzeros() + next) * t.width(layer, pass);
        const Index meanwhile = calls[2].sparseFlop - calls[1].sparseFlop;
        if (kind == "gcn")
          CHECK(meanwhile == 2 * own);
        else
          CHECK(meanwhile >= (pass == Pass::forward ? 2 : 4) * own);
      }
  }
}

namespace {

/// Rank 1's message to rank 0 in `pass` leaves once rank 0 has taken rank 2's; or else once rank 0 waits for
/// it all the same, so that nobody hangs. In which order rank 0 took them.
std::vector<int> takenByRank0(const std::vector<Arc>& arcs, Pass pass, const std::string& accumulation) {
  constexpr int kGo = 1;
  RunSettings run = settingsFor("p2p", "gcn", 1, 7);
  run.parameters.insert_or_assign("accumulation", Value(accumulation));
  Trained t(MPI_COMM_WORLD, datasetOf("three", 3, arcs, true), run, {0, 1, 2});
  MpiCalls calls(t.tracer);
  bool released = false;
  const auto release = [&] {
    if (!released) MPI_Send(nullptr, 0, MPI_BYTE, 1, kGo, MPI_COMM_WORLD);
    released = true;
  };
  calls.before = [&](const MpiCall& call) {
    if (call.pass != pass) return;
    if (t.comm.rank() == 0 && call.what == What::wait) release();
    if (t.comm.rank() == 1 && call.what == What::send && call.peer == 0)
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, kGo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  calls.after = [&](const MpiCall& call) {
    if (call.pass == pass && t.comm.rank() == 0 && call.what == What::waitAny) release();
  };
  t.method->runEpoch(0);
  std::vector<int> peers;
  for (const Span& span : t.tracer.spans())
    if (span.lane == Lane::link && span.pass == pass && t.comm.rank() == 0) peers.push_back(span.peer);
  return peers;
}

}  // namespace

TEST_CASE("p2p adds rows as they arrive, and with a fixed accumulation by ascending rank", "[overlap][p2p]") {
  if (worldSize() < 3) return;
  const std::vector<Arc> gathers = {{1, 0}, {2, 0}}, scatters = {{0, 1}, {0, 2}};
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    CAPTURE(static_cast<int>(pass));
    const std::vector<Arc>& arcs = pass == Pass::forward ? gathers : scatters;
    const auto arrival = takenByRank0(arcs, pass, "arrival"), fixed = takenByRank0(arcs, pass, "fixed");
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(arrival == (rank == 0 ? std::vector{2, 1} : std::vector<int>()));
    CHECK(fixed == (rank == 0 ? std::vector{1, 2} : std::vector<int>()));
  }
}
