#include "engine/run/launch/cause.h"

#include <stdlib.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "engine/run/supervisor/ballast.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

const std::string kRuler(74, '-');

ClusterSettings overHosts() {
  ClusterSettings cluster;
  cluster.launcher = "hosts";
  cluster.hosts = {"node1:2", "node10.lab:2"};
  return cluster;
}

}  // namespace

TEST_CASE("a host that ssh cannot reach is named with the way to find out", "[run]") {
  const Cause cause = causeOfDeath({"ssh: Could not resolve hostname node10.lab: Name or service not known",
                                    kRuler, "ORTE was unable to reliably start one or more daemons.", kRuler},
                                   {255, 0}, overHosts(), std::nullopt);
  CHECK(cause.exitStatus == 5);
  CHECK_THAT(cause.message, Catch::StartsWith("the host node10.lab cannot be used: ssh: Could not resolve") &&
                                Catch::Contains("haloscope doctor node10.lab"));
  const Cause unnamed =
      causeOfDeath({kRuler, "ORTE was unable to reliably start one or more daemons.", kRuler}, {255, 0},
                   overHosts(), std::nullopt);
  CHECK(unnamed.exitStatus == 5);
  CHECK_THAT(unnamed.message, Catch::Contains("one of the hosts node1 node10.lab"));
}

TEST_CASE("a host whose key is not the known one is named, though ssh's last word names none", "[run]") {
  const std::string line =
      GENERATE("Host key for node10.lab has changed and you have requested strict checking.",
               "No ED25519 host key is known for node10.lab and you have requested strict checking.");
  const Cause cause =
      causeOfDeath({line, "Host key verification failed."}, {255, 0}, overHosts(), std::nullopt);
  CHECK(cause.exitStatus == 5);
  CHECK_THAT(cause.message,
             Catch::StartsWith("the host node10.lab cannot be used: Host key verification failed.;"));
}

TEST_CASE("a host that lacks the worker is named with what it lacks", "[run]") {
  const Cause cause =
      causeOfDeath({kRuler, "mpirun was unable to launch the specified application as it could not access",
                    "or execute an executable:", "", "Executable: /opt/halo/haloscope-worker", "Node: node1",
                    "", "while attempting to start process rank 1.", kRuler},
                   {132, 0}, overHosts(), std::nullopt);
  CHECK(cause.exitStatus == 5);
  CHECK_THAT(cause.message,
             Catch::StartsWith("/opt/halo/haloscope-worker is not on the host node1 or cannot be run"));
}

TEST_CASE("a worker that ends at once is named with its host, its status and what was said of it", "[run]") {
  const std::string loader =
      "/opt/halo/haloscope-worker: error while loading shared libraries: libmpi.so.40: cannot open shared "
      "object file: No such file or directory";
  const std::vector<std::string> log = {loader,
                                        kRuler,
                                        "Primary job  terminated normally, but 1 process returned",
                                        "a non-zero exit code. Per user-direction, the job has been aborted.",
                                        kRuler,
                                        "mpirun detected that one or more processes exited with non-zero "
                                        "status, thus causing",
                                        "the job to be terminated. The first process to do so was:",
                                        "",
                                        "  Process name: [[26728,1],2]",
                                        "  Exit code:    127",
                                        kRuler};
  ClusterSettings cluster = overHosts();
  cluster.workers = 4;
  const Cause cause = causeOfDeath(log, {127, 0}, cluster, std::nullopt, false);
  CHECK(cause.exitStatus == 5);
  CHECK_THAT(cause.message, Catch::StartsWith("rank 2 on node10.lab ended with status 127 before any rank "
                                              "was heard of: error while loading shared libraries: "
                                              "libmpi.so.40") &&
                                Catch::EndsWith("(haloscope doctor node10.lab looks)"));
  const Cause later = causeOfDeath({log.begin() + 1, log.end()}, {127, 0}, cluster, 7);
  CHECK(later.message == "rank 2 on node10.lab ended with status 127 after epoch 7");
  CHECK(later.exitStatus == 1);
  cluster.workers = 5;  // more than the hosts take
  CHECK_THAT(causeOfDeath(log, {127, 0}, cluster, std::nullopt, false).message,
             Catch::StartsWith("rank 2, on one of the hosts node1 node10.lab, ended with status 127"));
  CHECK_THAT(
      causeOfDeath({log.begin(), log.begin() + 5}, {127, 0}, cluster, std::nullopt, false).message,
      Catch::StartsWith("a worker on one of the hosts node1 node10.lab ended before any rank was heard "
                        "of: error while loading"));  // where all end at once
  CHECK_THAT(causeOfDeath(log, {127, 0}, {}, std::nullopt, false).message,
             Catch::StartsWith("error while loading shared libraries"));  // here
}

