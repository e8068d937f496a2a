// Figures recomputed by tests/independent: a reader of recordings that shares no code with the product.
#include "tests/app/commands/independent_reader.h"

using namespace halo;
using namespace halo::test;

namespace {

Ended compared(const Program& haloscope, const std::string& recording, const std::string& a,
               const std::string& b, const std::string& option = "") {
  std::vector<std::string> words = {Program::command({}).front(), recording, a, b};
  if (!option.empty()) words.push_back(option);
  return recomputed(haloscope, "compare.py", words);
}

/// Of two runs of the sample: half a minute of Python.
void recomputeSample(const char* a, const char* b) {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string sample = std::string(kSourceDir) + "/resources/samples/sample.db";
  const Ended ended = compared(haloscope, sample, a, b, "--intervals");
  CAPTURE(a, b, ended.out, ended.error);
  CHECK(ended.status == 0);
}

}  // namespace

TEST_CASE("an independent reader finds the figures of compare in the sample", "[app]") {
  recomputeSample("6", "11");  // stale rows beside quantised ones
}

TEST_CASE("an independent reader finds the figures of compare in the sample's other methods", "[.nightly]") {
  recomputeSample("1", "6");
}

TEST_CASE("an independent reader finds the figures of compare in runs with reasons of waiting", "[app]") {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string file = haloscope.experiment(
      8, 3,
      "link = { bandwidth_gbit = 1, latency_us = 20 }\n[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = "
      "\"supergcn\"\nbits = 8\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  for (const auto& [a, b] : {std::pair("1", "2"), std::pair("3", "1")}) {
    const Ended ended = compared(haloscope, "recordings.db", a, b);
    CAPTURE(a, b, ended.out, ended.error);
    CHECK(ended.status == 0);
  }
}

TEST_CASE("an independent reader finds no interval in two epochs", "[app]") {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string file = haloscope.experiment(3, 2, "[[run]]\nmethod = \"supergcn\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const Ended ended = compared(haloscope, "recordings.db", "1", "2");
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 0);
}
