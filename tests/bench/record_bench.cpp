// What recording costs: haloscope-benchmarks "[record]". Divide by the count in a benchmark's name for the
// cost of one.
#include <catch2/catch.hpp>

#include "engine/record/analysis/breakdown.h"
#include "engine/record/export/export.h"
#include "engine/record/trace/tracer.h"
#include "tests/support/scratch.h"
#include "tests/support/synthetic_recording.h"

using namespace halo;

namespace {

/// The first block of a synthetic recording's main lane.
std::vector<Span> mainLane(const Scratch& folder) {
  writeSyntheticRecording(folder / "s.db", {2 * std::int64_t{kSpansPerBlock}, 1, 4, 1});
  Database database(folder / "s.db", Access::readOnly);
  return Spans(database).load(1);
}

}  // namespace

TEST_CASE("the cost of noting a span", "[!benchmark][record]") {
  constexpr std::int64_t kSpans = 100'000;
  Tracer tracer(kSpans);
  BENCHMARK("100000 × add, times given") {
    tracer.clear();
    for (std::int64_t i = 0; i < kSpans; ++i) tracer.add(Kind::compute, Name::update, Lane::main, i, i + 1);
    return tracer.spans().size();
  };
  BENCHMARK("100000 × Timed, two readings of the clock included") {
    tracer.clear();
    for (std::int64_t i = 0; i < kSpans; ++i) const Timed timed(tracer, Kind::compute, Name::update);
    return tracer.spans().size();
  };
}

TEST_CASE("the cost of packing and unpacking a block of spans", "[!benchmark][record]") {
  const Scratch folder;
  const std::vector<Span> spans = mainLane(folder);
  const std::string plain = packSpans(spans), deflated = packSpans(spans, Packing::deflated);
  const auto perSpan = [&](const std::string& block) {
    return std::to_string(static_cast<double>(block.size()) / static_cast<double>(spans.size())) + " B/span";
  };
  BENCHMARK("pack 65536, plain, " + perSpan(plain)) { return packSpans(spans).size(); };
  BENCHMARK("pack 65536, deflated, " + perSpan(deflated)) {
    return packSpans(spans, Packing::deflated).size();
  };
  BENCHMARK("unpack 65536, plain") { return unpackSpans(plain).size(); };
  BENCHMARK("unpack 65536, deflated") { return unpackSpans(deflated).size(); };
  std::vector<std::int64_t> begins(spans.size());
  std::vector<std::uint32_t> durations(spans.size());
  std::vector<std::uint8_t> kinds(spans.size());
  BENCHMARK("begin, duration and kind of 65536") {
    const SpanBlock block(plain);
    block.read(SpanColumn::begin, begins.data());
    block.read(SpanColumn::duration, durations.data());
    block.read(SpanColumn::kind, kinds.data());
    return begins.back();
  };
  BENCHMARK("breakdown of 65536") {
    return breakdown(spans, spans.front().beginNs, spans.back().endNs()).computeNs;
  };
}

TEST_CASE("the cost of a million spans on disk", "[!benchmark][record]") {
  const Scratch folder;
  const std::int64_t run = writeSyntheticRecording(folder / "m.db", {1'000'000, 8, 20, 1});
  Database database(folder / "m.db", Access::readOnly);
  BENCHMARK("load 1000000, raw bytes") {
    std::size_t bytes = 0;
    for (const SpanBlockInfo& block : Spans(database).blocks(run))
      Spans(database).loadRaw(block.id, [&](std::string_view raw, std::int64_t) { bytes += raw.size(); });
    return bytes;
  };
  BENCHMARK("load 1000000, as spans") {
    std::size_t spans = 0;
    for (const SpanBlockInfo& block : Spans(database).blocks(run))
      spans += Spans(database).load(block.id).size();
    return spans;
  };
  BENCHMARK("export 1000000 as Chrome trace") {
    exportChromeTrace(database, run, folder / "t.json", /*force=*/true);
    return std::filesystem::file_size(folder / "t.json");
  };
}
