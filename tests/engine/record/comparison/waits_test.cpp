#include "engine/record/comparison/waits.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "engine/base/philox.h"
#include "engine/record/comparison/time_parts.h"

using namespace halo;

namespace {

Span spanOf(std::int64_t begin, std::int64_t end, Name name, Kind kind, Lane lane, std::int32_t peer = -1,
            std::int16_t layer = -1) {
  Span span;
  span.beginNs = begin, span.durationNs = end - begin, span.name = name, span.kind = kind, span.lane = lane;
  span.peer = peer, span.layer = layer;
  return span;
}

/// What a rank does: works, then waits for a message of another, and again.
struct Step {
  std::int64_t workNs = 0, wireNs = 0;
  std::int32_t peer = 0;  // whose message of the same step it waits for
  Name reason = Name::waitsWire;
};
using Program = std::vector<std::vector<Step>>;  // step by step, rank by rank

struct Ran {
  std::int64_t wallNs = 0;
  std::vector<std::vector<Span>> main, wait;  // of each rank
};

/// Carries out all steps from 0; waits for `free` are waived.
Ran carriedOut(const Program& program, std::optional<Name> free) {
  const std::size_t ranks = program.front().size();
  Ran ran{0, std::vector<std::vector<Span>>(ranks), std::vector<std::vector<Span>>(ranks)};
  std::vector<std::int64_t> now(ranks);
  for (const std::vector<Step>& steps : program) {
    std::vector<std::int64_t> sent(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      sent[r] = now[r] + steps[r].workNs;
      ran.main[r].push_back(spanOf(now[r], sent[r], Name::aggregate, Kind::compute, Lane::main));
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      const Step& step = steps[r];
      const std::int64_t came = sent[static_cast<std::size_t>(step.peer)] + step.wireNs;
      now[r] = step.reason == free ? sent[r] : std::max(sent[r], came);
      if (now[r] == sent[r]) continue;
      ran.main[r].push_back(spanOf(sent[r], now[r], Name::wait, Kind::communication, Lane::main));
      ran.wait[r].push_back(spanOf(sent[r], now[r], step.reason, Kind::idle, Lane::wait, step.peer, 0));
    }
  }
  ran.wallNs = std::ranges::max(now);
  return ran;
}

Program randomProgram(PhiloxStream& random, std::size_t ranks, std::size_t steps) {
  constexpr std::array kReasons = {Name::waitsLateSender, Name::waitsWire, Name::waitsQueue};
  Program program(steps, std::vector<Step>(ranks));
  for (std::vector<Step>& all : program)
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto length = [&](std::uint32_t end) { return static_cast<std::int64_t>(random.below(end)); };
      const std::uint64_t away = 1 + random.below(static_cast<std::uint32_t>(ranks - 1));
      all[r] = {10 + length(200), length(120), static_cast<std::int32_t>((r + away) % ranks),
                kReasons[random.below(3)]};
    }
  return program;
}

RunWaits waitsOfRun(const Ran& ran, const std::vector<EpochRow>& epochs) {
  WaitsOfSpans all(static_cast<std::int64_t>(ran.main.size()), epochs);
  for (std::size_t r = 0; r < ran.main.size(); ++r) {
    WaitsOfSpans ofRank(static_cast<std::int64_t>(ran.main.size()), epochs);
    ofRank.addRank(ran.main[r], ran.wait[r]);
    all.add(std::move(ofRank));
  }
  return all.waits();
}

std::vector<EpochRow> oneEpoch(std::int64_t wallNs) {
  EpochRow epoch;
  epoch.wallNs = wallNs;
  return {epoch};
}

}  // namespace

TEST_CASE("an epoch without some waits is no shorter than what is said to be gained at most",
          "[comparison]") {
  PhiloxStream random(5, Purpose::shuffle, 0);
  double gainedMost = 0;
  for (int round = 0; round < 200; ++round) {
    const Program program = randomProgram(random, 2 + random.below(4), 1 + random.below(20));
    const Ran ran = carriedOut(program, std::nullopt);
    const auto epochs = oneEpoch(ran.wallNs);
    const RunWaits waits = waitsOfRun(ran, epochs);
    // of a reason, whomever it is that is waited for
    std::map<Name, RunWaits> byReason;
    for (const auto& [kind, stretches] : waits.kinds) {
      RunWaits& run = byReason[kind.reason];
      run.ranks = waits.ranks, run.epochs = waits.epochs, run.busiestNs = waits.busiestNs;
      std::vector<WaitStretch>& all = run.kinds[{-1, -1, kind.reason}];
      all.insert(all.end(), stretches.begin(), stretches.end());
    }
    for (const auto& [reason, run] : byReason) {
      const double most = waitsOf({{run}}, {false}).waits.at(0).figures.at(0).ceiling;
      const auto wall = static_cast<double>(ran.wallNs);
      const double gained = (wall - static_cast<double>(carriedOut(program, reason).wallNs)) / wall;
      CHECK(gained <= most + 1e-12);
      gainedMost = std::max(gainedMost, gained / most);
    }
  }
  CHECK(gainedMost > 0.9);  // the bound is reached, too
}

