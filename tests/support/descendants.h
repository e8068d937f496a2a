#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace halo::test {

/// The text of a file as far as it can be read. A file of a process that ends meanwhile fails at any byte.
/// The iterators of a stream throw there, while its buffer's insertion takes that for the end.
inline std::string fileText(const std::filesystem::path& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Processes below `root` (this one by default) by their pid, with the program's name.
inline std::map<pid_t, std::string> descendants(pid_t root = ::getpid()) {
  std::map<pid_t, pid_t> parents;
  std::map<pid_t, std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = fileText(entry.path() / "stat");  // pid (name) state ppid …
    const std::size_t close = stat.rfind(')'), open = stat.find('(');
    if (close == std::string::npos || stat.size() < close + 5) continue;
    const auto pid = static_cast<pid_t>(std::stol(name));
    parents[pid] = static_cast<pid_t>(std::stol(stat.substr(close + 4)));
    names[pid] = stat.substr(open + 1, close - open - 1);
  }
  std::map<pid_t, std::string> processes;
  for (const auto& [pid, name] : names) {
    for (auto up = parents.find(pid); up != parents.end(); up = parents.find(up->second)) {
      if (up->second != root) continue;
      processes[pid] = name;
      break;
    }
  }
  return processes;
}

/// The worker process of MPI rank `rank` below this process, or 0.
inline pid_t workerOfRank(int rank, pid_t root = ::getpid()) {
  const std::string variable = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
  for (const auto& [pid, name] : descendants(root)) {
    if (name.rfind("haloscope-worke", 0) != 0) continue;  // the kernel keeps 15 letters
    const std::string environment = fileText("/proc/" + std::to_string(pid) + "/environ");
    for (std::size_t at = environment.find(variable); at != std::string::npos;
         at = environment.find(variable, at + 1))
      if ((at == 0 || environment[at - 1] == '\0') && environment[at + variable.size()] == '\0') return pid;
  }
  return 0;
}

/// Whether the process has been sent the signal and not yet taken notice of it.
inline bool pending(pid_t process, int number) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("ShdPnd:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
  return false;
}

}  // namespace halo::test
