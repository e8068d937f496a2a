// Replays of an epoch's dependencies without some waits: against closed forms of two and three ranks, and
// against programs that are carried out once more without them.
#include "engine/record/comparison/epoch_graph.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "engine/base/index.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

using Lanes = std::vector<SpanLanes>;  // of each rank

Span spanOf(std::int64_t begin, std::int64_t end, Name name, Kind kind, Lane lane) {
  Span span;
  span.beginNs = begin, span.durationNs = end - begin, span.name = name, span.kind = kind, span.lane = lane;
  span.epoch = 0;
  return span;
}

void put(Lanes& lanes, std::size_t rank, const Span& span) { lanes[rank][at(span.lane)].push_back(span); }

void work(Lanes& lanes, std::size_t rank, std::int64_t begin, std::int64_t end) {
  put(lanes, rank, spanOf(begin, end, Name::aggregate, Kind::compute, Lane::main));
}

void send(Lanes& lanes, std::size_t rank, std::size_t to, std::int64_t when, std::int64_t count) {
  Span span = spanOf(when, when, Name::send, Kind::communication, Lane::message);
  span.peer = static_cast<std::int32_t>(to), span.message = count << 16 | 1;
  put(lanes, rank, span);
}

struct Reason {
  Name name = Name::waitsWire;
  std::int64_t ns = 0;
};

/// For a message of `from`; `reasons` tile it.
void wait(Lanes& lanes, std::size_t rank, std::size_t from, std::int64_t begin, std::int64_t arrived,
          std::int64_t count, const std::vector<Reason>& reasons, std::int16_t layer = 0) {
  Span span = spanOf(begin, std::max(begin, arrived), Name::wait, Kind::communication, Lane::main);
  span.peer = static_cast<std::int32_t>(from), span.layer = layer, span.message = count << 16;
  put(lanes, rank, span);
  Span arrival = span;
  arrival.lane = Lane::link, arrival.name = Name::receive;
  arrival.beginNs = arrived, arrival.durationNs = 0;
  put(lanes, rank, arrival);
  Span piece = span;
  piece.lane = Lane::wait, piece.kind = Kind::idle;
  for (const auto& [name, ns] : reasons) {
    piece.name = name, piece.durationNs = ns;
    put(lanes, rank, piece);
    piece.beginNs += ns;
  }
}

void meet(Lanes& lanes, std::size_t rank, std::int64_t begin, std::int64_t end) {
  const Span span = spanOf(begin, end, Name::allReduce, Kind::synchronise, Lane::main);
  put(lanes, rank, span);
  Span piece = span;
  piece.lane = Lane::wait, piece.kind = Kind::idle, piece.name = Name::waitsBarrierOrSum;
  if (end > begin) put(lanes, rank, piece);
}

std::vector<EpochRow> oneEpoch(std::int64_t wallNs) {
  EpochRow epoch;
  epoch.wallNs = wallNs;
  return {epoch};
}

/// Of each kind, and of all.
std::vector<std::int64_t> gainsOf(const Lanes& lanes, std::int64_t wallNs,
                                  const std::vector<WaitKind>& kinds) {
  const auto epochs = oneEpoch(wallNs);
  EpochGraph graph(epochs);
  for (std::size_t r = lanes.size(); r-- > 0;) {
    EpochGraph ofRank(epochs);
    ofRank.addRank(static_cast<std::int64_t>(r), lanes[r]);
    graph.add(ofRank);
  }
  graph.order();
  return graph.gainsNs(kinds).value();
}

constexpr WaitKind kFor0{0, 0, Name::waitsPeerComputes}, kWire0{0, 0, Name::waitsWire},
    kFor1{1, 0, Name::waitsPeerComputes}, kWire1{1, 0, Name::waitsWire},
    kSum{-1, -1, Name::waitsBarrierOrSum};

}  // namespace

TEST_CASE("without a wait its rank goes on at once, up to the next wait for another", "[comparison]") {
  // rank 0 computes to 60, its message travels to 70; rank 1 waits for it from 20, computes to 100
  Lanes lanes(2);
  work(lanes, 0, 0, 60);
  send(lanes, 0, 1, 60, 0);
  work(lanes, 1, 0, 20);
  wait(lanes, 1, 0, 20, 70, 0, {{Name::waitsPeerComputes, 40}, {Name::waitsWire, 10}});
  work(lanes, 1, 70, 100);
  SECTION("alone") {
    work(lanes, 0, 60, 80);
    // without the computing of the peer: 20 + 10 + 30, but rank 0 ends at 80; without the wire: 20 + 40 + 30
    CHECK(gainsOf(lanes, 100, {kFor0, kWire0}) == std::vector<std::int64_t>{20, 10, 20});
  }
  SECTION("with an answer") {
    // rank 1 answers at 100, which rank 0 waits for from 65 to 105; rank 0 computes to 125
    work(lanes, 0, 60, 65);
    send(lanes, 1, 0, 100, 0);
    wait(lanes, 0, 1, 65, 105, 0, {{Name::waitsPeerComputes, 35}, {Name::waitsWire, 5}});
    work(lanes, 0, 105, 125);
    // rank 1 is 40 earlier: it answers at 60, which comes at 65, when rank 0 just begins to wait
    CHECK(gainsOf(lanes, 125, {kFor0, kWire0, kFor1, kWire1}) ==
          std::vector<std::int64_t>{40, 10, 25, 5, 40});
  }
}

