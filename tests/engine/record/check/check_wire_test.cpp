#include <catch2/catch.hpp>

#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;

namespace {

Strings onlyOfWire(Database& database, std::int64_t late) {
  Strings faults;
  for (const std::string& fault : checkRecording(database, help(late)).faults)
    if (fault.find("Gbit/s") != std::string::npos) faults.push_back(fault);
  return faults;
}

/// What is said of the wire when the sound run's epochs of 10 ms, in each of which a worker sends and gets
/// 440 bytes in 2 messages, went over a link.
Strings saidOf(const std::string& gbit, std::int64_t late, const std::string& change = {}) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute("INSERT INTO parameter VALUES(1, 'cluster.link.bandwidth_gbit', '" + gbit + "')");
  if (!change.empty()) database.execute(change);
  return onlyOfWire(database, late);
}

/// The same run with a million times the bytes on two hosts, whose network is said to carry so much.
Strings saidOfHosts(const std::string& gbit, std::int64_t late, const std::string& change = {}) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute("INSERT INTO parameter VALUES(1, 'cluster.wire.bandwidth_gbit', '" + gbit +
                   "'); UPDATE worker SET host = 'host' || rank; UPDATE message SET bytes = bytes * 1000000");
  if (!change.empty()) database.execute(change);
  return onlyOfWire(database, late);
}

}  // namespace

TEST_CASE("no stretch of epochs is shorter than its bytes take on the link", "[record]") {
  CHECK(saidOf("0.000352", 0) == Strings());  // 440 bytes in 10 ms
  const Strings faults = saidOf("0.00032", 0);
  REQUIRE(faults.size() == 4);  // both workers, both ways
  CHECK(faults[0] ==
        "run 1, epochs 0 to 2, worker 0: gets 1320 bytes, which take 33.000 ms at 0.00032 Gbit/s; "
        "they took 30.000 ms");
  // one epoch alone
  const Strings epochFaults = saidOf("0.000352", 0, "UPDATE epoch SET wall_ns = 9000000 WHERE epoch = 1");
  REQUIRE(epochFaults.size() == 4);
  CHECK(epochFaults[2] ==
        "run 1, epochs 1 to 1, worker 1: gets 440 bytes, which take 10.000 ms at 0.000352 Gbit/s; "
        "they took 9.000 ms");
}

TEST_CASE("what may be an epoch under way is due an epoch later", "[record]") {
  CHECK(saidOf("0.00032", 1) == Strings());  // 880 bytes in 30 ms
  CHECK(saidOf("0.00024", 1) == Strings());
  const Strings faults = saidOf("0.0002", 1);
  REQUIRE(faults.size() == 4);
  CHECK(faults[1] ==
        "run 1, epochs 0 to 2, worker 0: sends 880 bytes in all but the last 1, which take 35.200 "
        "ms at 0.0002 Gbit/s; they took 30.000 ms");
  CHECK(saidOf("0.000001", 3) == Strings());                                       // none is due yet
  CHECK(saidOf("0.000001", 0, "DELETE FROM epoch WHERE epoch = 1") == Strings());  // which is found otherwise
}

TEST_CASE("where ranks share a card, no stretch is shorter than what they send to other hosts together",
          "[record]") {
  // workers 0 and 1 become 0 and 2, and 1 and 3 do as they do; of a sum each host's card carries 40 bytes
  const auto shared = [](const std::string& ranks) {
    return "UPDATE run SET workers = 4;"
           "CREATE TEMP TABLE more AS SELECT * FROM worker;"
           "UPDATE more SET rank = rank + 2;"
           "INSERT INTO worker SELECT * FROM more;"
           "CREATE TEMP TABLE two AS SELECT * FROM message;"
           "DELETE FROM message;"
           "UPDATE two SET source = 2 * source, target = CASE WHEN target < 0 THEN -1 ELSE 2 * target END;"
           "INSERT INTO message SELECT * FROM two;"
           "UPDATE two SET source = source + 1, target = CASE WHEN target < 0 THEN -1 ELSE target + 1 END;"
           "INSERT INTO message SELECT * FROM two;"
           "INSERT INTO parameter VALUES(1, 'cluster.link.ranks_per_host', '" +
           ranks + "')";
  };
  CHECK(saidOf("0.000352", 0, shared("1")) == Strings());  // 440 bytes in 10 ms
  CHECK(saidOf("0.000672", 0, shared("2")) == Strings());  // 840
  const Strings faults = saidOf("0.00064", 0, shared("2"));
  REQUIRE(faults.size() == 4);  // both hosts, both ways
  CHECK(faults[3] ==
        "run 1, epochs 0 to 2, host 1: sends 2520 bytes, which take 31.500 ms at 0.00064 Gbit/s; "
        "they took 30.000 ms");
  CHECK(saidOf("0.000001", 0, shared("4")) == Strings());  // nothing leaves the host
  // 0 and 2 are of one host of three
  CHECK(saidOf("0.000672", 0, shared("3")).empty());
}

TEST_CASE("on real hosts no stretch is shorter than its messages take, 5 % and 1 MiB aside", "[record]") {
  // 400 MB in 10 ms; of the sum's 40 MPI chooses how they travel
  CHECK(saidOfHosts("320", 0) == Strings());
  CHECK(saidOfHosts("306", 0) == Strings());
  const Strings faults = saidOfHosts("300", 0);
  REQUIRE(faults.size() == 4);
  CHECK(
      faults[1] ==
      "run 1, epochs 0 to 2, worker 0: sends 1200000000 bytes, which take 30.476 ms at 300 Gbit/s + 5 % but "
      "for 1 MiB; they took 30.000 ms");
  // what a shaper has saved up passes at once
  CHECK(saidOfHosts("0.0003", 0, "UPDATE message SET bytes = 349000 WHERE bytes > 0").empty());
  CHECK(saidOfHosts("0.3", 0, "UPDATE worker SET host = 'host'").empty());  // nothing leaves it
}

TEST_CASE("between epochs a real network goes on with what is late", "[record]") {
  CHECK(saidOfHosts("200", 1).size() == 4);  // 800 MB in 30 ms
  CHECK(saidOfHosts("200", 1, "UPDATE epoch SET begin_ns = begin_ns + 5000000 WHERE epoch > 0").empty());
  CHECK(saidOfHosts("200", 0, "UPDATE epoch SET begin_ns = begin_ns + 5000000 WHERE epoch > 0").size() == 4);
}

TEST_CASE("what the busiest card carries is recorded as its messages say", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database);
  database.execute(
      "UPDATE worker SET host = 'host' || rank; INSERT INTO latest VALUES(1, 'wire_bytes_per_epoch', 440)");
  CHECK(checkRecording(database, help()).faults == Strings());
  database.execute("UPDATE latest SET value = 400 WHERE metric = 'wire_bytes_per_epoch'");
  CHECK(checkRecording(database, help()).faults ==
        Strings{"run 1: table latest has wire_bytes_per_epoch 400, its rows in epoch, layer, message and "
                "worker give "
                "440"});
}
