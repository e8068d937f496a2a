// Messages from their sends to the work that uses them, in a made recording and in the sample.
#include "views/spans/message_arrows.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "engine/record/tables/runs.h"
#include "engine/record/trace/message_numbers.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

constexpr std::int64_t kEpoch = 10'000, kZero = 1'000'000;

/// Two ranks and `epochs` epochs: at 1,000 each sends a message to the other, which arrives at 6,000 and is
/// used at 7,000, or `late` epochs later at 500.
void fill(Database& database, std::int64_t epochs, std::int32_t late) {
  Runs runs(database);
  RunRow row;
  row.method = "made", row.dataset = "made", row.model = "gcn", row.workers = 2, row.status = "completed";
  const std::int64_t run = runs.add(row);
  std::vector<EpochRow> rows;
  for (std::int64_t e = 0; e < epochs; ++e) {
    EpochRow epoch;
    epoch.epoch = e, epoch.beginNs = kZero + e * kEpoch, epoch.wallNs = kEpoch;
    rows.push_back(epoch);
  }
  Epochs(database).append(run, rows);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    std::vector<Span> spans;
    for (const EpochRow& epoch : rows) {
      const auto number = static_cast<std::int32_t>(epoch.epoch);
      Span span;
      span.epoch = number, span.layer = 0, span.pass = Pass::forward,
      span.peer = static_cast<std::int32_t>(1 - rank);
      Span send = span;
      send.beginNs = epoch.beginNs + 1'000, send.durationNs = 5;
      send.name = Name::send, send.kind = Kind::communication, send.lane = Lane::message;
      send.message = epoch.epoch << 16 | 1;
      spans.push_back(send);
      Span arrival = span;
      arrival.beginNs = epoch.beginNs + 2'000, arrival.durationNs = 4'000, arrival.bytes = 64;
      arrival.name = Name::receive, arrival.kind = Kind::communication, arrival.lane = Lane::link;
      arrival.message = epoch.epoch << 16;
      arrival.epoch = number + late;
      spans.push_back(arrival);
      Span work = span;
      work.peer = -1;
      work.name = Name::aggregate, work.kind = Kind::compute, work.lane = Lane::main, work.durationNs = 100;
      for (const std::int64_t at : {500, 7'000}) {
        work.beginNs = epoch.beginNs + at;
        spans.push_back(work);
      }
    }
    Spans(database).append(run, rank, spans);
  }
}

std::vector<MessageArrow> arrowsOf(Database& database, std::int64_t run, std::int64_t begin,
                                   std::int64_t end) {
  return readArrows(Spans(database), Epochs(database), run, begin, end).arrows;
}

}  // namespace

