// Spans that are meant by rank, layer, pass, epoch, peer or kind.
#include "views/spans/span_choice.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

/// Two ranks and four epochs of 1000 ns. In each a rank computes in layers 0 and 1 and codes rows, but for
/// the first epoch, and gets rows of the other rank.
void fill(TimelineModel& model) {
  std::vector<EpochRow> epochs(4);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    std::vector<Span> main, link;
    for (std::int32_t e = 0; e < 4; ++e) {
      const std::int64_t begin = 1000 * e + 50 * rank;  // the second is late
      main.push_back({begin, 100, 0, e, -1, 0, Name::aggregate, Kind::compute, Lane::main, Pass::forward});
      main.push_back({begin + 200, 100, 0, e, -1, 1, Name::update, Kind::compute, Lane::main, Pass::forward});
      main.push_back(
          {begin + 400, 100, 0, e, -1, 1, Name::update, Kind::compute, Lane::main, Pass::backward});
      if (e > 0)
        main.push_back(
            {begin + 600, 100, 0, e, -1, 0, Name::encode, Kind::quantise, Lane::main, Pass::forward});
      link.push_back({begin + 100, 100, 64, e, static_cast<std::int32_t>(1 - rank), 0, Name::send,
                      Kind::communication, Lane::link, Pass::forward});
      epochs[static_cast<std::size_t>(e)].epoch = e;
      epochs[static_cast<std::size_t>(e)].beginNs = 1000 * e;
      epochs[static_cast<std::size_t>(e)].wallNs = 1000;
    }
    model.append(rank, Lane::main, main);
    model.append(rank, Lane::link, link);
  }
  model.addEpochs(epochs);
}

std::vector<std::pair<std::int64_t, std::int64_t>> chosen(const TimelineModel& model,
                                                          const SpanChoice& choice, std::int64_t fromNs = 0) {
  std::vector<std::pair<std::int64_t, std::int64_t>> places;  // rank and begin
  const std::vector<RowEntry> rows = model.everyRow();
  for (const SpanId& span : chosenSpans(model, choice, fromNs)) {
    const auto entry = std::ranges::find(rows, span.row, &RowEntry::id);
    REQUIRE(entry != rows.end());
    places.emplace_back(span.row.rank, entry->row->spans.beginNs(span.index));
  }
  return places;
}

}  // namespace

TEST_CASE("spans of a layer, pass and epoch are those of every rank", "[views]") {
  TimelineModel model;
  fill(model);
  SpanChoice choice;
  choice.layer = 1;
  choice.epoch = 2;
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(chosen(model, choice) == Places{{0, 2200}, {0, 2400}, {1, 2250}, {1, 2450}});
  choice.pass = Pass::backward;
  CHECK(chosen(model, choice) == Places{{0, 2400}, {1, 2450}});
  choice.rank = 1;
  CHECK(chosen(model, choice) == Places{{1, 2450}});
  choice.epoch = 9;
  CHECK(chosen(model, choice).empty());
}

TEST_CASE("without an epoch spans are those of the first one in view that has any", "[views]") {
  TimelineModel model;
  fill(model);
  SpanChoice choice;
  choice.kind = Kind::quantise;
  choice.rank = 0;
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(chosen(model, choice) == Places{{0, 1600}});
  CHECK(chosen(model, choice, 2500) == Places{{0, 2600}});
  choice.kind = Kind::other;
  CHECK(chosen(model, choice).empty());
  CHECK(chosenSpans(TimelineModel(), choice, 0).empty());
}

TEST_CASE("transfers are chosen by who sent them", "[views]") {
  TimelineModel model;
  fill(model);
  SpanChoice choice;
  choice.lane = Lane::link;
  choice.rank = 1;
  choice.peer = 0;
  choice.epoch = 3;
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  CHECK(chosen(model, choice) == Places{{1, 3150}});
  choice.peer = 1;
  CHECK(chosen(model, choice).empty());
}
