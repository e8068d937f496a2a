#include "engine/run/launch/launcher.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/run/launch/placement.h"
#include "engine/run/launch/route.h"
#include "engine/run/launch/single_copy.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedMemory = "/dev/shm";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Room that this user may fill; 0 where the folder cannot be written.
std::int64_t roomIn(const fs::path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0 || ::access(folder.c_str(), W_OK) != 0) return 0;
  return static_cast<std::int64_t>(info.f_bavail * info.f_frsize);
}

// Open MPI maps a few MiB a rank into its shared-memory folder and dies of SIGBUS when that is full.
bool sharedMemoryIsSmall(std::int64_t ranks) { return roomIn(kSharedMemory) < ranks * 16 * kMiB; }

std::string mpirun() {
  const fs::path program = findProgram("mpirun");
  if (program.empty())
    throw EnvironmentError(
        "mpirun is not on the PATH, and training runs over MPI; install it with: apt install openmpi-bin");
  return program.string();
}

/// mpirun that may not open what it needs waits for ever. Its own files, and some pipes a rank.
void requireDescriptors(std::int64_t ranks) {
  const auto needed = static_cast<rlim_t>(36 + 4 * ranks);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  const rlim_t allowed = std::exchange(limit.rlim_cur, std::min(needed, limit.rlim_max));
  if (limit.rlim_max >= needed && ::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  throw EnvironmentError("a program may have " + std::to_string(allowed) + " files open here, and " +
                         std::to_string(ranks) + " workers take " + std::to_string(needed) +
                         "; raise the limit with: ulimit -n " +
                         std::to_string(std::max<rlim_t>(needed, 1024)));
}

/// mpirun and the ranks keep what they share in files of some 4 MiB, and die of a limit below.
void requireFileSize() {
  constexpr rlim_t kNeeded = 8 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_max >= kNeeded) return;
  throw EnvironmentError("a file may have " + std::to_string(limit.rlim_max >> 10) +
                         " KiB here, and the workers share files of up to " + std::to_string(kNeeded >> 10) +
                         " KiB; raise the limit with: ulimit -f unlimited");
}

template <class Words>
std::string joined(const Words& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
  return list;
}

constexpr const char* kSingleCopy = "OMPI_MCA_btl_vader_single_copy_mechanism";

std::set<std::string> environmentNames() {
  std::set<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable)
    names.insert(std::string(*variable, std::string_view(*variable).find('=')));
  return names;
}

/// Sets a variable of Open MPI's unless the user has, or has set one that excludes it.
void prefer(Launch& launch, const std::string& name, const std::string& value) {
  std::string opposite = name;
  if (const auto at = opposite.find("_if_include"); at != std::string::npos)
    opposite.replace(at, std::string("_if_include").size(), "_if_exclude");
  for (const std::string& variable : {name, opposite})
    if (!environment(variable.c_str()).empty() && !launch.withheld.contains(variable)) return;
  launch.environment[name] = value;
}

fs::path temporaryFolder() {
  std::error_code error;
  // an empty TMPDIR is none; the library takes it for a folder without a name
  fs::path folder = environment("TMPDIR").empty() ? fs::path("/tmp") : fs::temp_directory_path(error);
  if (error)
    throw EnvironmentError(environment("TMPDIR") + ": is no folder for temporary files: " + error.message() +
                           "; set TMPDIR to a folder that you may write");
  return fs::absolute(folder);  // mpirun's daemons work elsewhere
}

void common(Launch& launch, const RunSettings& run) {
  launch.withheld = ofOuterJob(environmentNames());
  launch.remarks = placementRemarks(run.cluster);
  launch.environment["OMP_WAIT_POLICY"] =
      "passive";  // a waiting thread must not hold a core that another rank needs
  launch.environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
  if (::geteuid() == 0) {
    launch.environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
    launch.environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  }
  if (run.cluster.launcher != "local" && sharedMemoryIsSmall(run.cluster.workers))
    launch.environment["OMPI_MCA_btl_vader_backing_directory"] = temporaryFolder().string();
}

