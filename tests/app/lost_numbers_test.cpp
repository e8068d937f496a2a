// A run whose scores or weights are no numbers says so wherever it is told of.
#include <catch2/catch.hpp>

#include "engine/record/database/database.h"
#include "tests/app/program.h"
#include "tests/support/csv.h"

using namespace halo;
using namespace halo::test;
using Catch::Contains;

namespace {

/// Two features of such a size that a large step overflows.
std::string overflowing(const Program& haloscope, const std::string& large, const std::string& labels,
                        const std::string& rest) {
  haloscope.file("g.txt", "0 1\n1 2\n2 3\n3 0\n");
  haloscope.file("f.csv", large + ",1\n-" + large + ",2\n" + large + ",3\n1," + large + "\n");
  haloscope.file("l.txt", labels);
  haloscope.file("s.txt", "train\ntrain\nvalid\ntest\n");
  return haloscope.file(
      "a.toml",
      "schema = 1\n[dataset]\npath = \"g.txt\"\nfeatures = \"f.csv\"\nlabels = \"l.txt\"\nsplit = "
      "\"s.txt\"\n" +
          rest);
}

const char* const kGin =
    "[training]\nepochs = 1\noptimizer = \"sgd\"\nlearning_rate = 1000.0\n[model]\nkind = \"gin\"\nlayers = "
    "3\nhidden = 64\ndropout = 0.2\n[[run]]\nmethod = \"single\"\n[[run]]\nmethod = "
    "\"vanilla\"\ncluster.workers = 2\n";

}  // namespace

TEST_CASE("scores that are no numbers beside a finite loss are NaN, and remarked on", "[app]") {
  const Program haloscope;
  const std::string file = overflowing(haloscope, "1e25", "0\n1\n0\n1\n", kGin);
  const Ended ran = haloscope({"--quiet", "run", file});
  REQUIRE(ran.status == 0);
  for (const char* run : {"1", "2"}) {
    CAPTURE(run);
    CHECK_THAT(ran.error, Contains("run " + std::string(run) +
                                   ": completed: scores are no number: train, valid, "
                                   "test in epoch 0"));
    CHECK_THAT(haloscope({"show", run, "--log"}).out, Contains("scores are no number: train, valid, test"));
    const auto details = jsonLines(haloscope({"show", run, "--json"}).out).front();
    for (const char* score : {"train", "valid", "test"}) {
      REQUIRE(details.contains(score));
      CHECK(details.at(score).is_null());
    }
    CHECK(details.at("loss").is_number());
    CHECK_THAT(haloscope({"show", run}).out, Contains("NaN"));
    REQUIRE(haloscope({"export", run, "--format", "csv", "-o", "out"}).status == 0);
    std::ifstream csv(haloscope.folder() / "out" / ("run-" + std::string(run)) / "epoch.csv");
    const std::string text(std::istreambuf_iterator<char>(csv), {});
    CHECK(Csv(text).at(0, "valid") == "NaN");
  }
  Database recording(haloscope.folder() / "recordings.db", Access::readOnly);
  Statement lost(recording,
                 "SELECT count(*) FROM epoch WHERE train IS NULL AND valid IS NULL AND test IS NULL");
  REQUIRE(lost.step());
  CHECK(lost.integer(0) == 2);
  CHECK_THAT(haloscope({"list"}).out, Contains("NaN"));
  CHECK(haloscope({"check"}).status == 0);
  const std::string gate = haloscope.file("gate.toml", "[valid]\nmin = 0.5\n[loss]\nmax = 1.0\n");
  CHECK_THAT(haloscope({"compare", "1", "--gate", gate}).error, Contains("valid is NaN"));
}

TEST_CASE("an epoch whose loss is NaN has no score, of one label and of many, on one worker and on two",
          "[app]") {
  const Program haloscope;
  const bool many = GENERATE(true, false);
  const std::string file =
      overflowing(haloscope, "3e38", many ? "1,0\n0,1\n1,1\n0,1\n" : "0\n1\n0\n1\n",
                  std::string("[training]\nepochs = 6\noptimizer = \"sgd\"\nlearning_rate = 10.0\n") +
                      (many ? "loss = \"sigmoid\"\n" : "") +
                      "[[run]]\nmethod = \"single\"\n[[run]]\nmethod = \"vanilla\"\ncluster.workers = 2\n");
  haloscope({"--quiet", "run", file});
  const auto listed = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(listed.size() == 2);
  for (const auto& run : listed) {
    CAPTURE(run.dump());
    CHECK(run.at("loss").is_null());
    CHECK(run.at("valid").is_null());
    CHECK(run.at("test").is_null());
  }
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("weights that are no numbers are named at the end of their run, in its log and when exported",
          "[app]") {
  const Program haloscope;
  const std::string file = overflowing(haloscope, "3e38", "0\n1\n0\n1\n",
                                       "[training]\nepochs = 1\noptimizer = \"sgd\"\nlearning_rate = "
                                       "1000.0\n[model]\nkind = \"gin\"\nlayers = "
                                       "3\nhidden = 64\n[[run]]\nmethod = \"distgnn\"\npartition.method = "
                                       "\"vertex-cut\"\ncluster.workers = 2\n");
  const Ended ran = haloscope({"--json", "run", file});
  REQUIRE(ran.status == 0);
  const std::string named = "weights hold what is no number: layer0.mlp0.weight, ";
  CHECK_THAT(jsonLines(ran.out).back().at("remark").get<std::string>(), Contains(named));
  CHECK_THAT(haloscope({"show", "1", "--log"}).out, Contains(named));
  const Ended exported = haloscope({"export", "1", "--format", "weights", "-o", "out"});
  CHECK(exported.status == 0);
  CHECK_THAT(exported.error, Contains("run 1: " + named));
}

TEST_CASE("weights and scores that are numbers are not remarked on", "[app]") {
  const Program haloscope;
  const Ended ran = haloscope({"run", haloscope.experiment(2, 2)});
  REQUIRE(ran.status == 0);
  CHECK_FALSE(holds(ran.error, "no number"));
  CHECK(haloscope({"export", "1", "--format", "weights", "-o", "out"}).error.empty());
  CHECK_FALSE(holds(haloscope({"list"}).out, "NaN"));
}

TEST_CASE("an infinite metric is null in JSON, and a name of a megabyte is whole there and cut in tables",
          "[app]") {
  const Program haloscope;
  REQUIRE(haloscope({"run", haloscope.experiment(1, 1)}).status == 0);
  Database(haloscope.folder() / "recordings.db", Access::readWrite)
      .execute(
          "UPDATE latest SET value = 9e999 WHERE metric = 'loss'; UPDATE run SET name = "
          "hex(zeroblob(524288))");
  const auto listed = jsonLines(haloscope({"list", "--json"}).out).front();
  CHECK(listed.at("loss").is_null());
  const auto compared = jsonLines(haloscope({"compare", "1", "--json"}).out).front();
  CHECK(compared.at("columns").at(0).at("loss").is_null());
  CHECK(listed.at("name").get<std::string>().size() == 1048576);
  for (const char* command : {"list", "compare"}) {
    const Ended ended =
        command == std::string("list") ? haloscope({command}) : haloscope({command, "1", "1"});
    CAPTURE(command);
    CHECK(ended.out.size() < 20'000);
  }
}
