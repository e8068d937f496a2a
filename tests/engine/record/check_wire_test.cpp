#include <catch2/catch.hpp>

#include "tests/engine/record/tampered.h"

using namespace halo;
using namespace halo::test;

namespace {

/// What is said of the wire when the sound run's epochs of 10 ms, in each of which a worker sends and gets
/// 440 bytes in 2 messages, went over a link.
Strings saidOf(const std::string& gbit, std::int64_t late, const std::string& change = {}) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute("INSERT INTO parameter VALUES(1, 'cluster.link.bandwidth_gbit', '" + gbit + "')");
  if (!change.empty()) database.execute(change);
  Strings said;
  for (const std::string& fault : checkRecording(database, help(late)).faults)
    if (fault.find("Gbit/s") != std::string::npos) said.push_back(fault);
  return said;
}

}  // namespace

TEST_CASE("no stretch of epochs is shorter than its bytes take on the link", "[record]") {
  CHECK(saidOf("0.000352", 0) == Strings());  // 440 bytes in 10 ms
  const Strings said = saidOf("0.00032", 0);
  REQUIRE(said.size() == 4);  // both workers, both ways
  CHECK(said[0] ==
        "run 1, epochs 0 to 2, worker 0: gets 1320 bytes, which take 33.000 ms at 0.00032 Gbit/s; "
        "they took 30.000 ms");
  // one epoch alone
  const Strings one = saidOf("0.000352", 0, "UPDATE epoch SET wall_ns = 9000000 WHERE epoch = 1");
  REQUIRE(one.size() == 4);
  CHECK(one[2] ==
        "run 1, epochs 1 to 1, worker 1: gets 440 bytes, which take 10.000 ms at 0.000352 Gbit/s; "
        "they took 9.000 ms");
}

TEST_CASE("what may be an epoch under way is due an epoch later", "[record]") {
  CHECK(saidOf("0.00032", 1) == Strings());  // 880 bytes in 30 ms
  CHECK(saidOf("0.00024", 1) == Strings());
  const Strings said = saidOf("0.0002", 1);
  REQUIRE(said.size() == 4);
  CHECK(said[1] ==
        "run 1, epochs 0 to 2, worker 0: sends 880 bytes in all but the last 1, which take 35.200 "
        "ms at 0.0002 Gbit/s; they took 30.000 ms");
  CHECK(saidOf("0.000001", 3) == Strings());                                       // none is due yet
  CHECK(saidOf("0.000001", 0, "DELETE FROM epoch WHERE epoch = 1") == Strings());  // which is found otherwise
}
