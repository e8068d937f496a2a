#include "app/commands/calibrate.h"

#include <fmt/format.h>
#include <signal.h>
#include <strings.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include "app/commands/progress.h"
#include "app/machine/calibration.h"
#include "app/machine/node_rates.h"
#include "app/report/table.h"
#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "simulator/calibration/calibration_files.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLineEveryNs = 10'000'000'000;

std::atomic<int> stopSignal = 0;

extern "C" void onCalibrateSignal(int signal) { stopSignal = signal; }

/// The first signal stops after the timing that runs, the second at once.
void catchSignals() {
  struct sigaction action {};
  action.sa_handler = onCalibrateSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

/// OpenMP reads its waiting policy when the program starts, and threads that spin would be timed too. Unless
/// the threads sleep already, this starts the program again with threads that do.
void sleepWhileWaiting() {
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  if (policy != nullptr && ::strcasecmp(policy, "passive") == 0) return;
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::execv("/proc/self/exe", arguments.data());
  throw std::system_error(errno, std::generic_category(),
                          "haloscope cannot be started again to time this machine");
}

struct Outputs {
  fs::path device, cluster, platform;
};

Outputs outputsOf(const CalibrateArguments& arguments) {
  if (!arguments.output.empty()) {
    const auto beside = [&](const char* ending) {
      fs::path file = arguments.output;
      return file.replace_filename(arguments.output.stem().string() + ending);
    };
    return {arguments.output, beside("-cluster.toml"), beside("-platform.toml")};
  }
  const auto named = [](const char* variable) -> fs::path {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";
  };
  fs::path folder = named("XDG_CONFIG_HOME");
  if (folder.empty() && !named("HOME").empty()) folder = named("HOME") / ".config";
  if (folder.empty())
    throw EnvironmentError(
        "there is no configuration folder: neither XDG_CONFIG_HOME nor HOME is set; name a file with -o");
  folder /= "haloscope";
  const char* name = "this-machine.toml";
  return {folder / "devices" / name, folder / "clusters" / name, folder / "platforms" / name};
}

/// Says what is being timed: a bar on a terminal, else a line every ten seconds.
class Teller {
 public:
  explicit Teller(const Common& common) : quiet_(common.quiet || common.json), terminal_(::isatty(2) == 1) {}
  ~Teller() { clear(); }
  Teller(const Teller&) = delete;
  Teller& operator=(const Teller&) = delete;

  bool operator()(const std::string& step, double share) {
    if (quiet_) return stopSignal == 0;
    if (terminal_) {
      redrawLine(bar(share) + " " + step);
      drawn_ = true;
    } else if (const std::int64_t now = wallNs(); now - lastNs_ >= kLineEveryNs) {
      lastNs_ = now;
      say(fmt::format("{:.0f} %: {}\n", 100 * share, step));
    }
    return stopSignal == 0;
  }
  void clear() {
    if (drawn_) redrawLine("");
    drawn_ = false;
  }

 private:
  bool quiet_, terminal_, drawn_ = false;
  std::int64_t lastNs_ = wallNs();
};

std::string percentText(double share) { return fmt::format("{:.1f} %", 100 * share); }

void printShapes(const sim::Calibration& calibration, bool json) {
  Table table({"held out", "measured", "predicted", "error"});
  for (const sim::Predicted& shape : calibration.shapes) {
    const double change = shape.predictedNs / shape.measuredNs - 1;
    if (json)
      printJson({{"shape", shape.label},
                 {"held_out", shape.heldOut},
                 {"measured_ns", shape.measuredNs},
                 {"predicted_ns", shape.predictedNs},
                 {"error_percent", 100 * shape.error()}});
    if (shape.heldOut)
      table.add({shape.label, secondsText(shape.measuredNs * 1e-9), secondsText(shape.predictedNs * 1e-9),
                 changePercentText(100 * change)});
  }
  if (!json) print(table.text());
}

/// Of STREAM's triad on all cores.
double memoryGbps(std::span<const sim::Timing> timings) {
  for (const sim::Timing& timing : timings)
    if (timing.kernel == sim::Timed::triad) return timing.bytes / timing.ns;
  return 0;
}

/// Which shapes miss, and what that means.
void sayWhatMisses(const sim::Calibration& calibration, bool written) {
  say(fmt::format("not accepted: the median error is {} ({} is allowed), the largest {} ({})\n",
                  percentText(calibration.medianError), percentText(sim::kMedianError),
                  percentText(calibration.worstError), percentText(sim::kWorstError)));
  for (const sim::Predicted& shape : calibration.shapes)
    if (shape.heldOut && shape.error() > sim::kWorstError)
      say(fmt::format("  {}: {} for {}\n", shape.label, secondsText(shape.predictedNs * 1e-9),
                      secondsText(shape.measuredNs * 1e-9)));
  say(written
          ? "the figures were written all the same, marked as not accepted\n"
          : "nothing was written; end other programs and try again, or write it all the same with --force\n");
}

}  // namespace

