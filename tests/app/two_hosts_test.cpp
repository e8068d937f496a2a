// Launcher `hosts` on two real hosts: what trains on them, and what happens where one is not as it should be.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/span_stream.h"
#include "engine/record/trace/message_numbers.h"
#include "tests/app/two_hosts_run.h"

using namespace halo::test;

namespace {

const std::string kTwoMethods =
    "[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"vanilla\"\ncluster.launcher = \"local\"\n"
    "[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = \"pipegcn\"\ncluster.launcher = \"local\"\n";

/// Runs of hosts.toml in pairs: on two hosts, then on this machine.
void checkSameLosses(const std::string& out, int pairs) {
  const auto losses = lossesByRun(out);
  REQUIRE(losses.size() == static_cast<std::size_t>(2 * pairs));
  for (int pair = 0; pair < pairs; ++pair) {
    const auto& hostLosses = losses.at(2 * pair + 1);
    const auto& localLosses = losses.at(2 * pair + 2);
    REQUIRE(hostLosses.size() == localLosses.size());
    // gradients may be summed in another order: their rounding
    for (std::size_t e = 0; e < localLosses.size(); ++e)
      CHECK(hostLosses[e] == Approx(localLosses[e]).epsilon(1e-6));
  }
}

/// Epochs of a run in which its two ranks were not at work at the same time. Of two clocks nothing closer
/// than `uncertaintyNs` is known.
int epochsApart(halo::Database& db, std::int64_t run, std::int64_t uncertaintyNs) {
  std::map<int, std::vector<halo::Span>> epochs;
  halo::forEachSpan(
      halo::Spans(db), run,
      [&](std::int64_t, halo::Lane, const halo::Span& span) {
        if (span.name == halo::Name::epoch) epochs[span.epoch].push_back(span);
      },
      halo::Lane::phase);
  CHECK(epochs.size() == 5);
  int apart = 0;
  for (const auto& [epoch, spans] : epochs)
    apart += spans.size() == 2 && spans[0].beginNs < spans[1].endNs() + uncertaintyNs &&
                     spans[1].beginNs < spans[0].endNs() + uncertaintyNs
                 ? 0
                 : 1;
  return apart;
}

using Messages = std::set<std::pair<std::int64_t, std::int64_t>>;  // sender and number

/// What four ranks of a run sent, two on each host.
struct Sending {
  Messages between, moved;  // to the other host, and handed over by the progress engine
  Messages within;
};

Sending sendingOf(halo::Database& db, std::int64_t run) {
  Sending sending;
  halo::forEachSpan(
      halo::Spans(db), run,
      [&](std::int64_t rank, halo::Lane, const halo::Span& span) {
        if (!halo::isSent(span.message)) return;
        const std::int64_t number = span.message * 4 + span.peer;
        if (span.name == halo::Name::send)
          (rank / 2 == span.peer / 2 ? sending.within : sending.between).emplace(rank, number);
        if (span.name == halo::Name::queued) sending.moved.emplace(rank, number);
      },
      halo::Lane::message);
  return sending;
}

}  // namespace

TEST_CASE("two hosts give the losses of one machine", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Ended ended = haloscope({"run", haloscope.experiment("10", kTwoMethods), "--json"});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  checkSameLosses(ended.out, 2);
  CHECK(holds(haloscope.log(1), "ranks talk over "));
  CHECK(holds(haloscope.log(1), "which reaches all hosts"));
  CHECK(haloscope.here()({"check"}).status == 0);
}