/// Files that this user may still make there; none: the file system does not count them.
std::optional<std::int64_t> filesLeftIn(const fs::path& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0 || info.f_files == 0) return std::nullopt;
  return static_cast<std::int64_t>(info.f_favail);
}

/// mpirun without room for its session files ends in words of its own.
void requireRoom(const fs::path& session, std::int64_t bytes, std::int64_t files) {
  if (const auto left = filesLeftIn(session); left && *left < files)
    throw EnvironmentError(session.parent_path().string() + ": takes " + std::to_string(*left) +
                           " more files, and a run makes some " + std::to_string(files) +
                           " temporary ones; remove files there, or set TMPDIR to a folder that takes more");
  const std::int64_t room = roomIn(session);
  if (room < bytes)
    throw EnvironmentError(session.parent_path().string() + ": has room for " + std::to_string(room / kMiB) +
                           " MiB, and a run takes up to " + std::to_string(bytes / kMiB) +
                           " MiB of temporary files; make room, or set TMPDIR to a folder that has it");
}

/// What mpirun and the ranks keep beside a run lies in folders that are ours, and go with it.
void keepTogether(Launch& launch, std::int64_t ranks) {
  const auto add = [&](const fs::path& parent, const std::string& remedy) {
    launch.folders.push_back(std::make_shared<SessionFolder>(parent, remedy));
    return launch.folders.back()->path().string();
  };
  const fs::path temporary = temporaryFolder();
  if (fs::path(environment("TMPDIR")).is_relative()) launch.environment["TMPDIR"] = temporary.string();
  const std::string session = add(temporary, "set TMPDIR to a folder that you may write");
  const bool small = sharedMemoryIsSmall(ranks);
  constexpr std::int64_t kFiles = 10, kFilesOfRank = 3;  // counted, less a few
  requireRoom(session, (10 + (small ? 4 * ranks : 0)) * kMiB, kFiles + kFilesOfRank * ranks);
  const std::string shared = small ? session : add(kSharedMemory, "see that you may write there");
  prefer(launch, "OMPI_MCA_orte_tmpdir_base", session);
  prefer(launch, "OMPI_MCA_btl_vader_backing_directory", shared);
  prefer(launch, "OMPI_MCA_shmem_mmap_backing_file_base_dir", shared);
}

constexpr const char* kPreload = "LD_PRELOAD";

/// mpirun 4.1 and its daemons bind what they listen with to all interfaces, whatever they are told. A library
/// that they load first knows better. Returns its place, if any. Where there is none, a remark says so.
std::optional<std::string> preloadBindLibrary(Launch& launch, const fs::path& worker) {
  for (const fs::path& folder : {worker.parent_path(), worker.parent_path() / "../lib/haloscope"}) {
    const std::string library = (folder / "haloscope-bind.so").lexically_normal().string();
    // the loader parts its list at blanks and colons
    if (!fs::exists(library) || library.find_first_of(" :") != std::string::npos) continue;
    const std::string before = environment(kPreload);
    launch.environment[kPreload] = library + (before.empty() ? "" : ":" + before);
    return library;
  }
  launch.remarks.emplace_back(
      "mpirun listens on all interfaces while the run goes on: haloscope-bind.so, which keeps it from "
      "that, is not beside haloscope-worker nor in lib/haloscope, or there is a blank or colon in its path");
  return std::nullopt;
}

/// Nobody beyond this machine can reach the ranks or mpirun: they talk through shared memory, and listen on
/// the loopback interface alone.
void keepLocal(Launch& launch, const fs::path& worker) {
  constexpr const char* kLoopback = "127.0.0.0/8";
  prefer(launch, "OMPI_MCA_pml", "ob1");
  prefer(launch, "OMPI_MCA_btl", "vader,self");
  prefer(launch, "OMPI_MCA_btl_tcp_if_include", kLoopback);
  for (const char* name : {"OMPI_MCA_oob_tcp_if_include", "PMIX_MCA_ptl_tcp_if_include"}) {
    prefer(launch, name, kLoopback);
    if (!launch.environment.contains(name))
      launch.remarks.push_back(std::string("mpirun listens where ") + name +
                               " or _if_exclude of your environment says");
  }
  if (!preloadBindLibrary(launch, worker)) return;
  // mpirun's alone, but where the user has ranks that may listen too
  if (!launch.environment.contains("OMPI_MCA_btl")) return;
  launch.arguments.insert(launch.arguments.end(), {"-x", "LD_PRELOAD=" + environment(kPreload)});
}