TEST_CASE("three ranks that meet go on when the last has come", "[comparison]") {
  // they come at 50, 80 and 70 and sum until 90; rank 1 waited from 30 to 75 for rank 2's message of 60
  Lanes lanes(3);
  const std::array<std::int64_t, 3> came = {50, 80, 70};
  work(lanes, 0, 0, 50);
  work(lanes, 1, 0, 30);
  wait(lanes, 1, 2, 30, 75, 0, {{Name::waitsPeerComputes, 30}, {Name::waitsWire, 15}});
  work(lanes, 1, 75, 80);
  work(lanes, 2, 0, 70);
  send(lanes, 2, 1, 60, 0);
  for (std::size_t r = 0; r < 3; ++r) {
    meet(lanes, r, came[r], 90);
    work(lanes, r, 90, 100);
  }
  const WaitKind computes{2, 0, Name::waitsPeerComputes}, wire{2, 0, Name::waitsWire};
  // rank 1 comes at 50 or 65, and then rank 2 is the last, at 70. Without the sum rank 1 ends at 90.
  CHECK(gainsOf(lanes, 100, {computes, wire, kSum}) == std::vector<std::int64_t>{10, 10, 10, 20});
}

TEST_CASE("who waits for several messages together still waits for the others", "[comparison]") {
  // rank 2 waits from 10 to 50 for messages of ranks 1 and 0, which came at 40 and 50
  Lanes lanes(3);
  work(lanes, 0, 0, 45);
  send(lanes, 0, 2, 45, 0);
  work(lanes, 1, 0, 35);
  send(lanes, 1, 2, 35, 0);
  work(lanes, 2, 0, 10);
  wait(lanes, 2, 0, 10, 50, 0, {{Name::waitsPeerComputes, 35}, {Name::waitsWire, 5}});
  Span arrival = lanes[2][at(Lane::link)].front();
  arrival.peer = 1, arrival.beginNs = 40;
  lanes[2][at(Lane::link)].insert(lanes[2][at(Lane::link)].begin(), arrival);
  work(lanes, 2, 50, 90);
  // without all waits ranks 0 and 2 end at 45 and 50
  CHECK(gainsOf(lanes, 90, {kFor0, kWire0}) == std::vector<std::int64_t>{10, 5, 40});
}

TEST_CASE("of steps that wait for each other by clocks that are off the first depends on nothing",
          "[comparison]") {
  Lanes lanes(2);  // each waits for what the other sends after its own wait
  for (std::size_t r = 0; r < 2; ++r) {
    work(lanes, r, 0, 10);
    wait(lanes, r, 1 - r, 10, 30, 0, {{Name::waitsWire, 20}});
    work(lanes, r, 30, 40);
    send(lanes, r, 1 - r, 35, 0);
  }
  CHECK(gainsOf(lanes, 40, {kWire0, kWire1}) == std::vector<std::int64_t>{0, 20, 20});
}

namespace {

/// What a rank does: works, then waits for a message of another of this step or the last, or meets all.
struct Doing {
  std::int64_t workNs = 0, wireNs = 0;
  std::size_t peer = 0;
  Name reason = Name::waitsWire;
  bool late = false;
};
struct Stage {
  std::vector<Doing> ranks;
  bool meeting = false;
};
using Program = std::vector<Stage>;

constexpr std::int64_t kForTheNext = 1'000;  // numbers of messages for the next stage

struct Ran {
  std::int64_t wallNs = 0;
  Lanes lanes;
  std::set<std::pair<std::size_t, std::size_t>> waited;  // rank and stage
};

/// From 0 on. Waits of these kinds do not occur, where they did in `original`.
Ran carriedOut(const Program& program, const Ran* original = nullptr,
               const std::function<bool(const WaitKind&)>& kinds = {}) {
  const std::size_t ranks = program.front().ranks.size();
  Ran ran{0, Lanes(ranks), {}};
  std::vector<std::int64_t> now(ranks), sent(ranks), before(ranks);
  for (std::size_t s = 0; s < program.size(); ++s) {
    const auto count = static_cast<std::int64_t>(s);
    const auto layer = static_cast<std::int16_t>(s % 2);
    const Stage& stage = program[s];
    const auto waived = [&](std::size_t rank, const WaitKind& kind) {
      return original != nullptr && original->waited.contains({rank, s}) && kinds(kind);
    };
    before = sent;
    for (std::size_t r = 0; r < ranks; ++r) {
      sent[r] = now[r] + stage.ranks[r].workNs;
      work(ran.lanes, r, now[r], sent[r]);
      for (std::size_t to = 0; to < ranks; ++to)
        if (to != r) {
          send(ran.lanes, r, to, sent[r], count);
          send(ran.lanes, r, to, sent[r], kForTheNext + count);
        }
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const Doing& doing = stage.ranks[r];
      if (stage.meeting) {
        now[r] = waived(r, kSum) ? sent[r] : std::ranges::max(sent) + 7;
        meet(ran.lanes, r, sent[r], now[r]);
        ran.waited.insert({r, s});
        continue;
      }
      const bool late = doing.late && s > 0;
      const std::int64_t came = (late ? before : sent)[doing.peer] + doing.wireNs;
      const WaitKind kind{static_cast<std::int32_t>(doing.peer), layer, doing.reason};
      now[r] = waived(r, kind) ? sent[r] : std::max(sent[r], came);
      wait(ran.lanes, r, doing.peer, sent[r], came, late ? kForTheNext + count - 1 : count,
           now[r] > sent[r] ? std::vector<Reason>{{doing.reason, now[r] - sent[r]}} : std::vector<Reason>{},
           layer);
      if (now[r] > sent[r]) ran.waited.insert({r, s});
    }
  }
  ran.wallNs = std::ranges::max(now);
  return ran;
}

Program randomProgram(PhiloxStream& random, std::size_t ranks, std::size_t stages) {
  constexpr std::array kReasons = {Name::waitsLateSender, Name::waitsWire, Name::waitsQueue};
  Program program(stages);
  for (Stage& stage : program) {
    stage.meeting = random.below(5) == 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto length = [&](std::uint32_t end) { return static_cast<std::int64_t>(random.below(end)); };
      const std::uint64_t away = 1 + random.below(static_cast<std::uint32_t>(ranks - 1));
      stage.ranks.push_back({10 + length(200), 1 + length(120), (r + away) % ranks, kReasons[random.below(3)],
                             random.below(4) == 0});
    }
  }
  return program;
}

}  // namespace