TEST_CASE("an arrow goes from a send to the first work that uses it, in the epoch it is meant for",
          "[views]") {
  const std::int32_t late = GENERATE(0, 1, 2);
  CAPTURE(late);
  const Scratch scratch;
  Database database(scratch.path() / "made.db", Access::create);
  fill(database, 6, late);
  const auto arrows = arrowsOf(database, 1, kZero, kZero + 6 * kEpoch);
  REQUIRE(arrows.size() == 12);
  for (const MessageArrow& arrow : arrows) {
    const std::int64_t epoch = kZero + arrow.sentEpoch * kEpoch;
    CHECK(arrow.sender == 1 - arrow.receiver);
    CHECK(arrow.usedEpoch == arrow.sentEpoch + late);
    CHECK(arrow.sentNs == epoch + 1'000);
    CHECK(arrow.arrivedNs == epoch + 6'000);
    const bool used = arrow.usedEpoch < 6;  // else training ended before
    CHECK(arrow.usedNs == (late == 0 ? epoch + 7'000 : used ? epoch + late * kEpoch + 500 : arrow.arrivedNs));
    CHECK(arrow.bytes == 64);
  }
}

TEST_CASE("arrows are those of the time that is shown", "[views]") {
  const Scratch scratch;
  Database database(scratch.path() / "made.db", Access::create);
  fill(database, 6, 1);
  // sent in epoch 2 at 1,000 and used in epoch 3 at 500: also the one of epoch 1 until 500, not that of epoch
  // 3
  const auto arrows = arrowsOf(database, 1, kZero + 2 * kEpoch, kZero + 3 * kEpoch);
  REQUIRE(arrows.size() == 4);
  CHECK(arrows.front().sentEpoch == 1);
  CHECK(arrows.back().sentEpoch == 2);
  CHECK(arrowsOf(database, 1, kZero + 2 * kEpoch + 600, kZero + 2 * kEpoch + 900).empty());
  CHECK(arrowsOf(database, 9, kZero, kZero + kEpoch).empty());
}

TEST_CASE("in the sample, vanilla uses what the epoch sends and pipegcn what the one before sent",
          "[views]") {
  const Scratch scratch;
  const auto file = scratch.path() / "sample.db";
  std::filesystem::copy_file(std::filesystem::path(kSourceDir) / "resources/samples/sample.db", file);
  Database database(file, Access::readOnly);
  for (const auto& [run, late] : {std::pair<std::int64_t, std::int32_t>{1, 0}, {6, 1}}) {
    CAPTURE(run);
    const std::vector<EpochRow> epochs = Epochs(database).epochs(run);
    const std::int64_t begin = epochs.front().beginNs, end = epochs.back().beginNs + epochs.back().wallNs;
    auto arrows = arrowsOf(database, run, begin, end);
    std::erase_if(arrows, [](const MessageArrow& arrow) { return arrow.meeting.has_value(); });
    std::size_t arrivals = 0;
    for (const SpanBlockInfo& block : Spans(database).blocks(run))
      if (block.lane == Lane::link) arrivals += static_cast<std::size_t>(block.count);
    CHECK(arrows.size() <= arrivals);
    CHECK(arrows.size() >= arrivals * 9 / 10);
    std::map<std::int32_t, std::size_t> byAge;
    for (const MessageArrow& arrow : arrows) {
      ++byAge[arrow.usedEpoch - arrow.sentEpoch];
      CHECK(arrow.sentNs <= arrow.arrivedNs);
      CHECK(arrow.arrivedNs <= arrow.usedNs);
    }
    CHECK(byAge.size() == 1);
    CHECK(byAge.begin()->first == late);
  }
}

TEST_CASE("in the sample, every rank but the last one waits at each collective of an epoch", "[views]") {
  const Scratch scratch;
  const auto file = scratch.path() / "sample.db";
  std::filesystem::copy_file(std::filesystem::path(kSourceDir) / "resources/samples/sample.db", file);
  Database database(file, Access::readOnly);
  const EpochRow epoch = Epochs(database).epochs(1).at(5);
  const std::int64_t end = epoch.beginNs + epoch.wallNs;
  std::vector<Span> sums;  // of rank 0
  std::map<std::int64_t, std::int64_t> latest;
  for (const SpanBlockInfo& block : Spans(database).blocks(1))
    if (block.lane == Lane::main)
      for (const Span& span : Spans(database).load(block.id))
        if (span.name == Name::allReduce && span.epoch == epoch.epoch) {
          if (block.rank == 0) sums.push_back(span);
          latest[block.rank] = std::max(latest[block.rank], span.beginNs);
        }
  REQUIRE_FALSE(sums.empty());
  const auto last = std::ranges::max_element(latest, {}, [](const auto& each) { return each.second; });
  std::vector<MessageArrow> arrows = arrowsOf(database, 1, epoch.beginNs, end);
  std::erase_if(arrows, [&](const MessageArrow& arrow) {
    return arrow.meeting != Name::allReduce || arrow.usedEpoch != epoch.epoch;
  });
  CHECK(arrows.size() == 3 * sums.size());
  CHECK(arrows.back().sender == last->first);
  CHECK(arrows.back().sentNs == last->second);
  for (const MessageArrow& arrow : arrows) CHECK(arrow.waitedNs >= 0);
}
