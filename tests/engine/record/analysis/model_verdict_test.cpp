#include "engine/record/analysis/model_verdict.h"

#include <catch2/catch.hpp>

using namespace halo;
using Catch::Matchers::Contains;

namespace {

std::optional<ModelVerdict> verdictOf(const std::string& device,
                                      const std::map<std::string, double>& latest) {
  RunRow run;
  run.kind = "training";
  return modelVerdict(run, {{"run.device", '"' + device + '"'}, {"run.platform", "\"mine-platform.toml\""}},
                      latest);
}

std::map<std::string, double> errors(double sample, double load, double transfer, double propagate) {
  return {{"prediction_error", 0.02},
          {"prediction_error_sample", sample},
          {"prediction_error_load", load},
          {"prediction_error_transfer", transfer},
          {"prediction_error_propagate", propagate}};
}

}  // namespace

TEST_CASE("a model that is within 15 % in every stage comes out on this machine", "[analysis]") {
  const auto verdict = verdictOf("host", errors(0.15, -0.15, 0, 0.1));
  REQUIRE(verdict);
  CHECK(verdict->holds());
  CHECK(verdict->sentence() ==
        "comes out: iteration +2.0 %, sample +15.0 %, load -15.0 %, transfer +0.0 %, propagate +10.0 %; 15 % "
        "either way are allowed, by the figures of platform mine-platform.toml");
}

TEST_CASE("a model that is further off does not come out, and each stage that fails is named", "[analysis]") {
  const char* const names[] = {"sample", "load", "transfer", "propagate"};
  for (int stage = 0; stage < 4; ++stage) {
    double off[] = {0.1, 0.1, 0.1, 0.1};
    off[stage] = -0.312;
    const auto verdict =
        verdictOf(stage % 2 == 0 ? "host" : "opencl", errors(off[0], off[1], off[2], off[3]));
    REQUIRE(verdict);
    CHECK_FALSE(verdict->holds());
    CHECK_THAT(verdict->sentence(),
               Catch::StartsWith(std::string("does not come out: ") + names[stage] + " -31.2 %; 15 %"));
  }
  CHECK_THAT(verdictOf("host", {{"prediction_error", 0.4}})->sentence(),
             Catch::StartsWith("does not come out: iteration +40.0 %"));
}

TEST_CASE("with modelled devices one model is held against another, without a verdict", "[analysis]") {
  const auto verdict = verdictOf("modelled", errors(0.5, 0, 0, 0));
  REQUIRE(verdict);
  CHECK_FALSE(verdict->measured);
  CHECK_THAT(verdict->sentence(), Catch::StartsWith("model against model") && Contains("sample +50.0 %") &&
                                      !Contains("come out") && !Contains("comes out"));
  RunRow simulation;
  simulation.kind = "simulation";
  CHECK_FALSE(modelVerdict(simulation, {}, errors(0, 0, 0, 0))->measured);
  CHECK_FALSE(verdictOf("host", {{"loss", 1}}));
}