Launch local(const RunSettings& run, const fs::path& worker) {
  requireDescriptors(run.cluster.workers);
  requireFileSize();
  Launch launch;
  common(launch, run);
  if (environment(kSingleCopy).empty() && !processesReadEachOther()) launch.environment[kSingleCopy] = "none";
  launch.arguments = {
      mpirun(), "--oversubscribe", "--bind-to", "none", "-np", std::to_string(run.cluster.workers)};
  keepTogether(launch, run.cluster.workers);
  keepLocal(launch, worker);
  launch.arguments.push_back(worker.string());
  return launch;
}

/// mpirun, its daemons and the ranks listen on their host's interface in these networks alone. The daemons
/// take what they are told from the words they are started with: ssh hands no environment on.
void listenIn(Launch& launch, const std::string& networks, const fs::path& worker) {
  const auto library = preloadBindLibrary(launch, worker);
  if (!library) return;
  launch.environment["HALO_BIND_NETWORKS"] = networks;
  prefer(launch, "OMPI_MCA_orte_launch_agent",
         "env LD_PRELOAD=" + *library + " HALO_BIND_NETWORKS=" + networks + " orted");
}

/// The ranks and their daemons use the interface alone that reaches the hosts. By its network, because on
/// another host it may bear another name; a host beyond that network has its own.
void keepToRoute(Launch& launch, const std::vector<std::string>& hosts, const fs::path& worker) {
  std::set<std::string> networks, interfaces, loopbacks;
  for (const std::string& host : hosts) {
    const auto route = routeTo(host.substr(0, host.find(':')));
    if (!route) {
      launch.remarks.push_back("by which interface " + host +
                               " is reached is not known here, so Open MPI uses all that it finds; name one "
                               "with OMPI_MCA_btl_tcp_if_include and OMPI_MCA_oob_tcp_if_include");
      return;
    }
    (route->loopback ? loopbacks : networks).insert(route->network);
    if (!route->direct) networks.insert(route->address + "/32");
    if (!route->loopback) interfaces.insert(route->interface);
  }
  if (networks.empty()) networks = loopbacks;  // this host alone, by a name of its own
  const std::string list = joined(networks);
  prefer(launch, "OMPI_MCA_btl_tcp_if_include", list);
  prefer(launch, "OMPI_MCA_oob_tcp_if_include", list);
  if (!launch.environment.contains("OMPI_MCA_btl_tcp_if_include")) {
    launch.remarks.push_back(
        "ranks talk where OMPI_MCA_btl_tcp_if_include or _if_exclude of your environment says");
    return;
  }
  listenIn(launch, list, worker);
  launch.remarks.push_back("ranks talk over " + (interfaces.empty() ? "lo" : joined(interfaces)) + " (" +
                           list + "), which reaches all hosts");
}

Launch hosts(const RunSettings& run, const fs::path& worker) {
  std::vector<Problem> problems;
  for (const std::string& host : run.cluster.hosts)
    if (!isHostName(host))
      problems.push_back({.key = "cluster.hosts",
                          .message = "'" + host +
                                     "' is no host name; a name or address, then :slots if "
                                     "it takes more than one rank, as in node1:8"});
  if (!problems.empty()) throw InputError(std::move(problems));
  if (findProgram("ssh").empty())
    throw EnvironmentError(
        "ssh is not on the PATH, and the launcher 'hosts' needs it; install it with: apt install "
        "openssh-client");
  Launch launch;
  common(launch, run);
  launch.environment[kSingleCopy] = "none";  // what the other hosts permit is not known here
  keepToRoute(launch, run.cluster.hosts, worker);
  launch.environment["OMPI_MCA_orte_keep_fqdn_hostnames"] = "1";  // else node1.cluster is asked for as node1
  launch.arguments = {mpirun(), "--host", joined(run.cluster.hosts),          "--bind-to",
                      "none",   "-np",    std::to_string(run.cluster.workers)};
  if (slotsOf(run.cluster.hosts) < run.cluster.workers)
    launch.arguments.insert(launch.arguments.begin() + 1, "--oversubscribe");
  for (const auto& [name, value] : launch.environment) {
    launch.arguments.push_back("-x");
    launch.arguments.push_back(name + "=" + value);
  }
  launch.arguments.push_back(worker.string());
  return launch;
}

