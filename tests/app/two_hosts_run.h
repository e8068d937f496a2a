// Runs of launcher `hosts` on the two hosts of tests/support/two_hosts.h.
#pragma once

#include <memory>

#include "tests/app/program.h"
#include "tests/support/two_hosts.h"

namespace halo::test {

/// The built `haloscope` between two hosts.
class HostsProgram {
 public:
  explicit HostsProgram(const TwoHosts& hosts) : hosts_(hosts) {}

  /// An experiment of karate on both hosts, a rank each; `more` are lines of [cluster], then other tables.
  std::string experiment(const std::string& epochs, const std::string& more) const {
    return program_.file("hosts.toml",
                         "schema = 1\nname = \"hosts\"\n[training]\nepochs = " + epochs +
                             "\n[cluster]\nworkers = 2\nlauncher = \"hosts\"\nhosts = [\"halo-a:1\", "
                             "\"halo-b:1\"]\n" +
                             more);
  }
  std::unique_ptr<Process> start(const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(hosts_.between(folder(), Program::command(arguments)), environment(),
                                     folder());
  }
  Ended operator()(const std::vector<std::string>& arguments) const { return start(arguments)->wait(); }
  /// What `list --json` says of the runs.
  std::vector<nlohmann::json> rows() const { return jsonLines(program_({"list", "--json"}).out); }
  std::string log(int run) const { return program_({"show", std::to_string(run), "--log"}).out; }
  const Program& here() const { return program_; }
  const std::filesystem::path& folder() const { return program_.folder(); }

 private:
  std::map<std::string, std::string> environment() const {
    return program_.environment(hosts_.environment());
  }

  const TwoHosts& hosts_;
  Program program_;
};

/// The losses of the epochs, by run, of what `run --json` wrote.
inline std::map<int, std::vector<double>> lossesByRun(const std::string& out) {
  std::map<int, std::vector<double>> losses;
  for (const auto& event : jsonLines(out))
    if (event.at("event") == "epoch") losses[event.at("run")].push_back(event.at("loss"));
  return losses;
}

}  // namespace halo::test
