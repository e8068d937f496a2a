// What worker processes take at most, beside what their rows and arcs are. Not under the address sanitizer,
// which keeps memory of its own.
#include <map>

#include "engine/base/matrix.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kFeatures = 1433, kVertices = 2708;
constexpr double kSlack = 6e6;  // allocators, buffers of MPI

Ended trained(const Program& haloscope, const std::string& dataset, int workers = 2) {
  return haloscope(
      {"--quiet", "run",
       haloscope.file("peak.toml", "schema = 1\n[dataset]\n" + dataset +
                                       "[model]\nlayers = 2\nhidden = 8\n[training]\nepochs = 2\n[cluster]\n"
                                       "workers = " +
                                       std::to_string(workers) +
                                       "\nthreads = 1\n[[run]]\nmethod = \"minibatch\"\n"
                                       "fanouts = \"2,3\"\nbatch = 4\n")});
}

std::vector<WorkerRow> workersOf(const Program& haloscope, std::int64_t run) {
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  return Runs(database).workers(run);
}

}  // namespace

#ifndef __SANITIZE_ADDRESS__

TEST_CASE("a worker takes no second copy of all features, and none of its own where it maps them",
          "[app][mapped]") {
  const Program haloscope;
  const std::string set = "name = \"cora-like\"\nscale = 1.0\n";
  REQUIRE(haloscope({"dataset", "map", "cora-like", "--scale", "1"}).status == 0);
  for (const std::string& dataset :
       {std::string("name = \"karate\"\n"), set, set + "map_features = true\n"}) {
    const Ended ran = trained(haloscope, dataset);
    CAPTURE(dataset, ran.error);
    REQUIRE(ran.status == 0);
  }
  const std::vector<WorkerRow> empty = workersOf(haloscope, 1), own = workersOf(haloscope, 2),
                               mapping = workersOf(haloscope, 3);
  REQUIRE(empty.size() == 2);
  REQUIRE(own.size() == 2);
  REQUIRE(mapping.size() == 2);
  const double row = kFeatures * sizeof(Scalar), all = kVertices * row;
  for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
    const double program = static_cast<double>(empty[rank].peakRssBytes);
    const auto most = [&](const WorkerRow& worker, double features) {
      // an evaluation sums neighbours of all its rows, of rows that it has gathered
      const double rows = static_cast<double>(worker.vertices) * row;
      return program + features + 2 * rows + 16 * static_cast<double>(worker.nonzeros + worker.vertices) +
             kSlack;
    };
    CAPTURE(rank, program, own[rank].peakRssBytes, mapping[rank].peakRssBytes);
    // more than either has while rows are distributed (below), since an evaluation comes to more here
    const double share = static_cast<double>(own[rank].vertices) * row;
    CHECK(static_cast<double>(own[rank].peakRssBytes) <= most(own[rank], share + (rank == 0 ? all : share)));
    // pages of the file, which all processes of a host have together
    CHECK(static_cast<double>(mapping[rank].peakRssBytes) <= most(mapping[rank], all));
  }
}

TEST_CASE("nobody has rows of features twice while they are distributed", "[app]") {
  const Program haloscope;
  constexpr int kWorkers = 4;  // so that the set is more than what a share's evaluation takes
  for (const char* dataset : {"name = \"karate\"\n", "name = \"cora-like\"\nscale = 1.0\n"}) {
    const Ended ran = trained(haloscope, dataset, kWorkers);
    CAPTURE(dataset, ran.error);
    REQUIRE(ran.status == 0);
  }
  const std::vector<WorkerRow> empty = workersOf(haloscope, 1), own = workersOf(haloscope, 2);
  REQUIRE(empty.size() == kWorkers);
  REQUIRE(own.size() == kWorkers);
  const double row = kFeatures * sizeof(Scalar), all = kVertices * row;
  // rank 0 has the whole set, and a piece of 1 MB on its way; then its share, as others have
  const double program = static_cast<double>(empty[0].peakRssBytes);
  const double arcs = 16 * static_cast<double>(own[0].nonzeros + own[0].vertices);
  CAPTURE(program, own[0].peakRssBytes);
  REQUIRE(static_cast<double>(own[0].vertices) * row * 3 < all);
  CHECK(static_cast<double>(own[0].peakRssBytes) <= program + all + arcs + kSlack);
}

#endif
