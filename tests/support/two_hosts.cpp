#include "tests/support/two_hosts.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/descendants.h"
#include "tests/support/places.h"

namespace halo::test {
namespace {

namespace fs = std::filesystem;

bool isThere(const std::string& program) {
  return run({"sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; command -v " + program}).status == 0;
}

/// What the hosts cannot be made for, in words; empty where nothing is known to be missing.
std::string missing() {
  if (::geteuid() != 0) return "this user is not root";
  for (const char* program :
       {"ip", "tc", "sshd", "ssh", "ssh-keygen", "unshare", "nsenter", "setpriv", "mpirun"})
    if (!isThere(program)) return std::string(program) + " is not installed";
  return "";
}

}  // namespace

TwoHosts::TwoHosts() : wrong_(missing()) {
  if (!wrong_.empty()) return;
  process_ = std::make_unique<Process>(std::vector<std::string>{
      "setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--mount", "--net", "--uts", "--ipc",
      "--mount-proc", "--fork", "--kill-child", "sh", std::string(kSourceDir) + "/tests/support/two_hosts.sh",
      scratch_.path().string()});
  if (!process_->waitFor("ready\n")) {
    const Ended ended = process_->wait();
    wrong_ = "no hosts can be made here: " + ended.out + ended.error;
    process_.reset();
    return;
  }
  inner_ = fileText("/proc/" + std::to_string(process_->id()) + "/task/" + std::to_string(process_->id()) +
                    "/children");
  inner_ = inner_.substr(0, inner_.find(' '));
}

TwoHosts* TwoHosts::orSkipped() {
  static TwoHosts hosts;
  if (hosts.wrong_.empty()) return &hosts;
  WARN("SKIPPED: " << hosts.wrong_);
  return nullptr;
}

std::vector<std::string> TwoHosts::between(const fs::path& folder,
                                           const std::vector<std::string>& command) const {
  std::vector<std::string> all = {"nsenter", "--target", inner_,
                                  "--pid",   "--mount",  "--net",
                                  "--uts",   "--ipc",    "--wd=" + folder.string(),
                                  "--",      "setpriv",  "--pdeathsig",
                                  "KILL"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

std::map<std::string, std::string> TwoHosts::environment() const {
  const char* path = std::getenv("PATH");
  return {{"PATH", (folder() / "bin").string() + ":" + (path == nullptr ? "/usr/bin:/bin" : path)}};
}

bool TwoHosts::shifted() const { return fs::exists(folder() / "shifted"); }

void TwoHosts::doBetween(const std::string& commands) const {
  const Ended ended = run(between(folder(), {"sh", "-ec", "PATH=$PATH:/usr/sbin:/sbin; " + commands}));
  if (ended.status != 0) throw std::runtime_error(commands + ": " + ended.out + ended.error);
}

void TwoHosts::doOnB(const std::string& commands) const {
  std::string quoted;
  for (const char c : "cd " + folder().string() + "; " + commands)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  doBetween("nsenter --target $(cat halo-b.pid) --mount --net -- sh -ec '" + quoted + "'");
}

}  // namespace halo::test
