#include "engine/run/launch/launcher.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/scratch.h"

using namespace halo;

namespace {

RunSettings runOn(const std::string& launcher, std::vector<std::string> hosts = {}) {
  RunSettings run;
  run.cluster.workers = 4;
  run.cluster.launcher = launcher;
  run.cluster.hosts = std::move(hosts);
  return run;
}

bool follows(const std::vector<std::string>& arguments, const std::string& flag, const std::string& value) {
  const auto at = std::find(arguments.begin(), arguments.end(), flag);
  return at != arguments.end() && at + 1 != arguments.end() && *(at + 1) == value;
}

const std::string kWorker = "/bin/true";

}  // namespace

TEST_CASE("host names are told from what only looks like one", "[launcher]") {
  for (const std::string good : {"node1", "node1:8", "10.0.0.3:16", "a-b.example.org", "n"})
    CHECK(isHostName(good));
  for (const std::string bad : {"a;rm -rf ~", "-oProxyCommand=x", "", ":4", "node1:", "node1:0", "node1:x",
                                "a b", "$(id)", "node1,node2", "node1\n", "node-", "x/y"})
    CHECK_FALSE(isHostName(bad));
}

TEST_CASE("the local launcher starts the workers by an argument vector", "[launcher]") {
  const Launch launch = launchWorkers(runOn("local"), kWorker);
  CHECK(launch.arguments.front().ends_with("/mpirun"));
  CHECK(follows(launch.arguments, "-np", "4"));
  CHECK(launch.arguments.back() == kWorker);
}

TEST_CASE("hosts go to mpirun as one argument, and a wrong one is refused by name", "[launcher]") {
  if (findProgram("ssh").empty()) {
    WARN("SKIPPED: ssh is not installed");
    return;
  }
  const Launch launch = launchWorkers(runOn("hosts", {"node1:2", "node2:2"}), kWorker);
  CHECK(follows(launch.arguments, "--host", "node1:2,node2:2"));
  CHECK_FALSE(std::ranges::count(launch.arguments, "--oversubscribe"));
  CHECK(std::ranges::count(launchWorkers(runOn("hosts", {"node1"}), kWorker).arguments, "--oversubscribe") ==
        1);
  try {
    launchWorkers(runOn("hosts", {"node1", "a;rm -rf ~"}), kWorker);
    FAIL("a host name with a command in it was accepted");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("'a;rm -rf ~' is no host name") != std::string::npos);
  }
}

TEST_CASE("on hosts all that listens does so in the networks that reach them", "[launcher]") {
  if (findProgram("ssh").empty()) {
    WARN("SKIPPED: ssh is not installed");
    return;
  }
  const Scratch folder;
  const std::string library = (folder / "haloscope-bind.so").string();
  std::ofstream(library).flush();
  const std::filesystem::path worker = folder / "haloscope-worker";
  std::filesystem::create_symlink(kWorker, worker);
  const Launch launch = launchWorkers(runOn("hosts", {"127.0.0.1"}), worker);
  const std::string network = "127.0.0.0/8";
  CHECK(launch.environment.at("OMPI_MCA_btl_tcp_if_include") == network);
  for (const char* transport : {"OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl"})  // UCX's, too
    CHECK_FALSE(launch.environment.contains(transport));
  CHECK(launch.environment.at("LD_PRELOAD").starts_with(library));
  CHECK(launch.environment.at("HALO_BIND_NETWORKS") == network);
  CHECK(launch.environment.at("OMPI_MCA_orte_launch_agent") ==
        "env LD_PRELOAD=" + library + " HALO_BIND_NETWORKS=" + network + " orted");
  const Launch without = launchWorkers(runOn("hosts", {"127.0.0.1"}), kWorker);
  CHECK(std::ranges::any_of(without.remarks, [](const std::string& remark) {
    return remark.find("haloscope-bind.so") != std::string::npos;
  }));
  ::setenv("OMPI_MCA_btl_tcp_if_include", "eth7", 1);
  const Launch chosen = launchWorkers(runOn("hosts", {"127.0.0.1"}), worker);
  ::unsetenv("OMPI_MCA_btl_tcp_if_include");
  CHECK(std::ranges::any_of(chosen.remarks, [](const std::string& remark) {
    return remark.find("OMPI_MCA_btl_tcp_if_include") != std::string::npos;
  }));
}

