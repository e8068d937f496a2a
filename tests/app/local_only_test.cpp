// What a run on this machine lets others reach, and what it leaves behind.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/app/program.h"
#include "tests/support/descendants.h"
#include "tests/support/goes_on.h"

using namespace halo::test;
namespace fs = std::filesystem;

namespace {

/// Sockets that the process has open, by inode, as the kernel names them.
std::set<std::string> socketsOf(pid_t process) {
  std::set<std::string> sockets;
  std::error_code ended;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", ended)) {
    const std::string link = fs::read_symlink(entry.path(), ended).string();
    if (link.starts_with("socket:[")) sockets.insert(link.substr(8, link.size() - 9));
  }
  return sockets;
}

/// Addresses on which one of `sockets` listens, as /proc/net writes them.
std::vector<std::string> listening(const std::set<std::string>& sockets) {
  std::vector<std::string> addresses;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(table);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::istringstream fields(line);
      std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
      fields >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >>
          inode;
      if (state == "0A" && sockets.contains(inode)) addresses.push_back(local.substr(0, local.find(':')));
    }
  }
  return addresses;
}

/// Folders in /dev/shm of which the process maps a file.
std::set<std::string> sharedFoldersOf(pid_t process) {
  std::set<std::string> folders;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find("/dev/shm/haloscope-");
    if (at != std::string::npos) folders.insert(line.substr(at, line.find('/', at + 9) - at));
  }
  return folders;
}

std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("a run on this machine listens on the loopback interface alone", "[app]") {
  const std::set<std::string> loopback = {"0100007F", "00000000000000000000000001000000"};
  const Program haloscope;
  Process process(Program::command({"run", haloscope.experiment(1'000'000, 3), "--json"}),
                  haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  std::set<std::string> sockets;
  bool ranks = false;
  for (const auto& [id, name] : descendants(process.id())) {
    sockets.merge(socketsOf(id));
    ranks = ranks || name.starts_with("haloscope-worke");
  }
  CHECK(ranks);
  const std::vector<std::string> addresses = listening(sockets);
  CHECK_FALSE(addresses.empty());  // mpirun does listen for its own
  for (const std::string& address : addresses) CHECK(loopback.contains(address));
  process.signal(SIGTERM);
  process.wait();
}

TEST_CASE("what a killed run left in the temporary folder and in shared memory goes with the next run",
          "[app]") {
  const Program haloscope;
  const fs::path temporary = haloscope.folder() / "tmp";
  fs::create_directory(temporary);
  fs::create_directories(temporary / "ompi.other.0/pid.1");
  const std::map<std::string, std::string> environment = {{"TMPDIR", temporary.string()}};
  const std::string file = haloscope.experiment(1'000'000, 2);
  std::set<std::string> shared;
  {
    Process process(Program::command({"run", file, "--json"}), haloscope.environment(environment),
                    haloscope.folder());
    REQUIRE(process.waitFor("\"event\":\"epoch\""));
    std::vector<pollfd> started;
    for (const auto& [id, name] : descendants(process.id())) {
      shared.merge(sharedFoldersOf(id));
      started.push_back({static_cast<int>(::syscall(SYS_pidfd_open, id, 0)), POLLIN, 0});
    }
    process.signal(SIGKILL);
    process.wait();
    constexpr int kPatienceMs = 60'000;
    for (pollfd& each : started) {  // until they end they hold the folder's lock
      CHECK((each.fd < 0 || ::poll(&each, 1, kPatienceMs) == 1));
      ::close(each.fd);
    }
  }
  if (shared.empty()) WARN("SKIPPED in part: /dev/shm has no room for the ranks' segments");
  // any run on this machine may have taken those in shared memory by now
  const auto withoutSqlites =
      [&] {  // it unlinks a file of its own once that is open; a kill may come between
        std::set<std::string> names = namesIn(temporary);
        std::erase_if(names, [](const std::string& name) { return name.starts_with("etilqs_"); });
        return names;
      };
  CHECK(withoutSqlites().size() == 2);
  REQUIRE(haloscope({"run", file, "--set", "training.epochs=1"}, environment).status == 0);
  CHECK(withoutSqlites() == std::set<std::string>{"ompi.other.0"});
  for (const std::string& folder : shared) CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("a run whose mpirun is killed fails in a sentence and leaves no folder", "[app]") {
  const Program haloscope;
  const fs::path temporary = haloscope.folder() / "tmp";
  fs::create_directory(temporary);
  const std::map<std::string, std::string> environment = {{"TMPDIR", temporary.string()}};
  Process process(Program::command({"run", haloscope.experiment(1'000'000, 2), "--json"}),
                  haloscope.environment(environment), haloscope.folder());
  REQUIRE(process.waitFor("\"event\":\"epoch\""));
  for (const auto& [id, name] : descendants(process.id()))
    if (name == "mpirun") ::kill(id, SIGKILL);
  const Ended ended = process.wait();
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 1);
  CHECK(holds(ended.error, "run 1: failed: "));
  const std::string file = haloscope.experiment(1, 1);
  CHECK(haloscope({"run", file}, environment).status == 0);
  CHECK(namesIn(temporary).empty());
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a partitioner that needs MPI is reached by nobody and keeps no folder", "[app]") {
  const Program haloscope;
  const fs::path temporary = haloscope.folder() / "tmp";
  fs::create_directory(temporary);
  const std::string simulation =
      haloscope.file("simulation.toml",
                     "schema = 1\n[dataset]\nname = \"cora-like\"\n[partition]\nmethod = \"hypergraph\"\n"
                     "[[simulate]]\ncluster = \"emulated-10gbe\"\nmethod = \"vanilla\"\nworkers = 64\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"partition", "cora-like", "--method", "hypergraph", "--parts", "64"},
        std::vector<std::string>{"simulate", simulation}}) {
    CAPTURE(words.front());
    Process process(Program::command(words), haloscope.environment({{"TMPDIR", temporary.string()}}),
                    haloscope.folder());
    std::vector<std::string> addresses;
    std::set<std::string> names;
    int looks = 0;
    for (; goesOn(process); ++looks) {
      if (addresses.empty()) addresses = listening(socketsOf(process.id()));
      names.merge(namesIn(temporary));
    }
    CHECK(process.wait().status == 0);
    CHECK(looks > 0);
    CHECK(addresses == std::vector<std::string>());
    CHECK(names == std::set<std::string>());
  }
}

TEST_CASE("a temporary folder that takes too few files is refused in our words", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.experiment(1, 2);
  fs::create_directory(haloscope.folder() / "few");
  const std::string script =
      "mount -t tmpfs -o nr_inodes=12 none few || exit 99; TMPDIR=$PWD/few exec \"$0\" run " + file;
  const auto ended = mounted(haloscope, script);
  if (!ended) return;
  CAPTURE(ended->error);
  CHECK(ended->status == 5);
  CHECK(holds(ended->error, "few: takes "));
  CHECK(holds(ended->error, "remove files there, or set TMPDIR to a folder that takes more"));
}

TEST_CASE("an empty TMPDIR counts as none", "[app]") {
  const Program haloscope;
  const Ended ended = haloscope({"run", haloscope.experiment(1, 2)}, {{"TMPDIR", ""}});
  CAPTURE(ended.error);
  CHECK(ended.status == 0);
}