// MPI alone moves nothing while ranks compute.
TEST_CASE("the progress engine moves what travels between hosts, and nothing within one", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Ended ended =
      haloscope({"run",
                 haloscope.experiment("3",
                                      "[[run]]\nmethod = \"vanilla\"\ncluster.workers = 4\ncluster.hosts = "
                                      "[\"halo-a:2\", \"halo-b:2\"]\n[[run]]\nmethod = "
                                      "\"vanilla\"\ncluster.workers = 4\ncluster.launcher = \"local\"\n"),
                 "--json"});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  halo::Database db(haloscope.folder() / "recordings.db", halo::Access::readOnly);
  const Sending onHosts = sendingOf(db, 1), local = sendingOf(db, 2);
  CHECK_FALSE(onHosts.within.empty());
  CHECK_FALSE(onHosts.between.empty());
  CHECK(onHosts.moved == onHosts.between);
  CHECK_FALSE(local.between.empty());
  CHECK(local.moved.empty());
}

TEST_CASE("a slow cable changes no loss", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Meanwhile slow(*hosts,
                       "for h in halo-a halo-b; do tc qdisc replace dev v$h root tbf rate 2mbit burst 16kb "
                       "latency 400ms; done",
                       "for h in halo-a halo-b; do tc qdisc del dev v$h root; done");
  const Ended ended = haloscope({"run", haloscope.experiment("5", kTwoMethods), "--json"});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  checkSameLosses(ended.out, 2);
  CHECK(haloscope.here()({"check"}).status == 0);
}

TEST_CASE("a host with little room in /dev/shm changes no loss, and the run's log names it", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const std::string remount = "nsenter --target $(cat halo-b.pid) --mount -- mount -o remount,size=";
  const Meanwhile small(*hosts, remount + "64k /dev/shm", remount + "50% /dev/shm");
  const Ended ended =
      haloscope({"run",
                 haloscope.experiment("5",
                                      "[[run]]\nmethod = \"vanilla\"\ncluster.workers = 4\ncluster.hosts = "
                                      "[\"halo-a:2\", \"halo-b:2\"]\n[[run]]\nmethod = "
                                      "\"vanilla\"\ncluster.workers = 4\ncluster.launcher = \"local\"\n"),
                 "--json"});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  checkSameLosses(ended.out, 1);
  CHECK(holds(haloscope.log(1), "Local host:  halo-b"));
}

TEST_CASE("a host that answers with another key is named before anything trains", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Meanwhile otherKey(*hosts,
                           "cp known_hosts right_hosts; { grep halo-a right_hosts; echo halo-b $(cat "
                           "other_key.pub); } >known_hosts",
                           "mv right_hosts known_hosts");
  const Ended ended =
      haloscope({"run", haloscope.experiment("3", "[[run]]\nmethod = \"vanilla\"\n"), "--json"});
  INFO(ended.out);
  CHECK(ended.status == 5);
  CHECK(holds(ended.out, "the host halo-b cannot be used: "));
  CHECK(holds(ended.out, "ost key verification failed"));
  CHECK(holds(ended.out, "haloscope doctor halo-b"));
}

TEST_CASE("a host without the worker is named, and what to do", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  hosts->doOnB(std::string("mount -t tmpfs tmpfs ") + halo::kBinDir);
  const Meanwhile noWorker(
      *hosts, "true", std::string("nsenter --target $(cat halo-b.pid) --mount -- umount ") + halo::kBinDir);
  const Ended ended =
      haloscope({"run", haloscope.experiment("3", "[[run]]\nmethod = \"vanilla\"\n"), "--json"});
  INFO(ended.out);
  INFO(haloscope.log(1));
  CHECK(ended.status == 5);
  CHECK(holds(ended.out, "halo-b"));
  CHECK(holds(ended.out, "haloscope-worker"));
  const Ended doctor = haloscope({"doctor", "halo-b", "--json"});
  INFO(doctor.out);
  CHECK(doctor.status == 5);
  CHECK(holds(doctor.out, "worker halo-b"));
  CHECK(holds(doctor.out, "haloscope-worker is not there"));
}

