// Who came last where all ranks met, of spans that are read.
#include "views/spans/last_there.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

Span meetingAt(std::int64_t beginNs, std::int64_t endNs, Name name = Name::allReduce) {
  Span span;
  span.beginNs = beginNs, span.durationNs = endNs - beginNs;
  span.kind = Kind::synchronise, span.name = name;
  span.epoch = 2;
  return span;
}

QString plain(QString text) { return text.replace(QChar(0x00A0), ' '); }

/// Three ranks that meet twice; rank 1 came last to the first, rank 0 to the second.
struct Met {
  TimelineModel model;
  Met() {
    const std::vector<std::vector<Span>> ranks = {{meetingAt(100, 520), meetingAt(900, 930)},
                                                  {meetingAt(500, 530), meetingAt(800, 940)},
                                                  {meetingAt(300, 540), meetingAt(700, 950)}};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      model.append(static_cast<std::int64_t>(rank), Lane::main, ranks[rank]);
  }
};

}  // namespace

TEST_CASE("of a barrier or sum it is told who came last, and how much later", "[views]") {
  const Met f;
  CHECK(plain(lastThereText(f.model, 0, meetingAt(100, 520))) == "all ranks; last: rank 1, 400 ns later");
  CHECK(plain(lastThereText(f.model, 2, meetingAt(300, 540))) == "all ranks; last: rank 1, 200 ns later");
  CHECK(lastThereText(f.model, 1, meetingAt(500, 530)) == "all ranks; this one came last");
  CHECK(plain(lastThereText(f.model, 2, meetingAt(700, 950))) == "all ranks; last: rank 0, 200 ns later");
}

TEST_CASE("a piece of waiting has the peer of the meeting that it lies in", "[views]") {
  Met f;
  Span piece = meetingAt(120, 500, Name::waitsBarrierOrSum);
  piece.lane = Lane::wait, piece.kind = Kind::idle;
  CHECK(plain(lastThereText(f.model, 0, piece)) == "all ranks; last: rank 1, 400 ns later");
  piece.name = Name::waitsWire;
  CHECK(lastThereText(f.model, 0, piece).isEmpty());
}

TEST_CASE("where spans do not tell who met, nobody came last", "[views]") {
  Met f;
  f.model.append(3, Lane::main, std::vector{meetingAt(2'000, 2'100)});  // the others are of another meeting
  CHECK(lastThereText(f.model, 0, meetingAt(100, 520)) == "all ranks");
  TimelineModel alone;
  alone.append(0, Lane::main, std::vector{meetingAt(100, 520)});
  CHECK(lastThereText(alone, 0, meetingAt(100, 520)) == "all ranks");
  Span work = meetingAt(100, 520);
  work.kind = Kind::compute, work.name = Name::update;
  CHECK(lastThereText(f.model, 0, work).isEmpty());
  TimelineModel apart;  // the first had left when the second came
  apart.append(0, Lane::main, std::vector{meetingAt(100, 200)});
  apart.append(1, Lane::main, std::vector{meetingAt(201, 300)});
  CHECK(lastThereText(apart, 0, meetingAt(100, 200)) == "all ranks");
}