TEST_CASE("a task that srun says has left is named with its host", "[run]") {
  ClusterSettings cluster;
  cluster.launcher = "slurm";
  const Cause cause = causeOfDeath({"srun: error: node7: task 3: Exited with exit code 127"}, {127, 0},
                                   cluster, std::nullopt, false);
  CHECK_THAT(cause.message, Catch::StartsWith("rank 3 on node7 ended with status 127"));
}

TEST_CASE("where nobody says which rank ended, the hosts that were not heard of are named", "[run]") {
  CHECK(causeOfDeath({"something broke"}, {3, 0}, overHosts(), std::nullopt, false).message ==
        "the launcher ended with status 3, and no rank was heard of on the hosts node1 node10.lab; its last "
        "line: something broke");
  CHECK(causeOfDeath({"something broke"}, {3, 0}, overHosts(), 7).message ==
        "the launcher ended with status 3; its last line: something broke");
}

TEST_CASE("a daemon lost while the run trained fails that run, and names its host", "[run]") {
  const Cause cause = causeOfDeath({kRuler, "ORTE has lost communication with a remote daemon.", "",
                                    "  HNP daemon   : [[26728,0],0] on node vm",
                                    "  Remote daemon: [[26728,0],2] on node node10.lab", kRuler},
                                   {1, 0}, overHosts(), 7);
  CHECK(cause.exitStatus == 1);
  CHECK_THAT(cause.message, Catch::StartsWith("the host node10.lab was lost after epoch 7: ORTE has lost"));
}

TEST_CASE("what mpirun warns of on the way is not the cause", "[run]") {
  const Cause cause = causeOfDeath(
      {"[node1:7] plm:rsh: Warning: setpgid(8,8) failed in parent with errno=Permission denied(13)",
       "ssh: Could not resolve hostname node10.lab: Name or service not known"},
      {255, 0}, overHosts(), std::nullopt);
  CHECK_THAT(cause.message, Catch::StartsWith("the host node10.lab cannot be used: ssh: Could not resolve"));
}

TEST_CASE("the cause of an end is what somebody said, never a ruler", "[run]") {
  const Cause cause = causeOfDeath({"something broke", kRuler, ""}, {3, 0}, {}, 7);
  CHECK(cause.exitStatus == 1);
  CHECK(cause.message == "the launcher ended with status 3; its last line: something broke");
  CHECK(causeOfDeath({kRuler}, {-1, 9}, {}, 7).message == "the launcher was ended by signal 9");
}

TEST_CASE("what a rank says of itself goes before what mpirun makes of it", "[run]") {
  const Cause cause = causeOfDeath(
      {"haloscope-worker: rank 2: out of luck", kRuler, "MPI_ABORT was invoked on rank 2", kRuler,
       "Set MCA parameter \"orte_base_help_aggregate\" to 0 to see all help / error messages"},
      {1, 0}, {}, std::nullopt);
  CHECK(cause.message == "rank 2: out of luck");
}

TEST_CASE("a rank that was killed is named with the last epoch that is kept", "[run]") {
  const std::string line =
      "mpirun noticed that process rank 1 with PID 77 on node a exited on signal 9 (Killed).";
  CHECK_THAT(causeOfDeath({line}, {137, 0}, {}, 4).message,
             Catch::Contains("rank 1 on a was ended by signal 9 (Killed) after epoch 4") &&
                 Catch::Contains("dmesg"));
  CHECK_THAT(causeOfDeath({line}, {137, 0}, {}, std::nullopt).message,
             Catch::Contains("before the first epoch"));
}

TEST_CASE("that an mpirun was deserted is said of it whatever it says last", "[run]") {
  CHECK(causeOfDeath({"early", kDeserted, "late"}, {-1, 9}, {}, std::nullopt).message ==
        std::string(kDeserted) + "; its last line: late");
  CHECK(causeOfDeath({kDeserted}, {-1, 9}, {}, std::nullopt).message == kDeserted);
}

TEST_CASE("room held beside a recording leaves no file behind", "[run]") {
  const Scratch scratch;
  Ballast ballast(scratch / "r.db");
  CHECK(std::filesystem::is_empty(scratch.path()));
  ballast.release();
  ballast.release();
  CHECK_NOTHROW(Ballast(scratch / "no such folder/r.db"));
}

