// What comparing, rendering and checking say of recordings that somebody damaged.
#include <catch2/catch.hpp>
#include <fstream>

#include "engine/record/database/database.h"
#include "tests/app/program.h"
#include "tests/support/csv.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Two runs that wait, in a folder of their own, and what may be done to them.
struct TwoRuns {
  Program haloscope;

  TwoRuns() {
    const std::string file = haloscope.experiment(4, 2, "[[run]]\nmethod = \"supergcn\"\n");
    REQUIRE(haloscope({"run", file}).status == 0);
  }
  void change(const std::string& sql) const {
    Database(haloscope.folder() / "recordings.db", Access::readWrite).execute(sql);
  }
  Ended render(const std::string& figure, const std::string& runs, const std::string& output) const {
    return test::run({std::string(kBinDir) + "/haloscope-desktop", "--db", "recordings.db", "--force",
                      "--render", figure, "--run", runs, "-o", output},
                     haloscope.environment(), haloscope.folder());
  }
  std::string written(const std::string& name) const {
    std::ifstream in(haloscope.folder() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

std::size_t linesWith(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) count += holds(line, words) ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE("a run that is named twice is drawn as one run", "[app]") {
  const TwoRuns two;
  REQUIRE(two.render("summary", "1", "once.csv").status == 0);
  REQUIRE(two.render("summary", "1,1", "twice.csv").status == 0);
  CHECK(two.written("once.csv") == two.written("twice.csv"));
}

TEST_CASE("waits that a run did not record are empty cells, and null", "[app]") {
  const TwoRuns two;
  two.change("DELETE FROM span_block WHERE run_id = 2");
  const Ended drawn = two.render("why", "1,2", "why.csv");
  CAPTURE(drawn.error);
  REQUIRE(drawn.status == 0);
  const auto json = nlohmann::json::parse(two.haloscope({"compare", "1", "2", "--json"}).out);
  REQUIRE_FALSE(json.at("waits").empty());
  for (const auto& wait : json.at("waits"))
    for (const char* figure : {"total_ns", "mean_ns", "share", "gain_at_most"}) {
      CHECK(wait.at(figure).at(0).is_number());
      CHECK(wait.at(figure).at(1).is_null());
    }
  const std::string csv = two.written("why.csv");
  std::istringstream lines(csv.substr(csv.find("all together")));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(csv, line);
    CHECK(holds(line, ",,,"));       // B's times
    CHECK(line.ends_with(",,,,,"));  // what it gains at most, and how it changes
  }
}

TEST_CASE("damaged spans are named by comparing and drawing, a line a run", "[app]") {
  const TwoRuns two;
  two.change("UPDATE span_block SET spans = zeroblob(length(spans)) WHERE run_id = 2");
  for (const bool json : {false, true}) {
    const Ended compared =
        json ? two.haloscope({"compare", "1", "2", "--json"}) : two.haloscope({"compare", "1", "2"});
    CAPTURE(json, compared.error);
    CHECK(compared.status == 4);
    CHECK(holds(compared.out, json ? "\"delta_ns\"" : "epochs in scope"));
    CHECK(linesWith(compared.error,
                    "the spans of run 2 are left out, for they are damaged: worker 0, row ") == 1);
    CHECK(linesWith(compared.error, "run 1") == 0);
    CHECK(holds(compared.error, "recordings.db"));
    if (json) CHECK(holds(compared.out, "the spans of run 2 are left out"));
  }
  for (const char* figure : {"differences", "why", "summary"}) {
    const Ended drawn = two.render(figure, "1,2", "out.csv");
    CAPTURE(figure, drawn.error);
    CHECK(drawn.status == 4);
    CHECK(std::filesystem::exists(two.haloscope.folder() / "out.csv"));
    CHECK(linesWith(drawn.error, "left out: ") == 1);
    CHECK(holds(drawn.error, "the spans of run 2 are left out, for they are damaged"));
    CHECK_FALSE(holds(drawn.error, "None of these runs recorded"));
  }
}

TEST_CASE("times of epochs that are none are refused with their place", "[app]") {
  const TwoRuns two;
  for (const auto& [value, shown] :
       {std::pair("'abc'", "'abc'"), std::pair("-5", "-5"), std::pair("1.5", "1.5")}) {
    two.change(std::string("UPDATE epoch SET wall_ns = ") + value + " WHERE run_id = 2 AND epoch = 1");
    const std::string message =
        std::string("table epoch, run 2, epoch 1: wall_ns is ") + shown + "; a time is";
    const Ended compared = two.haloscope({"compare", "1", "2"});
    CAPTURE(compared.error);
    CHECK(compared.status == 4);
    CHECK(holds(compared.error, message));
    for (const char* format : {"csv", "chrome-trace"}) {
      const Ended exported = two.haloscope({"export", "1", "2", "--format", format, "-o", "out", "--force"});
      CAPTURE(exported.error);
      CHECK(exported.status == 4);
      CHECK(holds(exported.error, message));
      CHECK(holds(exported.out, "run-1"));
      CHECK_FALSE(holds(exported.out, "run-2"));
    }
    const Ended summary = two.render("summary", "1,2", "out.csv"),
                convergence = two.render("convergence-loss", "2", "o.csv");
    for (const Ended& drawn : {summary, convergence}) {
      CAPTURE(drawn.error);
      CHECK(drawn.status == 4);
      CHECK(holds(drawn.error, message));
    }
  }
}

TEST_CASE("text where a number belongs is damage to whoever reads it", "[app]") {
  for (const auto& [change, word] :
       {std::pair("UPDATE message SET bytes = 'many' WHERE run_id = 2",
                  "is 'many', and a number would be right"),
        std::pair("UPDATE layer SET bytes_sent = 'x' WHERE run_id = 2",
                  "is 'x', and a number would be right"),
        std::pair("UPDATE latest SET value = 'x' WHERE run_id = 2", "is 'x', and a number would be right")}) {
    CAPTURE(change);
    const TwoRuns two;
    two.change(change);
    const Ended compared = two.haloscope({"compare", "1", "2"});
    CAPTURE(compared.out, compared.error);
    CHECK(compared.status == 4);
    CHECK(holds(compared.error, word));
    CHECK(two.haloscope({"check"}).status == 4);
  }
}

TEST_CASE("check finds the text of an experiment that is empty or too deep to be read", "[app]") {
  const TwoRuns two;
  two.change("UPDATE experiment SET text = ''");
  CHECK(holds(two.haloscope({"check"}).error, "table experiment, row 1: text is empty"));
  const std::string deep(100'000, '[');
  two.change("UPDATE experiment SET text = 'a = " + deep + "'");
  const Ended checked = two.haloscope({"check"});
  CAPTURE(checked.error);
  CHECK(checked.status == 4);
  CHECK(holds(checked.error, "table experiment, row 1: text cannot be read: "));
}

TEST_CASE("a damaged block leaves out the figures that need it and marks those without it", "[app]") {
  const TwoRuns two;
  two.change(
      "UPDATE span_block SET spans = randomblob(length(spans)) WHERE id = (SELECT min(id) FROM span_block "
      "WHERE run_id = 2)");
  const Ended ended = test::run(
      {std::string(kBinDir) + "/haloscope-desktop", "--db", "recordings.db", "--render", "all", "-o", "all"},
      two.haloscope.environment(), two.haloscope.folder());
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK(linesWith(ended.error, "breakdown is not drawn: worker 0 is left out: ") == 1);
  CHECK_FALSE(std::filesystem::exists(two.haloscope.folder() / "all/breakdown.svg"));
  for (const char* name : {"convergence-loss", "runs", "timeline", "summary", "waterfall"})
    CHECK(std::filesystem::exists(two.haloscope.folder() / "all" / (std::string(name) + ".svg")));
  const std::string mark = "damaged spans of run 2 left out";
  for (const char* name : {"why", "where", "waterfall", "summary", "differences"}) {
    CAPTURE(name);
    CHECK(holds(two.written("all/" + std::string(name) + ".svg"), mark));
  }
  CHECK_FALSE(holds(two.written("all/convergence-loss.svg"), mark));
}
