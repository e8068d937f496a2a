// Which share of the time two groups of workers were idle, of times that are given.
#include "engine/methods/laws/idleness.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a group is idle while its workers wait, and while slower ones still work", "[moa]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() % 2 != 0) return;
  const int members = comm.size() / 2, group = comm.rank() % 2;
  Idleness idleness(members);
  CHECK(idleness.shareOf(0) == 0);
  CHECK(idleness.shareOf(1) == 0);
  const auto note = [&](std::int64_t tookNs, std::int64_t waitedNs) {
    idleness.note(comm, group, tookNs, waitedNs);
  };
  // all took as long; one group waited a tenth of it, the other three
  note(1'000, group == 0 ? 100 : 300);
  CHECK(idleness.shareOf(0) == Approx(0.1));
  CHECK(idleness.shareOf(1) == Approx(0.3));
  // the first epoch is forgotten; one group was done after half of the time
  note(group == 0 ? 1'000 : 500, group == 0 ? 0 : 100);
  CHECK(idleness.shareOf(0) == Approx(0).margin(1e-12));
  CHECK(idleness.shareOf(1) == Approx(0.6));
  // a longer epoch weighs more: 2,000 of 4,000 busy and 400 of 4,000
  note(3'000, group == 0 ? 2'000 : 3'000);
  CHECK(idleness.shareOf(0) == Approx(0.5));
  CHECK(idleness.shareOf(1) == Approx(0.9));
  // one worker's wait is that of one
  if (comm.size() == 2) return;
  note(4'000, comm.rank() == 0 ? 4'000 : 0);
  CHECK(idleness.shareOf(0) ==
        Approx(1 - (2'000.0 * members + 4'000.0 * (members - 1)) / (8'000.0 * members)));
  CHECK(idleness.shareOf(1) == Approx(1 - 4'400.0 / 8'000.0));
}
