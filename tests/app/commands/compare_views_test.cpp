// What `compare` says of learning, waits and traffic.
#include <catch2/catch.hpp>

#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("compare tells by layer how long codes take and what their parameters add", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(4, 2, "[[run]]\nmethod = \"supergcn\"\nbits = 8\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto json = comparisonOf(haloscope({"compare", "2", "1", "--json"}).out);
  REQUIRE(json.at("layers").size() == 2);
  double coding = 0, parameters = 0;
  for (const auto& layer : json.at("layers").at(1)) {
    coding += layer.at("quantise_ns").get<double>();
    parameters += layer.at("quantise_bytes").get<double>();
  }
  CHECK(coding > 0);
  CHECK(parameters > 0);
  for (const auto& layer : json.at("layers").at(0)) CHECK(layer.at("quantise_ns") == 0);
  CHECK(holds(haloscope({"compare", "2", "1"}).out, "coding an epoch and worker, layer"));
  CHECK_FALSE(holds(haloscope({"compare", "2", "2"}).out, "coding an epoch and worker, layer"));
}

TEST_CASE("compare tells what columns learn, wait for and send, alike in numbers and in tables", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(
      6, 2, "link = { bandwidth_gbit = 1, latency_us = 20 }\n[[run]]\nmethod = \"pipegcn\"\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const auto json = comparisonOf(haloscope({"compare", "1", "2", "--json"}).out);
  REQUIRE(json.at("traffic").size() == 2);
  for (const auto& column : json.at("traffic")) {
    CHECK(column.at("bytes") == column.at("counted_bytes"));
    double sum = 0;
    for (const auto& place : column.at("places")) sum += place.at("bytes").get<double>();
    CHECK(sum == Approx(column.at("bytes").get<double>()));
  }
  REQUIRE(json.at("learning").at("columns").size() == 2);
  CHECK(json.at("learning").at("columns").at(0).at("epochs").size() == 6);
  REQUIRE_FALSE(json.at("waits").empty());
  double waited = 0;
  for (const auto& wait : json.at("waits")) {
    waited += wait.at("mean_ns").at(0).get<double>();
    CHECK(wait.at("gain_at_most").at(0).get<double>() <=
          json.at("waits_together").at("gain_at_most").at(0).get<double>() + 1e-12);
  }
  CHECK(json.at("waits_together").at("mean_ns").at(0).get<double>() == Approx(waited));
  REQUIRE(json.at("staleness").size() == 2);
  for (const auto& column : json.at("staleness")) REQUIRE_FALSE(column.empty());
  for (const auto& curve :
       json.at("staleness").at(0)) {  // of pipegcn; epoch 0 alone is probed: zeros stood for rows
    CHECK(curve.at("errors").at(0).at("cosine").is_null());
    CHECK(curve.at("errors").at(0).at("age").is_null());
  }
  for (const auto& curve : json.at("staleness").at(1)) {
    CHECK(curve.at("errors").at(0).at("cosine").get<double>() == Approx(1));
    CHECK(curve.at("errors").at(0).at("age") == 0);
  }
  REQUIRE(json.at("parts").size() == 2);
  for (const auto& column : json.at("parts")) {
    REQUIRE(column.at("ranks").size() == 2);
    CHECK(column.at("runs").at(0).at("ranks") == column.at("ranks"));  // one run a column
    CHECK(column.at("fit").is_null());                                 // two points
    double vertices = 0;
    for (const auto& part : column.at("ranks")) {
      vertices += part.at("vertices").get<double>();
      CHECK(part.at("compute_ns").get<double>() > 0);
      CHECK(part.at("exchange_ns").get<double>() > 0);
    }
    CHECK(vertices == 34);  // karate-club
  }
  const std::string output = haloscope({"compare", "1", "2"}).out;
  CAPTURE(output);
  for (const char* part :
       {"best valid score", "unbeaten", "waits, an epoch and worker", "all together", "sent an epoch, layer"})
    CHECK(holds(output, part));
  CHECK_FALSE(holds(haloscope({"compare", "1"}).out, "unbeaten"));
}
