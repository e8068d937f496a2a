#include "engine/record/check/figures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace halo {
namespace {

/// What older recordings lack.
constexpr std::array kLater = {"replication_factor",           "layer_bytes_per_epoch",
                               "layer_messages_per_epoch",     "max_layer_bytes_per_epoch",
                               "max_layer_messages_per_epoch", "max_flop_per_epoch",
                               "staleness_features",           "staleness_gradients",
                               "wire_bytes_per_epoch",         "hidden_transfer_share"};

/// Whether a recording that has `latest` may lack the figure. The mean of epochs came with the hidden share.
bool cameLater(const std::string& name, const Figures& latest) {
  return std::ranges::find(kLater, name) != kLater.end() ||
         (name == "mean_epoch_seconds" && !latest.contains("hidden_share"));
}

/// Sums of the same numbers, perhaps in another order.
bool nearlyEqual(double a, double b) {
  constexpr double kRounding = 1e-9;
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

std::string shownFigure(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

void compareFigures(std::int64_t run, const Figures& latest, const Figures& expected,
                    const std::string& origin, Findings& findings) {
  for (const auto& [name, value] : expected) {
    const auto recorded = latest.find(name);
    if (recorded == latest.end() && !cameLater(name, latest))
      findings.add("missing in latest", run, "",
                   "table latest has no " + name + "; " + origin + " give " + shownFigure(value));
    else if (recorded != latest.end() && !nearlyEqual(recorded->second, value))
      findings.add("latest", run, "",
                   "table latest has " + name + " " + shownFigure(recorded->second) + ", " + origin +
                       " give " + shownFigure(value));
  }
}

}  // namespace halo
