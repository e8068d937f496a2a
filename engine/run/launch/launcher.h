#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/run/launch/session_folder.h"

namespace halo {

/// A program to start: an argument vector, never a shell string, what to add to the environment, and what to
/// take out of it.
struct Launch {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::set<std::string> withheld = {};
  std::vector<std::string> remarks = {};                           // for the log of the run
  std::vector<std::shared_ptr<const SessionFolder>> folders = {};  // in use while it runs
};

/// How to start `worker` on every rank of `run`: mpirun here, mpirun over ssh, or srun/mpirun inside a Slurm
/// allocation. Throws EnvironmentError where mpirun, the worker or the allocation is missing (with how to get
/// it), InputError for a host name that is none.
Launch launchWorkers(const RunSettings& run, const std::filesystem::path& worker);

/// Of these names of variables, what Open MPI tells the processes of its jobs. An mpirun that has them takes
/// itself for one of these, and ends. Nothing where mpirun did not start us; never what a user sets.
std::set<std::string> ofOuterJob(const std::set<std::string>& environment);
/// Throws EnvironmentError where mpirun started this program more than once: each would start, and record,
/// all workers.
void requireOnlyOne();

/// As a person would type the arguments at a shell.
std::string commandLine(const Launch& launch);

/// "node1:8" is fine, "a;rm -rf ~" and "-oProxyCommand=x" are not.
bool isHostName(const std::string& host);

/// `name` on PATH, or empty.
std::filesystem::path findProgram(const std::string& name);

}  // namespace halo
