#include "app/machine/doctor.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "app/machine/network.h"
#include "app/machine/opencl_finding.h"
#include "app/machine/worker_there.h"
#include "app/program/known.h"
#include "app/program/places.h"
#include "app/report/table.h"
#include "engine/base/parallel.h"
#include "engine/base/problem.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/launch/measure_hosts.h"
#include "engine/run/launch/process.h"
#include "engine/run/launch/single_copy.h"

namespace halo {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;
constexpr double kMiB = 1024.0 * 1024.0;

/// Runs a program to its end.
Answered ask(const Launch& launch) {
  Answered answer;
  ChildProcess child(launch);
  while (child.read(
      100, [&](std::string_view text) { answer.output += text; },
      [&](std::string_view text) { answer.error += text; })) {
  }
  answer.status = child.wait().status;
  return answer;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

Finding mpi() {
  const fs::path mpirun = findProgram("mpirun");
  if (mpirun.empty()) return {"MPI", State::missing, "mpirun is not on the PATH", "apt install openmpi-bin"};
  const Answered version = ask({{mpirun.string(), "--version"}, {}});
  if (version.status != 0)
    return {"MPI", State::missing, mpirun.string() + " does not run: " + firstLine(version.error),
            "apt install --reinstall openmpi-bin"};
  return {"MPI", State::good, firstLine(version.output) + ", " + mpirun.string(), ""};
}

Finding twoRanks() {
  const fs::path probe = findProgram("true");
  if (findProgram("mpirun").empty() || probe.empty())
    return {"two ranks", State::missing, "not tried", "install MPI first"};
  RunSettings run;
  run.cluster.workers = 2;
  const Answered answer = ask(launchWorkers(run, probe));
  if (answer.status == 0) return {"two ranks", State::good, "mpirun starts them", ""};
  return {"two ranks", State::missing, "mpirun cannot start them: " + firstLine(answer.error),
          "run it by hand and mend what it says: mpirun --oversubscribe -np 2 true"};
}

Finding workerProgram() {
  const fs::path worker = siblingProgram("haloscope-worker");
  if (::access(worker.c_str(), X_OK) == 0) return {"worker", State::good, worker.string(), ""};
  return {"worker", State::missing, worker.string() + " is not there",
          "install or build it beside haloscope"};
}

Finding cores() {
  const int usable = availableCores();
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  const std::string cores = fmt::format("{} usable of {}", usable, all);
  if (usable > 1) return {"cores", State::good, cores, ""};
  return {"cores", State::poor, cores,
          "several workers share one core: runs are marked oversubscribed; allow more cores"};
}

/// A number behind `key` of /proc/meminfo, bytes; 0 if absent.
double memoryFigure(const std::string& key) {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key + ":")) return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024.0;
  return 0;
}

/// What may be used, and whether a control group limits it.
std::pair<double, bool> memoryAtHand() {
  const double available = memoryFigure("MemAvailable");
  std::ifstream in("/sys/fs/cgroup/memory.max");
  if (double most = 0; in >> most && most < available) return {most, true};
  return {available, false};
}

Finding memory() {
  const auto [available, limited] = memoryAtHand();
  const std::string memory =
      fmt::format("{} available of {}{}", byteText(available), byteText(memoryFigure("MemTotal")),
                  limited ? " (limit of the control group)" : "");
  if (available >= 1024 * kMiB) return {"memory", State::good, memory, ""};
  return {"memory", State::poor, memory, "only small graphs will fit; close programs or raise the limit"};
}

double freeBytes(const fs::path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) return -1;
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
}

Finding sharedMemory() {
  const double available = freeBytes("/dev/shm");
  if (available >= 64 * kMiB)
    return {"shared memory", State::good, byteText(available) + " free in /dev/shm", ""};
  return {"shared memory", State::poor,
          available < 0 ? "/dev/shm is not there" : byteText(available) + " free in /dev/shm",
          "ranks then talk through files in the temporary folder, slower; in a container: --shm-size=1g"};
}

Finding messageCopies() {
  if (processesReadEachOther())
    return {"messages", State::good, "copied once between ranks of this host", ""};
  return {"messages", State::poor, "copied twice: processes may not read each other's memory here",
          "in a container: --cap-add=SYS_PTRACE; overlap hides less without it"};
}

