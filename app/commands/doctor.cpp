#include "app/machine/doctor.h"

#include <algorithm>

#include "app/commands/calibrate.h"
#include "app/commands/command.h"
#include "app/report/table.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

std::string text(Finding::State state) {
  switch (state) {
    case Finding::State::good:
      return "ok";
    case Finding::State::poor:
      return "note";
    case Finding::State::missing:
      return "missing";
  }
  return "";
}

int doctor(const Common& common, const std::vector<std::string>& hosts) {
  for (auto host = hosts.begin(); host != hosts.end(); ++host)
    if (std::find(hosts.begin(), host, *host) != host)
      throw InputError(
          {.key = "HOST", .message = "'" + *host + "' is named twice; a network is between two hosts"});
  const std::vector<Finding> findings = examine(common.db, hosts);
  Table table({"what", "state", "found"});
  for (const Finding& finding : findings) {
    if (common.json)
      printJson({{"what", finding.thing},
                 {"state", text(finding.state)},
                 {"found", finding.actual},
                 {"fix", finding.fix}});
    table.add({finding.thing, text(finding.state), finding.actual});
    if (!finding.fix.empty()) table.add({"", "", "→ " + finding.fix});
  }
  if (!common.json) print(table.text());
  const auto missing = [](const Finding& finding) { return finding.state == Finding::State::missing; };
  return std::ranges::any_of(findings, missing) ? 5 : 0;
}

}  // namespace

void addDoctor(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand("doctor", "What this machine has, and how to get what it lacks");
  auto* hosts = command->add_option(
      "HOST", "Also see whether ssh reaches these and the worker is there, and measure their network");
  several(hosts)->required(false);
  const auto arguments = std::make_shared<CalibrateArguments>();
  auto* calibrates =
      command->add_flag("--calibrate", arguments->enabled, "Time this machine and write it as a device file");
  calibrates->excludes(hosts);
  command
      ->add_option("-o,--output", arguments->output, "Device file; without it, in the configuration folder")
      ->type_name("FILE")
      ->needs(calibrates);
  command
      ->add_flag("--quick", arguments->quick, "Small footprints and graphs only: seconds, and less to tell")
      ->needs(calibrates);
  command->callback([&common, &action, hosts, arguments] {
    if (arguments->enabled)
      action = [&common, arguments] { return calibrateMachine(common, *arguments); };
    else
      action = [&common, hosts] { return doctor(common, hosts->results()); };
  });
}

}  // namespace halo
