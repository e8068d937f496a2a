// Methods on a grid of ranks: which messages a recording has of them, and so which arrows a timeline. It also
// says which ranks share a part.
#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;

TEST_CASE("messages of a method on a square grid go along its rows and columns alone", "[app]") {
  const test::Program haloscope;
  const std::string file =
      haloscope.file("grid.toml",
                     "schema = 1\nname = \"grid\"\n[training]\nepochs = 2\n[cluster]\nworkers = 4\n"
                     "[[run]]\nmethod = \"cagnet\"\nvariant = \"2d\"\n");
  const test::Ended ended = haloscope({"run", file});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database recording(haloscope.folder() / "recordings.db", Access::readOnly);
  CHECK(Runs(recording).parameters(1).at("result.ranks_per_part") == "2");
  const Spans spans(recording);
  std::int64_t alongRows = 0, alongColumns = 0, others = 0;
  for (const SpanBlockInfo& block : spans.blocks(1)) {
    if (block.lane != Lane::message) continue;
    for (const Span& span : spans.load(block.id)) {
      if (span.name != Name::send) continue;
      const bool row = span.peer / 2 == block.rank / 2, column = span.peer % 2 == block.rank % 2;
      alongRows += row, alongColumns += column, others += !row && !column;
    }
  }
  CHECK(alongRows > 0);
  CHECK(alongColumns > 0);
  CHECK(others == 0);
}