TEST_CASE("a host with another version of the worker is named, and both versions", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const std::string worker = std::string(halo::kBinDir) + "/haloscope-worker";
  hosts->doOnB(
      "cp " + worker +
      " real-worker; printf '%s\\n' '#!/bin/sh' \"printf '\\036haloscope-beat 1 0 0.0.9 "
      "halo-b works\\\\n' >&2\" \"exec $PWD/real-worker\" >old-worker; chmod +x old-worker; mount --bind "
      "old-worker " +
      worker);
  const Meanwhile old(*hosts, "true", "nsenter --target $(cat halo-b.pid) --mount -- umount " + worker);
  const Ended ended =
      haloscope({"run", haloscope.experiment("1000000", "[[run]]\nmethod = \"vanilla\"\n"), "--json"});
  INFO(ended.out);
  CHECK(ended.status == 5);
  CHECK(holds(ended.out, "haloscope-worker on halo-b is version 0.0.9, and this is version " HALO_VERSION));
}

TEST_CASE("clocks two seconds apart either way are found out, and the times are of one clock",
          "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  if (!hosts->shifted()) {
    WARN("SKIPPED: this kernel has no time namespaces");
    return;
  }
  const HostsProgram haloscope(*hosts);
  const Ended ended =
      haloscope({"run",
                 haloscope.experiment("5",
                                      "[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = "
                                      "\"vanilla\"\ncluster.hosts = [\"halo-b:1\", \"halo-a:1\"]\n"),
                 "--json"});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  halo::Database db(haloscope.folder() / "recordings.db", halo::Access::readOnly);
  constexpr std::int64_t kAhead = 2'000'000'000;
  for (const std::int64_t run : {1, 2}) {
    const auto workers = halo::Runs(db).workers(run);
    REQUIRE(workers.size() == 2);
    const std::int64_t expected = run == 1 ? -kAhead : kAhead;
    CAPTURE(run, workers[1].clockOffsetNs, workers[1].clockUncertaintyNs);
    CHECK(workers[0].clockOffsetNs == 0);
    CHECK(std::abs(workers[1].clockOffsetNs - expected) <= workers[1].clockUncertaintyNs);
    CHECK(workers[1].clockUncertaintyNs < kAhead / 10);
    CHECK(epochsApart(db, run, workers[1].clockUncertaintyNs) == 0);
  }
  CHECK(haloscope.here()({"check"}).status == 0);
}

TEST_CASE("doctor measures the network between two hosts, as a link that experiments take", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Ended ended = haloscope({"doctor", "halo-a", "halo-b", "--json"});
  INFO(ended.out + ended.error);
  std::string network, link, wire;
  for (const auto& finding : jsonLines(ended.out)) {
    if (finding.at("what") == "network halo-a – halo-b") network = finding.at("found");
    if (finding.at("what") == "as a link") link = finding.at("found");
    if (finding.at("what") == "as a wire") wire = finding.at("found");
  }
  CHECK_THAT(network, Catch::Contains("Gbit/s one way, ") && Catch::Contains("Gbit/s each way at once, ") &&
                          Catch::EndsWith("µs latency"));
  const std::string before = "cluster.link = ";
  if (link.starts_with("withheld: ")) {
    CHECK(wire ==
          link);  // other programs use the machine; what was measured then is judged in network_test.cpp
    return;
  }
  REQUIRE(link.starts_with(before));
  CHECK(wire == "cluster.wire = " + link.substr(before.size()));
  const Program& local = haloscope.here();
  const std::string file =
      local.file("linked.toml",
                 "schema = 1\nname = \"linked\"\n[training]\nepochs = 1\n[cluster]\nworkers = 2\nlink = " +
                     link.substr(before.size()) + "\n[[run]]\nmethod = \"vanilla\"\n");
  CHECK(local({"run", file, "--dry-run"}).status == 0);
}

TEST_CASE("doctor names the host that it cannot measure to, and measures none", "[app][hosts]") {
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const Ended ended = HostsProgram(*hosts)({"doctor", "halo-a", "halo-nowhere", "--json"});
  CHECK(ended.status == 5);
  for (const auto& finding : jsonLines(ended.out)) CHECK_FALSE(finding.at("what") == "as a link");
  CHECK_THAT(ended.out, Catch::Contains("host halo-nowhere"));
}
