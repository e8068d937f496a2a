// Figures recomputed by tests/independent: a reader of recordings that shares no code with the product.
#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

bool hasPython() {
  if (test::run({"/usr/bin/env", "python3", "-c", "import sqlite3"}).status == 0) return true;
  WARN("SKIPPED: no python3 here");
  return false;
}

Ended recomputed(const Program& haloscope, const std::string& recording, const std::string& a,
                 const std::string& b, const std::string& option = "") {
  const std::string script = std::string(kSourceDir) + "/tests/independent/compare.py";
  std::vector<std::string> words = {"/usr/bin/env", "python3", script, Program::command({}).front(),
                                    recording,      a,         b};
  if (!option.empty()) words.push_back(option);
  return test::run(words, haloscope.environment({{"PYTHONDONTWRITEBYTECODE", "1"}}), haloscope.folder());
}

/// Of two runs of the sample: half a minute of Python.
void recomputeSample(const char* a, const char* b) {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string sample = std::string(kSourceDir) + "/resources/samples/sample.db";
  const Ended ended = recomputed(haloscope, sample, a, b, "--intervals");
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
    const Ended ended = recomputed(haloscope, "recordings.db", a, b);
    CAPTURE(a, b, ended.out, ended.error);
    CHECK(ended.status == 0);
  }
}

TEST_CASE("an independent reader finds no interval in two epochs", "[app]") {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string file = haloscope.experiment(3, 2, "[[run]]\nmethod = \"supergcn\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const Ended ended = recomputed(haloscope, "recordings.db", "1", "2");
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 0);
}
