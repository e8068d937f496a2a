#include "simulator/calibration_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulator/component.h"
#include "simulator/least_squares.h"

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
  return nonNegativeLeastSquares(rows, ns, weights);
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
    return std::vector<double>{real(t.nonzeros * t.width), real(t.rows * t.width)};
  };
  if (const auto costs = relativeFit(timings, Timed::sparse, startNs, sparseTerms); !costs.empty()) {
    rates.entryElementNs = costs[0] * cores;
    rates.rowElementNs = costs[1] * cores;
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
    const double ns = startNs + (terms[0] * rates.entryElementNs + terms[1] * rates.rowElementNs) / cores;
    errors.push_back(std::abs(ns / timing.ns - 1));
  }
  if (errors.empty()) return rates;
  std::ranges::sort(errors);
  rates.medianError = errors[errors.size() / 2];
  rates.worstError = errors.back();
  return rates;
}

std::string deviceText(const Calibration& calibration, const MachineFacts& machine) {
  std::string text = fmt::format(
      "# {}: {} cores, as `haloscope doctor --calibrate` found it. On shapes held out the median error is "
      "{}, the "
      "largest {}: {}.\naccelerator = \"cpu\"\n\n[figures]\n",
      quoted(machine.name), machine.cores, percent(calibration.medianError), percent(calibration.worstError),
      calibration.accepted()
          ? "accepted"
          : fmt::format("not accepted, {} and {} are", percent(kMedianError), percent(kWorstError)));
  const auto parameters = find<AcceleratorEntry>("cpu")->declaration.parameters;
  for (const Parameter& parameter : parameters)
    text += fmt::format("{} = {}\n", parameter.key, toText(calibration.figures.find(parameter.key)->second));
  text += "\n[sources]\n";
  for (const Parameter& parameter : parameters)
    text +=
        fmt::format("{} = {}\n", parameter.key, quoted(calibration.sources.at(std::string(parameter.key))));
  return text;
}

std::string clusterText(const RankRates& rates, const MachineFacts& machine) {
  const std::string name = quoted(machine.name);
  std::string text = fmt::format(
      "# This machine as a cluster of one node, a rank a core, as `haloscope doctor --calibrate` found it.\n"
      "[machine]\nhelp = {}\nnodes = 1\nranks_per_node = {}\n",
      name, machine.cores);
  if (machine.memoryGb > 0)
    text += fmt::format("memory_gb_per_rank = {:.3f}\n", machine.memoryGb / real(machine.cores));
  for (const char* table : {"between_nodes", "within_node"})
    text += fmt::format(
        "\n[{}]\nstart_us = {}\nwire_us = {}\ngb_per_s = {:.4f}\norigin = \"assumed\"\nsource = \"messages "
        "are copies "
        "through the memory, which were measured; their start was not\"\n",
        table, toText(Value(kAssumedStartUs)), toText(Value(kAssumedWireUs)), rates.copyGbPerS);
  return text +
         fmt::format(
             "\n[compute]\nkernel_start_us = {:.4f}\nentry_element_ns = {:.6f}\nrow_element_ns = {:.6f}\n"
             "dense_gflops = {:.4f}\ncopy_gb_per_s = {:.4f}\norigin = \"measured\"\nsource = \"kernels on "
             "all cores, a core's share; sparse products held out: median error {}, largest {}\"\n"
             "\n[topology]\nkind = \"crossbar\"\norigin = \"assumed\"\nsource = \"one node\"\n",
             rates.kernelStartUs, rates.entryElementNs, rates.rowElementNs, rates.denseGflops,
             rates.copyGbPerS, percent(rates.medianError), percent(rates.worstError));
}

}  // namespace halo::sim
