// Two real hosts of which one is lost while a batch trains: its run ends in words, the batch goes on.
#include <signal.h>

#include <catch2/catch.hpp>

#include "tests/app/two_hosts_run.h"
#include "tests/support/descendants.h"

using namespace halo::test;

namespace {

const std::string kLongThenShort =
    "[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"vanilla\"\ntraining.epochs = 3\n";

/// The daemon that mpirun started on halo-b.
pid_t daemonOnB() {
  for (const auto& [pid, name] : descendants())
    if (name == "orted" && holds(fileText("/proc/" + std::to_string(pid) + "/environ"), "halo-b.tmp"))
      return pid;
  return 0;
}

/// That the batch went on after its first run failed, with this in its error.
void checkWentOn(const HostsProgram& haloscope, const Ended& ended, int status,
                 const std::vector<std::string>& words) {
  INFO(ended.error);
  INFO(haloscope.log(1));
  CHECK(ended.status == status);
  const auto rows = haloscope.rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("status") == "failed");
  CHECK(rows[0].at("epochs") >= 1);
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK_THAT(rows[0].at("error").get<std::string>(), Catch::Contains(word));
  }
  CHECK(rows[1].at("status") == "completed");
  CHECK(haloscope.here()({"check"}).status == 0);
}

}  // namespace

TEST_CASE("a killed rank of another host is named with its host, and the batch goes on", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const auto process = haloscope.start({"run", haloscope.experiment("1000000", kLongThenShort), "--json"});
  REQUIRE(process->waitForLines(5));
  const pid_t rank = workerOfRank(1);
  REQUIRE(rank > 0);
  ::kill(rank, SIGKILL);
  checkWentOn(haloscope, process->wait(), 3,
              {"rank 1 on halo-b was ended by signal 9", "Last words: rank 0 on halo-a: "});
}

TEST_CASE("a killed daemon on another host fails its run alone", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const auto process = haloscope.start({"run", haloscope.experiment("1000000", kLongThenShort), "--json"});
  REQUIRE(process->waitForLines(5));
  const pid_t daemon = daemonOnB();
  REQUIRE(daemon > 0);
  ::kill(daemon, SIGKILL);
  checkWentOn(haloscope, process->wait(), 3, {"the host halo-b was lost after epoch "});
}

TEST_CASE("a host whose cable is cut fails its run after cluster.silence_s, and the batch goes on",
          "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const auto process =
      haloscope.start({"run", haloscope.experiment("1000000", "silence_s = 2\n" + kLongThenShort), "--json"});
  REQUIRE(process->waitForLines(5));
  Meanwhile cut(*hosts, "ip link set vhalo-b down", "ip link set vhalo-b up");
  REQUIRE(process->waitFor("\"finish\""));
  cut.end();
  checkWentOn(haloscope, process->wait(), 3,
              {" of rank 1 on halo-b (cluster.silence_s is 2)", "still heard of: rank 0 on halo-a",
               "rank 0 on halo-a, 0 s ago: waits ", "rank 1 on halo-b, "});
}
