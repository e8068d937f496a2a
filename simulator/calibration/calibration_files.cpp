#include "simulator/calibration/calibration_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/least_squares.h"
#include "engine/base/median.h"
#include "engine/hybrid/platform.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "simulator/device/component.h"

namespace halo::sim {
namespace {

constexpr double kAssumedStartUs = 0.5, kAssumedWireUs = 0.5;  // of a message through shared memory

double real(std::int64_t count) { return static_cast<double>(count); }

/// Relative least squares of one kind of timing that is not held out; what `termsOf` makes of one of them.
template <class Terms>
std::vector<double> relativeFit(std::span<const Timing> timings, Timed kernel, double startNs,
                                const Terms& termsOf) {
  std::vector<std::vector<double>> rows;
  std::vector<double> ns, weights;
  for (const Timing& timing : timings) {
    if (timing.kernel != kernel || timing.heldOut) continue;
    rows.push_back(termsOf(timing));
    ns.push_back(std::max(timing.ns - startNs, 0.1 * timing.ns));
    weights.push_back(1 / (ns.back() * ns.back()));
  }
  return nonNegativeLeastSquares({rows, ns, weights});
}

/// As TOML writes a text.
std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return safe + "\"";
}

/// As readFigureFile takes it: every figure of the declaration, and where it comes from.
std::string figureText(const Declaration& declaration, const Values& figures,
                       const std::map<std::string, std::string>& sources) {
  std::string text = "\n[figures]\n", from = "\n[sources]\n";
  for (const Parameter& parameter : declaration.parameters) {
    text += fmt::format("{} = {}\n", parameter.key, toText(figures.find(parameter.key)->second));
    from += fmt::format("{} = {}\n", parameter.key, quoted(sources.at(std::string(parameter.key))));
  }
  return text + from;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

RankRates rankRates(const MachineFacts& machine, std::span<const Timing> timings) {
  RankRates rates;
  const double cores = real(machine.cores);
  double startNs = 0;
  for (const Timing& timing : timings) {
    if (timing.kernel == Timed::start) startNs = timing.ns;
    if (timing.kernel == Timed::copy) rates.copyGbPerS = timing.bytes / timing.ns / cores;
  }
  rates.kernelStartUs = startNs * 1e-3;
  const auto sparseTerms = [](const Timing& t) {
    return std::vector<double>{real(t.nonzeros), real(t.nonzeros * t.width), real(t.rows * t.width)};
  };
  if (const auto costs = relativeFit(timings, Timed::sparse, startNs, sparseTerms); !costs.empty()) {
    rates.entryNs = costs[0] * cores;
    rates.entryElementNs = costs[1] * cores;
    rates.rowElementNs = costs[2] * cores;
  }
  const auto productTerms = [](const Timing& t) {
    return std::vector<double>{2 * real(t.rows) * real(t.in) * real(t.out)};
  };
  if (const auto costs = relativeFit(timings, Timed::product, startNs, productTerms);
      !costs.empty() && costs[0] > 0)
    rates.denseGflops = 1 / costs[0] / cores;
  std::vector<double> errors;
  for (const Timing& timing : timings) {
    if (timing.kernel != Timed::sparse || !timing.heldOut) continue;
    const std::vector<double> terms = sparseTerms(timing);
    const double ns =
        startNs +
        (terms[0] * rates.entryNs + terms[1] * rates.entryElementNs + terms[2] * rates.rowElementNs) / cores;
    errors.push_back(std::abs(ns / timing.ns - 1));
  }
  if (errors.empty()) return rates;
  rates.medianError = median(errors);
  rates.worstError = std::ranges::max(errors);
  return rates;
}

std::string deviceText(const Calibration& calibration, const MachineFacts& machine) {
  return fmt::format(
             "# {}: {} cores, as `haloscope doctor --calibrate` found it. On shapes held out the median "
             "error "
             "is {}, the largest {}: {}.\naccelerator = \"cpu\"\n",
             quoted(machine.name), machine.cores, percent(calibration.medianError),
             percent(calibration.worstError),
             calibration.accepted()
                 ? "accepted"
                 : fmt::format("not accepted, {} and {} are", percent(kMedianError), percent(kWorstError))) +
         figureText(find<AcceleratorEntry>("cpu")->declaration, calibration.figures, calibration.sources);
}

std::string clusterText(const RankRates& rates, const MachineFacts& machine) {
  const Declaration& declaration = cluster::machineDeclaration();
  Values figures = fallbacks(declaration.parameters);
  std::map<std::string, std::string> sources;
  for (const Parameter& parameter : declaration.parameters)
    sources[std::string(parameter.key)] = "assumed: one node, a rank a core";
  const auto say = [&](const std::string& key, Value value, const std::string& source) {
    HALO_CHECK(figures.contains(key));
    figures[key] = std::move(value);
    sources[key] = source;
  };
  const std::string counted = "measured: cores and memory of this machine";
  say("ranks_per_node", Value(machine.cores), counted);
  if (machine.memoryGb > 0) say("memory_gb_per_rank", Value(machine.memoryGb / real(machine.cores)), counted);
  for (const char* where : {"", "local_"}) {
    say(std::string(where) + "start_us", Value(kAssumedStartUs), "assumed: a message through shared memory");
    say(std::string(where) + "wire_us", Value(kAssumedWireUs), "assumed: a message through shared memory");
    say(std::string(where) + "gb_per_s", Value(rates.copyGbPerS),
        "measured: messages are copies through the memory");
  }
  const std::string kernels = fmt::format(
      "measured: kernels on all cores, a core's share; sparse products held out: median error {}, "
      "largest {}",
      percent(rates.medianError), percent(rates.worstError));
  say("kernel_start_us", Value(rates.kernelStartUs), kernels);
  say("entry_ns", Value(rates.entryNs), kernels);
  say("entry_element_ns", Value(rates.entryElementNs), kernels);
  say("row_element_ns", Value(rates.rowElementNs), kernels);
  say("dense_gflops", Value(rates.denseGflops), kernels);
  say("copy_gb_per_s", Value(rates.copyGbPerS), kernels);
  for (const auto& [operation, algorithm] : {std::pair{"allreduce", "ring"},
                                             {"broadcast", "flat"},
                                             {"alltoall", "pairwise"},
                                             {"allgather", "ring"}})
    say(operation, Value(std::string(algorithm)), "assumed: the plain algorithm");
  return fmt::format("# {} as a cluster of one node, as `haloscope doctor --calibrate` found it.\n{} = {}\n",
                     quoted(machine.name), "cluster", quoted(std::string(declaration.name))) +
         figureText(declaration, figures, sources);
}

std::string platformText(const NodeRates& rates, double memoryGbps, const MachineFacts& machine) {
  constexpr std::int64_t kActors = 3;  // of the processors, a thread each: sampling, loading, training
  const Declaration& declaration = platformDeclaration();
  Values figures = fallbacks(declaration.parameters);
  std::map<std::string, std::string> sources;
  const auto say = [&](const std::string& key, Value value, const std::string& source) {
    HALO_CHECK(figures.contains(key));
    figures[key] = std::move(value);
    sources[key] = source;
  };
  const std::string actors = "assumed: one thread each samples, loads and trains";
  const std::string thread = "measured: one thread, the fastest of several runs",
                    none = "assumed: not used here";
  say("sockets", Value(std::int64_t{1}), actors);
  say("cpu_threads", Value(kActors), actors);
  say("memory_sockets", Value(std::int64_t{1}), actors);
  say("socket_memory_gbps", Value(memoryGbps), "measured: STREAM's triad on all cores");
  say("cpu_gmacs", Value(real(kActors) * rates.gmacs), thread + ", for each of the three");
  say("thread_gbps", Value(std::sqrt(rates.gatherGbps * rates.sumGbps)),
      thread + fmt::format(": {:.2f} GB/s gathered, {:.2f} summed, their geometric mean", rates.gatherGbps,
                           rates.sumGbps));
  say("thread_sample_medges", Value(rates.sampleMedges), thread);
  say("sample_bytes_per_edge", Value(16.0), "assumed: a column and a share of the row's bounds");
  say("cards", Value(std::int64_t{1}), "assumed: one more thread trains as a card does");
  say("card_memory_gbps", Value(rates.sumGbps), thread);
  say("card_gmacs", Value(rates.gmacs), thread);
  say("card_overlaps", Value(false), "assumed: a thread sums and updates in turn");
  say("card_duplicates", Value(false), "assumed: a thread reads a row once an arc");
  say("card_sample_medges", Value(0.0), "assumed: one thread samples for all");
  say("launch_us", Value(rates.launchUs), "measured: until another thread begins");
  say("pcie_gbps", Value(rates.copyGbps), "measured: rows are copied by one thread");
  say("root_port", Value(std::string("own")), none);
  say("socket_tflops", Value(0.0), none);
  say("card_tflops", Value(0.0), none);
  return fmt::format(
             "# {} as actors of method hyscale with device = \"host\", as `haloscope doctor --calibrate` "
             "found it.\nplatform = {}\n",
             quoted(machine.name), quoted(std::string(declaration.name))) +
         figureText(declaration, figures, sources);
}

}  // namespace halo::sim