TEST_CASE("waits are cut to their epochs, and are the waiting of the breakdown reason by reason",
          "[comparison]") {
  PhiloxStream random(6, Purpose::shuffle, 0);
  const Ran ran = carriedOut(randomProgram(random, 3, 40), std::nullopt);
  std::vector<EpochRow> epochs(3);
  for (std::int64_t e = 0; e < 3; ++e) {
    epochs[static_cast<std::size_t>(e)].epoch = e;
    epochs[static_cast<std::size_t>(e)].beginNs = e * ran.wallNs / 3;
    epochs[static_cast<std::size_t>(e)].wallNs = ran.wallNs / 3 - 7;
  }
  PartsBySpans parts(3, epochs);
  for (std::size_t r = 0; r < 3; ++r) parts.addRank(ran.main[r], ran.wait[r]);
  const RunWaits waits = waitsOfRun(ran, epochs);
  REQUIRE(waits.epochs.size() == 3);
  std::map<std::pair<std::size_t, Name>, std::int64_t> sums;
  for (const auto& [kind, stretches] : waits.kinds)
    for (const WaitStretch& stretch : stretches)
      sums[{stretch.epoch, kind.reason}] += stretch.endNs - stretch.beginNs;
  const RunParts expected = parts.parts().value();
  for (std::size_t e = 0; e < 3; ++e) {
    CHECK(sums[{e, Name::waitsLateSender}] == expected.epochs[e].ns[std::size_t(TimePart::lateSender)]);
    CHECK(sums[{e, Name::waitsWire}] == expected.epochs[e].ns[std::size_t(TimePart::wire)]);
    CHECK(sums[{e, Name::waitsQueue}] == expected.epochs[e].ns[std::size_t(TimePart::queue)]);
  }
}

TEST_CASE("waits are ranked by the longest that some configuration has, with their changes", "[comparison]") {
  const auto epochs = oneEpoch(100);
  const auto run = [&](std::int64_t wire, std::int64_t queue) {
    WaitsOfSpans waits(2, epochs);
    for (int rank = 0; rank < 2; ++rank) {
      const std::vector<Span> main = {spanOf(0, 40, Name::update, Kind::compute, Lane::main)};
      std::vector<Span> wait = {spanOf(40, 40 + wire, Name::waitsWire, Kind::idle, Lane::wait, 1 - rank, 1)};
      if (queue > 0) wait.push_back(spanOf(60, 60 + queue, Name::waitsQueue, Kind::idle, Lane::wait, 0, 1));
      waits.addRank(main, wait);
    }
    return waits.waits();
  };
  const WaitTable table = waitsOf({{run(10, 0)}, {run(4, 30)}, {}}, {false, true, true});
  REQUIRE(table.waits.size() == 3);
  const Wait& queue = table.waits.at(0);
  CHECK(queue.kind == WaitKind{0, 1, Name::waitsQueue});
  CHECK(queue.figures.at(0).totalNs == 0);
  CHECK(queue.figures.at(1).totalNs == 60);
  CHECK(queue.figures.at(1).meanNs == 30);
  CHECK(queue.figures.at(1).share == Approx(0.3));
  CHECK(queue.figures.at(1).ceiling == Approx(0.3));  // both wait at once
  CHECK(queue.changes.at(1).value().deltaNs == 30);
  CHECK_FALSE(queue.changes.at(1)->interval);  // of one epoch
  CHECK(verdict(queue, 1) == "added");
  CHECK_FALSE(queue.changes.at(2));                    // it recorded none
  CHECK(table.waits.at(1).figures.at(0).meanNs == 5);  // of one of the two ranks
  CHECK(table.together.at(1).totalNs == 68);
  CHECK(table.together.at(1).ceiling == Approx(0.34));
  CHECK(table.together.at(2).totalNs == 0);
}

TEST_CASE("no gain is larger than what the rank leaves idle that works most", "[comparison]") {
  const auto epochs = oneEpoch(100);
  WaitsOfSpans waits(2, epochs);
  waits.addRank(std::vector{spanOf(0, 95, Name::update, Kind::compute, Lane::main),
                            spanOf(90, 97, Name::load, Kind::other, Lane::main)},
                {});
  waits.addRank(std::vector{spanOf(0, 10, Name::update, Kind::compute, Lane::main)},
                std::vector{spanOf(10, 100, Name::waitsPeerComputes, Kind::idle, Lane::wait, 0, 0)});
  const WaitTable table = waitsOf({{waits.waits()}}, {false});
  CHECK(table.waits.at(0).figures.at(0).totalNs == 90);
  CHECK(table.waits.at(0).figures.at(0).ceiling == Approx(0.05));  // loading is between epochs
}

TEST_CASE("a rank that waits without a reason has told nothing, one that never waits has", "[comparison]") {
  const auto epochs = oneEpoch(100);
  WaitsOfSpans waits(1, epochs), worker(1, epochs);
  waits.addRank(std::vector{spanOf(0, 50, Name::wait, Kind::communication, Lane::main)}, {});
  worker.addRank(std::vector{spanOf(0, 50, Name::update, Kind::compute, Lane::main)}, {});
  CHECK_FALSE(waits.waits().explained);
  CHECK(worker.waits().explained);
}

TEST_CASE("epochs in which some rank recorded nothing count nothing", "[comparison]") {
  std::vector<EpochRow> epochs(2);
  epochs[0].wallNs = epochs[1].wallNs = 100;
  epochs[1].epoch = 1, epochs[1].beginNs = 100;
  WaitsOfSpans waits(2, epochs);
  const auto rank = [&](std::int64_t end) {
    waits.addRank(std::vector{spanOf(0, end, Name::update, Kind::compute, Lane::main)},
                  std::vector{spanOf(10, end, Name::waitsWire, Kind::idle, Lane::wait, 0, 0)});
  };
  rank(150);
  rank(50);
  const RunWaits runWaits = waits.waits();
  REQUIRE(runWaits.epochs.size() == 1);
  CHECK(runWaits.kinds.begin()->second.size() == 2);
}
