// Runs in mini-batches that end early, as a user sees them: killed with their workers or with the program.
#include <catch2/catch.hpp>
#include <csignal>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using test::Ended, test::Program, test::jsonLines;

namespace {

/// Two epochs of seven iterations.
std::string batches(const Program& haloscope) {
  return haloscope.file("batches.toml",
                        "schema = 1\nname = \"batches\"\n[model]\nlayers = 2\ndropout = 0.5\n[training]\n"
                        "epochs = 2\n[cluster]\nworkers = 2\n[record]\niterations = \"all\"\n[[run]]\n"
                        "method = \"minibatch\"\nfanouts = \"2,3\"\nseeds = \"global\"\nglobal_batch = 3\n");
}

std::vector<double> losses(const Program& haloscope, const std::string& recording) {
  constexpr std::int64_t run = 1;
  Database database(haloscope.folder() / recording, Access::readOnly);
  std::vector<double> all;
  for (const EpochRow& row : Epochs(database).epochs(run)) all.push_back(row.loss);
  for (const IterationRow& row : Iterations(database).iterations(run)) all.push_back(row.loss.value());
  return all;
}

}  // namespace

TEST_CASE("resume goes on with a run whose workers or whose program were killed between two iterations",
          "[app][resume]") {
  const Program haloscope;
  const std::string file = batches(haloscope);
  REQUIRE(haloscope({"run", file, "--db", "uninterrupted.db"}).status == 0);
  const std::vector<double> uninterrupted = losses(haloscope, "uninterrupted.db");
  REQUIRE(uninterrupted.size() == 2 + 2 * 7);
  const auto [events, status] =
      GENERATE(table<const char*, int>({{"keep 2, kill 2", 1}, {"keep 2, die 2", 128 + SIGKILL}}));
  CAPTURE(events);
  const Ended killed = haloscope({"run", file}, {{"HALO_REHEARSE", events}});
  REQUIRE(killed.status == status);
  const Ended check = haloscope({"check"});
  CAPTURE(check.out, check.error);
  CHECK(check.status == 0);
  const Ended again = haloscope({"run", file, "--resume"});
  CAPTURE(again.error);
  REQUIRE(again.status == 0);
  const auto runs = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().at("status") == "completed");
  CHECK(losses(haloscope, "recordings.db") == uninterrupted);
  CHECK(haloscope({"check"}).status == 0);
}
