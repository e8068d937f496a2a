#include "tests/support/synthetic_recording.h"

#include <catch2/catch.hpp>

#include "engine/record/check/check_recording.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("a synthetic recording can be read and has exactly the spans asked for", "[record]") {
  const auto spans = GENERATE(0, 7, 20'003);
  CAPTURE(spans);
  const Scratch folder;
  const std::int64_t run =
      writeSyntheticRecording(folder / "s.db", {spans, /*ranks=*/3, /*epochs=*/5, /*seed=*/1});
  Database database(folder / "s.db", Access::readOnly);
  CHECK(Spans(database).count(run) == spans);
  CHECK_FALSE(checkRecording(database).damaged);
  std::int64_t end = 0;
  for (const Span& span : Spans(database).all(run, 0)) {
    if (span.lane != Lane::main) continue;
    REQUIRE(span.beginNs >= end);  // one thing at a time
    end = span.endNs();
  }
}
