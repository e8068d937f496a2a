#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// A program to start: an argument vector, never a shell string, and what to add to the environment.
struct Launch {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};

/// How to start `worker` on every rank of `run`: mpirun here, mpirun over ssh, or srun/mpirun inside a Slurm
/// allocation. Throws EnvironmentError where mpirun, the worker or the allocation is missing (with how to get
/// it), InputError for a host name that is none.
Launch launchWorkers(const RunSettings& run, const std::filesystem::path& worker);

/// As a person would type the arguments at a shell.
std::string commandLine(const Launch& launch);

/// "node1:8" is fine, "a;rm -rf ~" and "-oProxyCommand=x" are not.
bool isHostName(const std::string& host);

/// `name` on PATH, or empty.
std::filesystem::path findProgram(const std::string& name);

}  // namespace halo
