#include "engine/record/analysis/below_wire.h"

namespace halo {
namespace {

// A link's times are rounded and its epochs jitter; the bandwidth of real hosts was measured.
constexpr double kEmulatedSlack = 0.01, kMeasuredSlack = 0.05;

}  // namespace

std::string belowWire(const PairedRun& run, const std::map<std::string, double>& latest) {
  const auto network = networkOf(run);
  const auto bytes = latest.find("wire_bytes_per_epoch"), median = latest.find("epoch_seconds"),
             mean = latest.find("mean_epoch_seconds");
  if (!network || bytes == latest.end() || median == latest.end() || mean == latest.end()) return "";
  const double least = bytes->second * 8e-9 / network->gbit;
  const double threshold = least * (1 - (network->emulated ? kEmulatedSlack : kMeasuredSlack));
  if (mean->second < threshold) return "epochs below the wire";
  return median->second < threshold ? "median below the wire: epochs differ" : "";
}

}  // namespace halo