TEST_CASE("workers that died under a limit of addresses are told of it", "[run]") {
  const std::vector<std::string> log = {
      "terminate called after throwing an instance of 'std::bad_alloc'",
      "mpirun noticed that process rank 0 with PID 7 on node vm exited on signal 6 (Aborted)."};
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  CHECK_THAT(causeOfDeath(log, {134, 0}, {}, std::nullopt).message, Catch::StartsWith("rank 0 on vm was"));
  const rlimit narrow{rlim_t{1} << 46, before.rlim_max};  // sanitizers reserve terabytes for themselves
  REQUIRE(::setrlimit(RLIMIT_AS, &narrow) == 0);
  const Cause cause = causeOfDeath(log, {134, 0}, {}, std::nullopt);
  const Cause other = causeOfDeath({log[1]}, {134, 0}, {}, std::nullopt);
  const Cause crashed = causeOfDeath({"[vm:7] *** End of error message ***"}, {0, 11}, {}, std::nullopt);
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(cause.exitStatus == 5);
  CHECK(crashed.exitStatus == 5);
  CHECK_THAT(crashed.message, Catch::Contains("needed more: mpirun was ended by signal 11; raise the limit"));
  CHECK_THAT(cause.message, Catch::StartsWith("a program may have 67108864 MiB of memory here") &&
                                Catch::Contains("std::bad_alloc") &&
                                Catch::EndsWith("raise the limit with: ulimit -v unlimited"));
  CHECK_THAT(other.message, Catch::StartsWith("rank 0 on vm was"));
}

TEST_CASE("a launcher that cannot start below a gibibyte of addresses is told of the limit", "[run]") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const std::vector<std::string> log = {"[vm:7] [[1,0],0] Unable to start listen thread",
                                        "No network interfaces were found for out-of-band communications."};
  const Cause wide = causeOfDeath(log, {1, 0}, {}, std::nullopt);
  const rlimit narrow{(rlim_t{1} << 30) - 1, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &narrow) == 0);
  const Cause cause = causeOfDeath(log, {1, 0}, {}, std::nullopt);
  const Cause rank =
      causeOfDeath({"It looks like MPI_INIT failed for some reason"}, {1, 0}, {}, std::nullopt);
  const Cause internal =
      causeOfDeath({"[vm:7] PMIX ERROR: ERROR in file gds_ds12_lock_pthread.c"}, {1, 0}, {}, std::nullopt);
  const Cause deserted = causeOfDeath({kDeserted}, {-1, 9}, {}, std::nullopt);
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(wide.exitStatus == 1);
  CHECK(deserted.exitStatus == 5);
  CHECK_THAT(internal.message, Catch::EndsWith("raise the limit with: ulimit -v unlimited"));
  CHECK(cause.exitStatus == 5);
  CHECK(rank.exitStatus == 5);
  CHECK_THAT(cause.message, Catch::StartsWith("a program may have 1023 MiB of memory here") &&
                                Catch::Contains("Unable to start listen thread"));
}

TEST_CASE("an MPI that does not start is told in a sentence that names what the environment sets", "[run]") {
  const std::vector<std::string> log = {
      kRuler,
      "A requested component was not found, or was unable to be opened.",
      "Framework: btl",
      "Component: nosuch",
      kRuler,
      "It looks like MPI_INIT failed for some reason; your parallel process is",
      "[vm:7] ***    and potentially your MPI job)"};
  const std::vector<std::string> parts = {
      "[vm:7] [[1196,0],0] ORTE_ERROR_LOG: Data unpack would read past end"};
  REQUIRE(::setenv("OMPI_MCA_btl", "nosuch", 1) == 0);
  const Cause set = causeOfDeath(log, {1, 0}, {}, std::nullopt, false);
  const Cause brief = causeOfDeath(parts, {1, 0}, {}, std::nullopt, false);
  const Cause late = causeOfDeath(parts, {1, 0}, {}, std::nullopt, true);
  REQUIRE(::unsetenv("OMPI_MCA_btl") == 0);
  CHECK(set.exitStatus == 5);
  CHECK(set.saysAll);
  CHECK_THAT(
      set.message,
      Catch::StartsWith("the MPI environment could not start: Open MPI has no component 'nosuch' of its "
                        "framework btl; the environment sets OMPI_MCA_btl; unset it, or name what is "
                        "installed"));
  CHECK(brief.exitStatus == 5);
  CHECK(brief.saysAll);
  CHECK(late.exitStatus == 1);
  const Cause unset = causeOfDeath(log, {1, 0}, {}, std::nullopt, false);
  CHECK(unset.exitStatus == 5);
  CHECK_THAT(unset.message, !Catch::Contains("OMPI_MCA_btl;") && !Catch::Contains("OMPI_MCA_btl,"));
}
