// What is recorded of messages that travel over the end of epochs.
#include <catch2/catch.hpp>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr const char* kLateMethods =
    "schema = 1\nname = \"late\"\n[training]\nepochs = 8\n[cluster]\nworkers = 2\n"
    "link = { bandwidth_gbit = 0.005, latency_us = 50.0 }\n"
    "[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = \"distgnn\"\ndelay = 3\n";

std::string file(const std::string& record) { return kLateMethods + std::string("[record]\n") + record; }

}  // namespace

TEST_CASE("what was sent in the last epochs is recorded as travelling, too", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.file("late.toml", file("spans = \"all\"\n"))});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  for (const std::int64_t run : {1, 2}) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      CAPTURE(run, rank);
      std::int64_t sent = 0, arrived = 0;
      for (std::int64_t epoch = 0; epoch < 8; ++epoch)
        for (const MessageRow& row : Epochs(database).messagesOf(run, epoch))
          if (row.target == rank) sent += row.bytes;
      for (const Span& span : Spans(database).all(run, rank))
        if (span.lane == Lane::link && span.kind == Kind::communication) arrived += span.bytes;
      CHECK(sent > 0);
      CHECK(arrived == sent);
    }
  }
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("without the spans of the epochs in which late messages were sent no share of a reason is recorded",
          "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.file("late.toml", file("spans = \"every 3 epochs\"\n"))});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const auto latest = Runs(database).latest(1);
  CHECK(latest.at("wait_share") > 0);
  CHECK_FALSE(latest.contains("exposed_share"));
  CHECK_FALSE(latest.contains("wait_unknown_share"));
  CHECK(haloscope({"check"}).status == 0);
}