TEST_CASE("ranks that the user lets listen do so on the loopback alone", "[launcher]") {
  const Scratch folder;
  std::ofstream((folder / "haloscope-bind.so").string()).flush();
  const std::filesystem::path worker = folder / "haloscope-worker";
  std::filesystem::create_symlink(kWorker, worker);
  const auto isKeptFromRanks = [&] {
    const Launch launch = launchWorkers(runOn("local"), worker);
    CHECK(launch.environment.at("LD_PRELOAD").find("haloscope-bind.so") != std::string::npos);
    return std::ranges::any_of(launch.arguments,
                               [](const std::string& word) { return word.starts_with("LD_PRELOAD="); });
  };
  CHECK(isKeptFromRanks());
  ::setenv("PMIX_MCA_ptl_tcp_if_include", "eth0", 1);
  const std::vector<std::string> remarks = launchWorkers(runOn("local"), worker).remarks;
  ::unsetenv("PMIX_MCA_ptl_tcp_if_include");
  CHECK(remarks ==
        std::vector<std::string>{
            "mpirun listens where PMIX_MCA_ptl_tcp_if_include or _if_exclude of your environment says"});
  ::setenv("OMPI_MCA_btl", "self,tcp", 1);
  const bool kept = isKeptFromRanks();
  ::unsetenv("OMPI_MCA_btl");
  CHECK_FALSE(kept);
}

TEST_CASE("mpirun and the ranks are told a relative TMPDIR by its whole path", "[launcher]") {
  const Scratch folder;
  const std::string before = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  ::setenv("TMPDIR", std::filesystem::relative(folder / ".").c_str(), 1);
  const Launch launch = launchWorkers(runOn("local"), kWorker);
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
  CHECK(std::filesystem::path(launch.environment.at("TMPDIR")).is_absolute());
  CHECK(std::filesystem::path(launch.environment.at("OMPI_MCA_orte_tmpdir_base")).is_absolute());
}

TEST_CASE("slurm needs an allocation and says how to get one", "[launcher]") {
  ::unsetenv("SLURM_JOB_ID");
  try {
    launchWorkers(runOn("slurm"), kWorker);
    FAIL("started outside an allocation");
  } catch (const EnvironmentError& error) {
    CHECK(std::string(error.what()).find("salloc --ntasks=4") != std::string::npos);
  }
  ::setenv("SLURM_JOB_ID", "1", 1);
  const Launch launch = launchWorkers(runOn("slurm"), kWorker);
  ::unsetenv("SLURM_JOB_ID");
  const bool srun = launch.arguments.front().ends_with("/srun");
  CHECK((srun ? std::ranges::count(launch.arguments, "--ntasks=4") == 1
              : follows(launch.arguments, "-np", "4")));
}

TEST_CASE("a missing worker or mpirun is named, with what to install", "[launcher]") {
  CHECK_THROWS_AS(launchWorkers(runOn("local"), "/nowhere/haloscope-worker"), EnvironmentError);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string message;
  try {
    launchWorkers(runOn("local"), kWorker);
  } catch (const EnvironmentError& error) {
    message = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  CHECK(message.find("apt install openmpi-bin") != std::string::npos);
}

TEST_CASE("what an outer mpirun told its own is withheld from ours, and nothing that a user sets",
          "[launcher]") {
  const std::set<std::string> users = {"PATH", "OMPI_MCA_btl", "OMPI_MCA_btl_vader_single_copy_mechanism",
                                       "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_MCA_mpi_yield_when_idle"},
                              jobs = {
                                  "OMPI_COMM_WORLD_SIZE",  "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                  "PMIX_SERVER_URI4",      "OMPI_MCA_ess",         "OMPI_MCA_ess_base_jobid",
                                  "OMPI_MCA_orte_hnp_uri", "OMPI_UNIVERSE_SIZE",   "OMPI_MCA_pmix"};
  std::set<std::string> all = users;
  all.insert(jobs.begin(), jobs.end());
  CHECK(ofOuterJob(all) == jobs);
  CHECK(ofOuterJob(users).empty());
  CHECK(
      ofOuterJob({"OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_MCA_ess"}).empty());  // a user's, outside a job
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  ::setenv("PMIX_RANK", "0", 1);
  const Launch launch = launchWorkers(runOn("local"), kWorker);
  CHECK(launch.withheld.contains("OMPI_COMM_WORLD_SIZE"));
  CHECK(launch.withheld.contains("PMIX_RANK"));
  CHECK_NOTHROW(requireOnlyOne());
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  CHECK_THROWS_AS(requireOnlyOne(), EnvironmentError);
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
  ::unsetenv("PMIX_RANK");
  CHECK_NOTHROW(requireOnlyOne());
}

TEST_CASE("a command line is told as a person would type it", "[launcher]") {
  CHECK(commandLine({{"/usr/bin/mpirun", "-np", "4", "--host", "a:2,b:2"}, {}}) ==
        "/usr/bin/mpirun -np 4 --host a:2,b:2");
  CHECK(commandLine({{"run", "a b; rm -rf ~", "it's", ""}, {}}) == "run 'a b; rm -rf ~' 'it'\\''s' ''");
}