Launch slurm(const RunSettings& run, const fs::path& worker) {
  if (environment("SLURM_JOB_ID").empty())
    throw EnvironmentError(
        "the launcher 'slurm' works inside an allocation, and there is none (SLURM_JOB_ID is not set); "
        "get one with: salloc --ntasks=" +
        std::to_string(run.cluster.workers));
  Launch launch;
  common(launch, run);
  launch.environment[kSingleCopy] = "none";
  if (const fs::path srun = findProgram("srun"); !srun.empty()) {
    launch.arguments = {srun.string(), "--mpi=pmix",   "--ntasks=" + std::to_string(run.cluster.workers),
                        "--input=0",   "--overcommit", worker.string()};
    return launch;
  }
  launch.arguments = {mpirun(),       "--bind-to", "none", "-np", std::to_string(run.cluster.workers),
                      worker.string()};
  return launch;
}

}  // namespace

std::set<std::string> ofOuterJob(const std::set<std::string>& environment) {
  constexpr const char* kBegins[] = {"PMIX_", "OMPI_COMM_WORLD_", "OMPI_MCA_orte_", "OMPI_MCA_ess"};
  constexpr const char* kNames[] = {"OMPI_APP_CTX_NUM_PROCS",
                                    "OMPI_ARGV",
                                    "OMPI_COMMAND",
                                    "OMPI_FILE_LOCATION",
                                    "OMPI_FIRST_RANKS",
                                    "OMPI_MCA_initial_wdir",
                                    "OMPI_MCA_mpi_oversubscribe",
                                    "OMPI_MCA_pmix",
                                    "OMPI_MCA_rmaps_base_oversubscribe",
                                    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                    "OMPI_NUM_APP_CTX",
                                    "OMPI_UNIVERSE_SIZE"};
  if (!environment.contains("OMPI_COMM_WORLD_SIZE") && !environment.contains("PMIX_RANK")) return {};
  std::set<std::string> lines;
  for (const std::string& name : environment)
    if (std::ranges::any_of(kBegins, [&](const char* begin) { return name.starts_with(begin); }) ||
        std::ranges::find(kNames, name) != std::end(kNames))
      lines.insert(name);
  return lines;
}

void requireOnlyOne() {
  const std::string count = environment("OMPI_COMM_WORLD_SIZE");
  if (count.empty() || count == "1") return;
  throw EnvironmentError("mpirun started this " + count +
                         " times, and each would start and record all workers of its own; start it once, "
                         "without mpirun: cluster.workers says how many workers there are");
}

std::string commandLine(const Launch& launch) {
  static const std::regex plain("[A-Za-z0-9_@%+=:,./-]+");
  std::string line;
  for (const std::string& argument : launch.arguments) {
    if (!line.empty()) line += ' ';
    if (std::regex_match(argument, plain))
      line += argument;
    else
      line += "'" + std::regex_replace(argument, std::regex("'"), "'\\''") + "'";
  }
  return line;
}

bool isHostName(const std::string& host) {
  static const std::regex pattern("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?");
  return host.size() < 256 && std::regex_match(host, pattern);
}

fs::path findProgram(const std::string& name) {
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    const fs::path candidate = fs::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
  }
  return {};
}

Launch launchWorkers(const RunSettings& run, const fs::path& worker) {
  std::error_code error;
  if (fs::current_path(error).empty())
    throw EnvironmentError("the working directory cannot be used: " + error.message() +
                           "; change to one that is there");
  if (::access(worker.c_str(), X_OK) != 0)
    throw EnvironmentError(worker.string() +
                           " is not there or cannot be run; it is installed beside haloscope");
  if (run.cluster.launcher == "hosts") return hosts(run, worker);
  if (run.cluster.launcher == "slurm") return slurm(run, worker);
  return local(run, worker);
}

}  // namespace halo
