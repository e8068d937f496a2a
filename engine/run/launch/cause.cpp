#include "engine/run/launch/cause.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <regex>

#include "engine/base/problem.h"
#include "engine/run/launch/mpi_words.h"
#include "engine/run/launch/placement.h"

namespace halo {
namespace {

constexpr const char* kFromWorker = "haloscope-worker: ";
constexpr const char* kUnreached = "processes are unable to reach each other";

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// mpirun frames what it says with lines of dashes.
bool isRuler(const std::string& line) { return line.find_first_not_of("- \t\r=*") == std::string::npos; }

std::string nameOf(const std::string& host) { return host.substr(0, host.find(':')); }

std::string namesOf(const ClusterSettings& cluster) {
  std::string all;
  for (const std::string& host : cluster.hosts) all += (all.empty() ? "" : " ") + nameOf(host);
  return all;
}

std::optional<Cause> signalled(const std::vector<std::string>& log, std::optional<std::int64_t> lastEpoch) {
  static const std::regex byRank(
      "process rank ([0-9]+) with PID [0-9]+ on node (\\S+) exited on signal ([0-9]+)(?: \\(([^)]*)\\))?");
  for (const std::string& line : log) {
    std::smatch match;
    if (!std::regex_search(line, match, byRank)) continue;
    const std::string name = match[4].matched ? " (" + match[4].str() + ")" : "";
    const std::string epoch =
        lastEpoch ? "after epoch " + std::to_string(*lastEpoch) : "before the first epoch";
    return Cause{
        "rank " + match[1].str() + " on " + match[2].str() + " was ended by signal " + match[3].str() + name +
            " " + epoch + "; what was recorded until then is kept" +
            (match[3].str() == "9" ? ". Signal 9 without your doing is often the kernel short of memory "
                                     "(see dmesg)"
                                   : ""),
        1};
  }
  return std::nullopt;
}

/// What Open MPI writes where a rank, or mpirun itself, could not come up.
bool failsToInitialise(const std::string& line) {
  for (const char* part : {"orte_init failed", "MPI_INIT failed", "An error occurred in MPI_Init",
                           "detected a mismatch in versions"})
    if (holds(line, part)) return true;
  return false;
}

bool isInternalOfMpi(const std::string& line) {
  return holds(line, "ORTE_ERROR_LOG") || holds(line, "PMIX ERROR");
}

/// With fewer, MPI's threads and shared files may find no room. It says only that it could not start, or a
/// rank dies of it with a lock that mpirun waits for.
constexpr rlim_t kAddressesToStart = rlim_t{1} << 30;

bool couldNotStart(const std::string& line) {
  return holds(line, "Unable to start listen thread") || holds(line, kDeserted) || failsToInitialise(line) ||
         isInternalOfMpi(line);
}

/// Programs reserve far more addresses than they fill, so a limit of them (`ulimit -v`) may end workers
/// anywhere. How much one takes before it can say so depends on the machine.
std::optional<Cause> outOfAddresses(const std::vector<std::string>& log, const ChildProcess::Exit& exit,
                                    const ClusterSettings& cluster) {
  rlimit limit{};
  if (cluster.launcher != "local" || ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  const auto isAbout = [](const std::string& line) {
    for (const char* part : {"bad_alloc", "failed to map segment", "annot allocate memory", "ut of memory",
                             "ot enough memory", "no memory for", "Resource temporarily unavailable"})
      if (holds(line, part)) return true;
    return false;
  };
  auto message = std::ranges::find_if(log, isAbout);
  if (message == log.end() && limit.rlim_cur < kAddressesToStart)
    message = std::ranges::find_if(log, couldNotStart);
  const bool crashed = exit.signal == SIGSEGV || exit.signal == SIGABRT || exit.signal == SIGBUS;
  if (message == log.end() && !crashed) return std::nullopt;
  const std::string words =
      message == log.end() ? "mpirun was ended by signal " + std::to_string(exit.signal) : *message;
  return Cause{"a program may have " + std::to_string(limit.rlim_cur >> 20) +
                   " MiB of memory here, and a worker or mpirun needed more: " + words +
                   "; raise the limit with: ulimit -v unlimited",
               5};
}

/// The longest of the hosts' names that the line holds, or none: "node1" stands in "node10" too.
std::string hostIn(const std::string& line, const ClusterSettings& cluster) {
  std::string named;
  for (const std::string& host : cluster.hosts)
    if (const std::string name = nameOf(host); holds(line, name) && name.size() > named.size()) named = name;
  return named;
}

/// The host that a line is about, or that ssh or mpirun name in a line of their own.
std::string hostOf(const std::string& message, const std::vector<std::string>& log,
                   const ClusterSettings& cluster) {
  std::string named = hostIn(message, cluster);
  for (const std::string& line : log)
    for (const char* part : {"ost key for ", "key is known for ", "Remote daemon:"})
      if (named.empty() && holds(line, part)) named = hostIn(line, cluster);
  return named;
}

/// What ssh said of a host, or what mpirun says when one is lost. Before the first epoch the hosts are not as
/// they should be; later the run lost what it had.
std::optional<Cause> unreachable(const std::vector<std::string>& log, const ClusterSettings& cluster,
                                 std::optional<std::int64_t> lastEpoch) {
  if (cluster.launcher == "local") return std::nullopt;
  const auto isAbout = [](const std::string& line) {
    // mpirun's own, harmless: a process that it started was quicker
    if (holds(line, "plm:rsh: Warning: setpgid")) return false;
    for (const char* part :
         {"ssh: ", "Permission denied", "Host key verification failed", "Connection closed by",
          "Connection timed out", "kex_exchange_identification", "command not found",
          "lost communication with a remote daemon", "unable to reliably start"})
      if (holds(line, part)) return true;
    return false;
  };
  const auto message = std::ranges::find_if(log, isAbout);
  if (message == log.end()) return std::nullopt;
  const std::string named = hostOf(*message, log, cluster);
  const std::string all = namesOf(cluster);
  const std::string who = named.empty() ? "one of the hosts " + all : "the host " + named;
  if (lastEpoch)
    return Cause{who + " was lost after epoch " + std::to_string(*lastEpoch) + ": " + *message +
                     "; what was recorded until then is kept. See that it is up and its network holds",
                 1};
  return Cause{who + " cannot be used: " + *message + "; see that `ssh " + (named.empty() ? "HOST" : named) +
                   " true` works without a password and that Haloscope and Open MPI are installed there "
                   "(haloscope doctor " +
                   (named.empty() ? all : named) + " looks), or change cluster.hosts",
               5};
}

/// What stands behind a label in one of mpirun's lines, or nothing.
std::string after(const std::string& label, const std::vector<std::string>& log) {
  for (const std::string& line : log)
    if (const auto at = line.find(label); at != std::string::npos) {
      const auto begin = line.find_first_not_of(' ', at + label.size());
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  return "";
}

/// mpirun names the program and the node that lacks it, in a line each.
std::optional<Cause> workerMissing(const std::vector<std::string>& log) {
  const std::string worker = after("Executable:", log), host = after("Node:", log);
  if (worker.empty() || host.empty()) return std::nullopt;
  return Cause{
      worker + " is not on the host " + host +
          " or cannot be run there; install the same version of Haloscope at the same place on every "
          "host, or change cluster.hosts",
      5};
}

/// Whether a variable chooses components of Open MPI, or the networks that they use: OMPI_MCA_btl,
/// OMPI_MCA_btl_tcp_if_include. Others tune what was chosen, and are not to blame.
bool choosesComponents(const std::string& name) {
  for (const std::string prefix : {"OMPI_MCA_", "PMIX_MCA_"})
    if (name.starts_with(prefix))
      return name.find('_', prefix.size()) == std::string::npos || name.ends_with("_if_include") ||
             name.ends_with("_if_exclude");
  return false;
}

/// Names of the variables by which the environment chooses Open MPI's components.
std::vector<std::string> mpiVariables() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
    if (const std::string name(*variable, std::strcspn(*variable, "=")); choosesComponents(name))
      names.push_back(visible(name));
  std::ranges::sort(names);
  return names;
}

/// What would be right. Of a component that a variable names, that variable alone is to blame.
std::string remedyOf(const MpiLack& lack, std::vector<std::string> variables, const std::string& host) {
  const bool chosen = !variables.empty() && (lack.bySettings || lack.remedy.empty());
  if (!chosen && !lack.remedy.empty()) return lack.remedy;
  if (variables.empty())
    return fmt::format("see that `mpirun {}-n 2 true` works", host.empty() ? "" : "--host " + host + ":2 ");
  for (const std::string& variable : std::vector(variables))
    if (lack.what.ends_with("framework " + variable.substr(variable.rfind('_') + 1))) variables = {variable};
  return fmt::format("the environment sets {}; unset {}, or name what is installed",
                     fmt::join(variables, " "), variables.size() == 1 ? "it" : "them");
}

/// What Open MPI says of it is long. The host of a local run is this one.
Cause notStarted(const MpiLack& lack, const ClusterSettings& cluster) {
  const std::vector<std::string> variables = mpiVariables();
  const std::string host = cluster.launcher == "local" ? "" : lack.host;
  return Cause{fmt::format("the MPI environment could not start{}{}{}; {}", host.empty() ? "" : " on ", host,
                           lack.what.empty() ? "" : ": " + lack.what, remedyOf(lack, variables, host)),
               5, isKnown(lack) || !variables.empty()};
}

/// No rank came up, and it is known why. That no message can go between two hosts may be found out by the
/// first that is to go, when ranks were heard of.
std::optional<Cause> mpiLacks(const std::vector<std::string>& log, const ClusterSettings& cluster,
                              bool heard) {
  const auto isAbout = [&](const std::string& line) {
    return holds(line, kUnreached) || (!heard && failsToInitialise(line));
  };
  if (std::ranges::none_of(log, isAbout)) return std::nullopt;
  const auto lack = whatMpiLacks(log);
  return lack && isKnown(*lack) ? std::optional(notStarted(*lack, cluster)) : std::nullopt;
}

/// No rank came up. MPI fails on its way, too, where its parts do not agree.
std::optional<Cause> mpiFailed(const std::vector<std::string>& log, const ClusterSettings& cluster) {
  const bool chosen = !mpiVariables().empty();
  const auto isAbout = [&](const std::string& line) {
    return failsToInitialise(line) || (chosen && isInternalOfMpi(line));
  };
  if (std::ranges::none_of(log, isAbout)) return std::nullopt;
  return notStarted(whatMpiLacks(log).value_or(MpiLack{}), cluster);
}

/// What a rank says of itself; or, of a path of the worker, what the loader or a shell says of that program.
std::string saidOf(const std::vector<std::string>& log, bool byPath) {
  for (const std::string& line : log)
    if (const auto at = line.find(kFromWorker);
        at != std::string::npos && (at > 0 && line[at - 1] == '/') == byPath)
      return line.substr(at + std::strlen(kFromWorker));
  return "";
}

/// A rank that left with a status of its own, as mpirun or srun names it.
struct Left {
  std::string rank, host, status;  // host "": not known
};

/// The host where mpirun started the rank, as it fills hosts; "" where it spread ranks by itself.
std::string hostOfRank(std::int64_t rank, const ClusterSettings& cluster) {
  for (const HostRanks& each : ranksByHost(cluster)) {
    if (rank < each.ranks) return each.host;
    rank -= each.ranks;
  }
  return "";
}

std::optional<Left> leftFirst(const std::vector<std::string>& log, const ClusterSettings& cluster) {
  static const std::regex bySrun("srun: error: (\\S+): tasks? ([0-9]+).*: Exited with exit code ([0-9]+)");
  static const std::regex byMpirun("^\\[\\[[0-9]+,[1-9][0-9]*\\],([0-9]{1,9})\\]");  // job 0: its daemons
  std::smatch match;
  for (const std::string& line : log)
    if (std::regex_search(line, match, bySrun)) return Left{match[2], match[1], match[3]};
  const std::string process = after("Process name:", log), status = after("Exit code:", log);
  if (status.empty() || !std::regex_search(process, match, byMpirun)) return std::nullopt;
  return Left{match[1], hostOfRank(std::stoll(match[1]), cluster), status};
}

/// "rank 2 on nodeb ended with status 127", as far as it is known. mpirun names no rank where all end at
/// once.
std::string whoEnded(const std::optional<Left>& left, const ClusterSettings& cluster) {
  const std::string hosts = namesOf(cluster);
  const std::string among = hosts.empty() ? "" : "on one of the hosts " + hosts;
  if (!left) return "a worker " + among + (among.empty() ? "" : " ") + "ended";
  std::string who = "rank " + left->rank;
  if (!left->host.empty())
    who += " on " + left->host;
  else if (!among.empty())
    who += ", " + among + ",";
  return who + " ended with status " + left->status;
}

/// A worker on another host ended without a word to us. Before it is heard of, the host lacks what it needs.
std::optional<Cause> endedThere(const std::vector<std::string>& log, const ClusterSettings& cluster,
                                std::optional<std::int64_t> lastEpoch, bool heard) {
  if (cluster.launcher == "local") return std::nullopt;
  const auto left = leftFirst(log, cluster);
  const std::string said = saidOf(log, true);
  if (!left && said.empty()) return std::nullopt;
  std::string message = whoEnded(left, cluster);
  if (lastEpoch) message += " after epoch " + std::to_string(*lastEpoch);
  if (!heard) message += " before any rank was heard of";
  if (!said.empty()) message += ": " + said;
  if (heard) return Cause{message, 1};
  const std::string looked = left && !left->host.empty() ? left->host : namesOf(cluster);
  return Cause{message + "; see that the same version of Haloscope runs there, with all that it links" +
                   (looked.empty() ? "" : " (haloscope doctor " + looked + " looks)"),
               5};
}

}  // namespace

bool isMpisOwn(const std::string& line) {
  if (line.find_first_not_of("- \t\r") == std::string::npos) return holds(line, "----");
  for (const char* part : {"ORTE_ERROR_LOG", "PMIX ERROR", kDeserted})
    if (holds(line, part)) return true;
  return false;
}

Cause causeOfDeath(const std::vector<std::string>& log, const ChildProcess::Exit& exit,
                   const ClusterSettings& cluster, std::optional<std::int64_t> lastEpoch, bool heard) {
  if (auto cause = outOfAddresses(log, exit, cluster)) return *cause;
  if (auto cause = signalled(log, lastEpoch)) return *cause;
  if (const std::string said = saidOf(log, false); !said.empty()) return {said, 1};
  const auto ended = endedThere(log, cluster, lastEpoch, heard);
  if (const std::string said = saidOf(log, true); !ended && !said.empty()) return {said, 1};
  if (auto cause = workerMissing(log)) return *cause;
  if (!lastEpoch)
    if (auto cause = mpiLacks(log, cluster, heard)) return *cause;
  if (heard || !ended)  // else ssh did reach the host
    if (auto cause = unreachable(log, cluster, lastEpoch)) return *cause;
  if (auto cause = heard ? std::nullopt : mpiFailed(log, cluster)) return *cause;
  if (ended) return *ended;
  const auto telling = [](const std::string& line) {
    return !isRuler(line) && line != kDeserted && !holds(line, "orte_base_help_aggregate") &&
           !holds(line, "help message");
  };
  const auto last = std::find_if(log.rbegin(), log.rend(), telling);
  const bool deserted = std::ranges::find(log, kDeserted) != log.end();  // that it was killed follows from it
  const std::string how = deserted ? kDeserted
                          : exit.signal != 0
                              ? "the launcher was ended by signal " + std::to_string(exit.signal)
                              : "the launcher ended with status " + std::to_string(exit.status);
  const std::string unheard =
      heard || cluster.hosts.empty() ? "" : ", and no rank was heard of on the hosts " + namesOf(cluster);
  return {how + unheard + (last == log.rend() ? std::string() : "; its last line: " + *last), 1};
}

}  // namespace halo
