// The texts are Open MPI 4.1.4's, as mpirun's standard error had them where ranks could not come up.
#include "engine/run/launch/mpi_words.h"

#include <catch2/catch.hpp>

#include "engine/run/launch/cause.h"

using namespace halo;

namespace {

using Lines = std::vector<std::string>;

const std::string kRuler(74, '-');

ClusterSettings overHosts() {
  ClusterSettings cluster;
  cluster.launcher = "hosts";
  cluster.hosts = {"halo-a:1", "halo-b:2"};
  cluster.workers = 3;
  return cluster;
}

Lines joined(const std::vector<Lines>& parts) {
  Lines all;
  for (const Lines& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Lines unreached(const std::string& first, const std::string& second, const std::string& tried) {
  return {kRuler,
          "At least one pair of MPI processes are unable to reach each other for",
          "MPI communications.  This means that no Open MPI device has indicated",
          "specify the \"self\" BTL.",
          "",
          "  Process 1 ([[28154,1],0]) is on host: " + first,
          "  Process 2 ([[28154,1],1]) is on host: " + second,
          "  BTLs attempted: " + tried,
          "",
          "Your MPI job is now going to abort; sorry.",
          kRuler};
}

Lines initFails(const std::string& host) {
  return {"[" + host + ":20931] *** An error occurred in MPI_Init_thread",
          "[" + host + ":20931] *** reported by process [1027735553,1]",
          "[" + host + ":20931] *** on a NULL communicator", "[" + host + ":20931] *** Unknown error"};
}

Cause of(const Lines& log, bool heard = false) {
  return causeOfDeath(log, {1, 0}, overHosts(), std::nullopt, heard);
}

}  // namespace

TEST_CASE("a host whose ranks find no room for what they share is named with the file", "[run]") {
  const Cause cause = of(joined(
      {{kRuler,
        "It appears as if there is not enough space for /dev/shm/vader_segment.halo-b.0.3d320001.0 (the "
        "shared-memory backing",
        "file). It is likely that your MPI job will now either abort or experience",
        "performance degradation.", "", "  Local host:  halo-b", "  Space Requested: 4194312 B",
        "  Space Available: 1048576 B", kRuler},
       unreached("halo-b", "halo-b", "self"),
       initFails("halo-b")}));
  CHECK(cause.exitStatus == 5);
  CHECK(cause.saysAll);
  CHECK(cause.message ==
        "the MPI environment could not start on halo-b: /dev/shm/vader_segment.halo-b.0.3d320001.0 takes "
        "4194312 B, and its folder has room for 1048576 B; make room in /dev/shm");
}

TEST_CASE("a host whose temporary folder is full or not writable is named with it", "[run]") {
  const Cause full =
      of({"[vm:00401] plm:rsh: Warning: setpgid(408,408) failed in parent with "
          "errno=Permission denied(13)",
          "[halo-b:00424] PMIX ERROR: OUT-OF-RESOURCE in file ../../../src/client/pmix_client.c "
          "at line 323",
          "*** An error occurred in MPI_Init_thread", "*** on a NULL communicator",
          "[halo-b:00424] Local abort before MPI_INIT completed completed successfully", kRuler,
          "  Process name: [[28015,1],1]", "  Exit code:    1", kRuler});
  CHECK(full.exitStatus == 5);
  CHECK(full.message ==
        "the MPI environment could not start on halo-b: there is no room for the files that its ranks share; "
        "make room in the folder that TMPDIR names, or in /tmp where it names none");
  const Cause locked = of(
      {kRuler, "A call to mkdir was unable to create the desired directory:", "",
       "  Directory: /var/tmp/ompi.halo-b.0", "  Error:     Read-only file system", "", kRuler,
       "[halo-b:00389] [[28039,0],2] ORTE_ERROR_LOG: Error in file ../../../orte/util/session_dir.c at line "
       "107",
       kRuler, "It looks like orte_init failed for some reason; your parallel process is", "",
       "  orte_session_dir failed", "  --> Returned value Error (-1) instead of ORTE_SUCCESS", kRuler, kRuler,
       "ORTE was unable to reliably start one or more daemons.", kRuler});
  CHECK(locked.exitStatus == 5);
  CHECK(locked.message ==
        "the MPI environment could not start on halo-b: the folder /var/tmp/ompi.halo-b.0 cannot be made: "
        "Read-only file system; see that TMPDIR names a folder that you may write on every host");
}

TEST_CASE("a network without an interface is named where no other way is left", "[run]") {
  const Lines warning = {kRuler,
                         "WARNING: An invalid value was given for btl_tcp_if_include.  This",
                         "value will be ignored.",
                         "",
                         "  Local host: halo-b",
                         "  Value:      203.0.113.0/24",
                         "  Message:    Did not find interface matching this subnet",
                         kRuler};
  const Cause cause = of(joined({warning, unreached("halo-a", "halo-b", "self"), initFails("halo-b")}));
  CHECK(cause.message ==
        "the MPI environment could not start on halo-b: no interface is in btl_tcp_if_include = "
        "203.0.113.0/24 (Did not find interface matching this subnet); see that "
        "OMPI_MCA_btl_tcp_if_include names a network that every host has an interface of");
  CHECK_FALSE(whatMpiLacks(warning));  // MPI goes on
}

TEST_CASE("two hosts that cannot reach each other are both named, also once ranks were heard of", "[run]") {
  const bool heard = GENERATE(false, true);
  const Lines log = joined({unreached("halo-a", "halo-b", "self"),
                            {"[halo-b:00282] *** An error occurred in MPI_Allreduce",
                             "[halo-b:00282] *** reported by process [1845100545,1]"}});
  CHECK(of(log, heard).exitStatus == 5);
  CHECK(of(log, heard).message ==
        "the MPI environment could not start: no message can go between halo-a and halo-b (tried: self); see "
        "that OMPI_MCA_btl_tcp_if_include names a network that both are in");
}

TEST_CASE("variables that tune a transport are not blamed, and one that chooses networks is", "[run]") {
  const Lines log = unreached("halo-a", "halo-b", "self");
  REQUIRE(::setenv("OMPI_MCA_btl_vader_backing_directory", "/tmp", 1) == 0);
  const std::string tuned = of(log).message;
  REQUIRE(::unsetenv("OMPI_MCA_btl_vader_backing_directory") == 0);
  REQUIRE(::setenv("OMPI_MCA_btl_tcp_if_exclude", "eth0", 1) == 0);
  const std::string excluded = of(log).message;
  REQUIRE(::unsetenv("OMPI_MCA_btl_tcp_if_exclude") == 0);
  CHECK_THAT(tuned, !Catch::Contains("backing_directory"));
  CHECK_THAT(excluded, Catch::Contains("the environment sets OMPI_MCA_btl_tcp_if_exclude; unset it"));
}

TEST_CASE("unlike versions of Open MPI are named with their hosts", "[run]") {
  const Cause cause =
      of({kRuler, "Open MPI detected a mismatch in versions between two processes.  This", "MPI.", "",
          "  Local host:             vm", "  Local process name:     [[28154,0],0]",
          "  Local Open MPI version: 4.1.4", "  Peer host:              halo-b",
          "  Peer process name:      [[28154,0],2]", "  Peer Open MPI version:  4.0.3", kRuler,
          "ORTE was unable to reliably start one or more daemons."});
  CHECK(cause.exitStatus == 5);
  CHECK_THAT(cause.message,
             Catch::Contains("Open MPI is version 4.1.4 on vm and 4.0.3 on halo-b; install one "
                             "version of Open MPI on every host"));
}

TEST_CASE("a start that fails for no known reason names host and part, and mpirun's lines stay", "[run]") {
  const Lines log =
      joined({{kRuler, "It looks like MPI_INIT failed for some reason; your parallel process is",
               "fail during MPI_INIT; some of which are due to configuration or environment",
               "developer):", "", "  ompi_mpi_init: ompi_rte_init failed",
               "  --> Returned \"Error\" (-1) instead of \"Success\" (0)", kRuler},
              initFails("halo-b")});
  const Cause cause = of(log);
  CHECK(cause.exitStatus == 5);
  CHECK_FALSE(cause.saysAll);
  CHECK(cause.message ==
        "the MPI environment could not start on halo-b: ompi_mpi_init: ompi_rte_init failed: \"Error\" (-1); "
        "see "
        "that `mpirun --host halo-b:2 -n 2 true` works");
  CHECK_THAT(causeOfDeath(log, {1, 0}, {}, std::nullopt, false).message,  // here
             Catch::StartsWith("the MPI environment could not start: ompi_mpi_init"));
}

TEST_CASE("a line of Open MPI's begins with host and process", "[run]") {
  CHECK(hostBefore("[node10.lab:77] *** An error") == "node10.lab");
  CHECK(hostBefore("[[28039,0],2] ORTE_ERROR_LOG").empty());
  CHECK(hostBefore("a [vm:7] line").empty());
  CHECK(hostBefore("[vm:x7] line").empty());
  CHECK(hostBefore("").empty());
}