TEST_CASE("a replay gains what the program gains that is carried out without these waits", "[comparison]") {
  PhiloxStream random(7, Purpose::shuffle, 0);
  std::int64_t gained = 0;
  for (int round = 0; round < 100; ++round) {
    const Program program = randomProgram(random, 2 + random.below(4), 1 + random.below(20));
    const Ran ran = carriedOut(program);
    const auto epochs = oneEpoch(ran.wallNs);
    WaitsOfSpans spans(static_cast<std::int64_t>(ran.lanes.size()), epochs);
    for (const SpanLanes& lanes : ran.lanes) spans.addRank(lanes[at(Lane::main)], lanes[at(Lane::wait)]);
    RunWaits waits = spans.waits();
    std::vector<WaitKind> kinds;
    for (const auto& [kind, stretches] : waits.kinds) kinds.push_back(kind);
    const std::vector<std::int64_t> gains = gainsOf(ran.lanes, ran.wallNs, kinds);
    REQUIRE(gains.size() == kinds.size() + 1);
    const double bound = waitsOf({{waits}}, {false}).together.at(0).ceiling;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const auto without = [&](const WaitKind& kind) { return kind == kinds[k]; };
      CHECK(gains[k] == ran.wallNs - carriedOut(program, &ran, without).wallNs);
      waits.gainNs[kinds[k]] = gains[k];
      gained += gains[k];
    }
    CHECK(gains.back() ==
          ran.wallNs - carriedOut(program, &ran, [](const WaitKind&) { return true; }).wallNs);
    waits.gainOfAllNs = gains.back();
    // never negative, and never more than what somebody waits
    const WaitTable table = waitsOf({{waits}}, {false});
    for (const Wait& wait : table.waits) {
      CHECK(wait.figures.at(0).ceiling >= 0);
      CHECK(wait.figures.at(0).ceiling ==
            Approx(static_cast<double>(waits.gainNs.at(wait.kind)) / static_cast<double>(ran.wallNs)));
      CHECK(wait.figures.at(0).ceiling <=
            wait.figures.at(0).share * static_cast<double>(waits.ranks) + 1e-12);
    }
    CHECK(table.together.at(0).ceiling <= bound + 1e-12);
  }
  CHECK(gained > 0);
}

TEST_CASE("what waits in a later epoch for an earlier one's message gains with its sender", "[comparison]") {
  std::vector<EpochRow> epochs(2);
  epochs[0].wallNs = epochs[1].wallNs = 100;
  epochs[1].epoch = 1, epochs[1].beginNs = 100;
  Lanes lanes(2);
  work(lanes, 0, 0, 40);
  wait(lanes, 0, 1, 40, 60, 0, {{Name::waitsWire, 20}});  // what left at 35
  work(lanes, 0, 60, 150);
  send(lanes, 0, 1, 95, 0);
  work(lanes, 1, 0, 140);
  send(lanes, 1, 0, 35, 0);
  wait(lanes, 1, 0, 140, 160, 0, {{Name::waitsQueue, 20}});  // what left at 95
  work(lanes, 1, 160, 200);
  EpochGraph graph(epochs);
  for (std::int64_t r = 0; r < 2; ++r) graph.addRank(r, lanes[at(r)]);
  graph.order();
  CHECK(graph.gainsNs(std::vector{kWire1}).value() == std::vector<std::int64_t>{20, 20});
}
