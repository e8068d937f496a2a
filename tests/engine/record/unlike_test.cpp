#include "engine/record/unlike.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

using Keys = std::map<std::string, std::string>;

std::vector<std::string> names(const std::vector<Unlike>& all) {
  std::vector<std::string> names;
  for (const Unlike& unlike : all) names.push_back(unlike.what);
  return names;
}

}  // namespace

TEST_CASE("what runs are compared for keeps nobody from comparing them", "[record]") {
  RunRow vanilla, pipegcn;
  vanilla.method = "vanilla", pipegcn.method = "pipegcn";
  const Keys a = {{"run.depth", "1"}, {"cluster.workers", "2"}, {"partition.method", "\"metis\""}};
  const Keys b = {{"cluster.workers", "4"}, {"partition.method", "\"random\""}, {"factor.x", "1"}};
  const ComparedRun both[] = {{vanilla, a}, {pipegcn, b}};
  CHECK(unlikeSettings(both).empty());
  CHECK(unlikeMachines(both).empty());
}

TEST_CASE("settings and machines that runs do not share are named with every run's value", "[record]") {
  RunRow here, there;
  here.host = "nodea", there.host = "nodeb", there.marks = "emulated link";
  const Keys a = {{"training.seed", "1"},
                  {"model.dropout_position", "\"input\""},
                  {"cluster.link.bandwidth_gbit", "0.0"},
                  {"run.layer0_cache", "true"},
                  {"result.layer_orders", "aggregate-first 602"},
                  {"result.partition", "3"}};
  const Keys b = {{"training.seed", "2"},
                  {"model.dropout_position", "\"input\""},
                  {"cluster.link.bandwidth_gbit", "1.0"},
                  {"result.layer_orders", "update-first 128"},
                  {"result.partition", "4"}};
  const ComparedRun both[] = {{here, a}, {there, b}};
  const std::vector<Unlike> settings = unlikeSettings(both);
  CHECK(names(settings) == std::vector<std::string>{"cluster.link.bandwidth_gbit", kUnlikeOrders,
                                                    "run.layer0_cache", "training.seed"});
  CHECK(settings[0].values == std::vector<std::string>{"0.0", "1.0"});
  CHECK(settings[2].values == std::vector<std::string>{"true", "–"});
  CHECK(names(unlikeMachines(both)) == std::vector<std::string>{"marks", "host"});
}

TEST_CASE("of a run and its simulation the keys that both kinds have are held against each other",
          "[record]") {
  RunRow run, simulation;
  run.kind = "training", simulation.kind = "simulation";
  const Keys a = {{"training.epochs", "5"}, {"model.hidden", "16"}}, b = {{"model.hidden", "32"}};
  const ComparedRun both[] = {{run, a}, {simulation, b}};
  CHECK(names(unlikeSettings(both)) == std::vector<std::string>{"model.hidden"});
}
