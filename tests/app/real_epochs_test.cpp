// What a recording says of epochs whose wire cannot be stopped: what is done between them carries none on.
#include <catch2/catch.hpp>

#include <algorithm>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int64_t kEpochs = 30, kProbeEvery = 6;

/// A rank's evaluations, by the epoch that they came before; that of the last ones is kEpochs.
std::vector<std::int64_t> evaluationsBefore(const std::vector<Span>& spans) {
  std::vector<std::int64_t> begins(kEpochs, 0), before;
  for (const Span& span : spans)
    if (span.name == Name::epoch) begins.at(static_cast<std::size_t>(span.epoch)) = span.beginNs;
  for (const Span& span : spans)
    if (span.name == Name::evaluate)
      before.push_back(std::ranges::upper_bound(begins, span.beginNs) - begins.begin());
  return before;
}

}  // namespace

// A probe ends a stretch of epochs, and so does the run; a slow machine may pause once more.
TEST_CASE("where the wire cannot be stopped, epochs after an evaluation fill the pipeline", "[app]") {
  const Program haloscope;
  const int depth = GENERATE(1, 2);
  const std::string file = haloscope.file(
      "carry.toml",
      "schema = 1\n[training]\nepochs = 30\nevaluate_every = 1\n[record]\nstaleness = 6\nspans = \"all\"\n"
      "[cluster]\nworkers = 2\n[[run]]\nmethod = \"pipegcn\"\ndepth = " +
          std::to_string(depth) + "\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(depth, ran.error);
  REQUIRE(ran.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const std::vector<EpochRow> epochs = Epochs(database).epochs(1);
  REQUIRE(epochs.size() == kEpochs);
  CHECK(std::ranges::all_of(epochs, [](const EpochRow& epoch) { return epoch.train.has_value(); }));
  const auto fills = [&](std::int64_t epoch) { return epochs[static_cast<std::size_t>(epoch)].filling; };
  const auto timed = std::ranges::count_if(epochs, [](const EpochRow& epoch) { return !epoch.filling; });
  CHECK(timed > 0);
  CHECK(timed <= kEpochs * (kProbeEvery - depth - 1) / kProbeEvery);
  for (const std::int64_t rank : {0, 1}) {
    const std::vector<std::int64_t> before = evaluationsBefore(Spans(database).all(1, rank));
    CAPTURE(rank, before);
    CHECK(std::ssize(before) == kEpochs);
    for (const std::int64_t epoch : before)
      for (std::int64_t next = epoch; next <= epoch + depth && next < kEpochs; ++next) {
        CAPTURE(next);
        CHECK(fills(next));
      }
  }
}