std::string simd() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")) return "AVX-512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "AVX2";
  return "SSE2 only";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "none known";
#endif
}

Finding arithmetic() { return {"arithmetic", State::good, simd(), ""}; }

Finding display() {
  for (const char* name : {"WAYLAND_DISPLAY", "DISPLAY"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      return {"display", State::good, fmt::format("{}={}", name, value), ""};
  return {"display", State::poor, "none",
          "the window needs one (ssh -X, or Xvfb); the command line and haloscope-desktop --render do not"};
}

Finding disk(const fs::path& recording) {
  const fs::path folder = fs::absolute(recording).parent_path();
  const double available = freeBytes(folder);
  const std::string where = folder.string();
  if (available < 0)
    return {"disk", State::missing, where + " is not there", "make the folder, or name another with --db"};
  if (::access(folder.c_str(), W_OK) != 0)
    return {"disk", State::missing, where + " cannot be written", "name a recording elsewhere with --db"};
  if (available >= 256 * kMiB) return {"disk", State::good, byteText(available) + " free in " + where, ""};
  return {"disk", State::poor, byteText(available) + " free in " + where,
          "make room, or name a recording elsewhere with --db"};
}

/// What `command` says on that host, asked for no password.
Answered askThere(const std::string& ssh, const std::string& host, const std::string& command) {
  return ask({{ssh, "-n", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "--", host, command}, {}});
}

Finding host(const std::string& name) {
  const std::string subject = "host " + name;
  if (!isHostName(name))
    return {subject, State::missing, "is no host name", "a name or address, then :ranks if wanted"};
  const fs::path ssh = findProgram("ssh");
  if (ssh.empty()) return {subject, State::missing, "ssh is not on the PATH", "apt install openssh-client"};
  const std::string address = name.substr(0, name.find(':'));
  const Answered answer = askThere(ssh.string(), address, "command -v orted");
  if (answer.status == 0)
    return {subject, State::good, "reachable, Open MPI is at " + firstLine(answer.output), ""};
  if (answer.status == 255) {
    const std::string why = firstLine(answer.error);
    const bool refusedUs =
        why.find("denied") != std::string::npos || why.find("verification") != std::string::npos;
    return {subject, State::missing, why,
            refusedUs ? "set up a key that needs no password: ssh-copy-id " + address
                      : "see that the host is up, named rightly and runs an ssh server: ssh " + address};
  }
  return {subject, State::missing, "reachable, but has no Open MPI on its PATH",
          "on that host: apt install openmpi-bin"};
}

/// Of a host that ssh reaches.
Finding workerOn(const std::string& name) {
  const std::string worker = siblingProgram("haloscope-worker").string();
  const std::string address = name.substr(0, name.find(':'));
  return workerThere(address, worker, askThere(findProgram("ssh").string(), address, askForVersion(worker)));
}

/// The network between every two hosts.
std::vector<Finding> network(const std::vector<std::string>& hosts) {
  if (hosts.size() < 2)
    return {{"network", State::poor, "not measured: one host", "name two hosts or more, as a run would"}};
  try {
    return networkFindings(hosts, measureHosts(hosts, siblingProgram("haloscope-worker")));
  } catch (const std::exception& error) {
    return {{"network", State::missing, error.what(), "see that `haloscope run` can use these hosts"}};
  }
}

}  // namespace

double availableMemory() { return memoryAtHand().first; }

std::vector<Finding> examine(const fs::path& recording, const std::vector<std::string>& hosts) {
  std::vector<Finding> findings = {mpi(),           twoRanks(),     workerProgram(), cores(),
                                   memory(),        sharedMemory(), messageCopies(), arithmetic(),
                                   openClFinding(), display(),      disk(recording)};
  bool usable = !hosts.empty();
  for (const std::string& name : hosts) {
    findings.push_back(host(name));
    if (findings.back().state == State::good) findings.push_back(workerOn(name));
    usable = usable && findings.back().state == State::good;
  }
  if (usable) std::ranges::move(network(hosts), std::back_inserter(findings));
  return findings;
}

}  // namespace halo