int calibrateMachine(const Common& common, const CalibrateArguments& arguments) {
  const Outputs outputs = outputsOf(arguments);
  refuseToOverwrite({outputs.device, outputs.cluster, outputs.platform}, common.force);
  sleepWhileWaiting();
  catchSignals();
  Teller teller(common);
  const KitSettings settings = kitSettings(arguments.quick);
  if (!common.quiet && !common.json) say(describe(settings) + "\n");
  const std::optional<Kit> kit =
      measureMachine(settings, [&](const std::string& step, double share) { return teller(step, share); });
  const auto stopped = [&teller] {
    teller.clear();
    say("stopped; nothing was written\n");
    return 128 + stopSignal;
  };
  if (!kit) return stopped();
  const std::optional<sim::NodeRates> node = measureNode(
      arguments.quick, [&](const std::string& step, double share) { return teller(step, share); });
  if (!node) return stopped();
  teller("fitting", 1);
  const sim::Calibration calibration = sim::calibrate(kit->machine, kit->timings);
  const sim::RankRates rates = sim::rankRates(kit->machine, kit->timings);
  if (stopSignal != 0) return stopped();
  teller.clear();
  printShapes(calibration, common.json);
  const bool writes = calibration.accepted() || common.force;
  if (writes)
    writeFiles(
        {{outputs.device, [&](std::ostream& out) { out << sim::deviceText(calibration, kit->machine); }},
         {outputs.cluster, [&](std::ostream& out) { out << sim::clusterText(rates, kit->machine); }},
         {outputs.platform, [&](std::ostream& out) {
            out << sim::platformText(*node, memoryGbps(kit->timings), kit->machine);
          }}});
  if (common.json)
    printJson({{"median_error_percent", 100 * calibration.medianError},
               {"worst_error_percent", 100 * calibration.worstError},
               {"accepted", calibration.accepted()},
               {"device", writes ? fs::absolute(outputs.device).string() : ""},
               {"cluster", writes ? fs::absolute(outputs.cluster).string() : ""},
               {"platform", writes ? fs::absolute(outputs.platform).string() : ""}});
  if (!calibration.accepted()) {
    sayWhatMisses(calibration, writes);
    return 1;
  }
  if (common.json) return 0;
  print(fmt::format(
      "median error {}, largest {}: accepted\ndevice = \"{}\"\ncluster file {}\nplatform file {}\n"
      "hyscale with device = \"host\" and this platform measures its performance model: `haloscope show` "
      "says "
      "whether it comes out\n",
      percentText(calibration.medianError), percentText(calibration.worstError),
      fs::absolute(outputs.device).string(), fs::absolute(outputs.cluster).string(),
      fs::absolute(outputs.platform).string()));
  return 0;
}

}  // namespace halo
