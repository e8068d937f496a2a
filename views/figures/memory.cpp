// The memory of the chips: what the buffers of rows hold, part by part, beside what the processes had at
// most.
#include <algorithm>
#include <array>
#include <cmath>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

struct MemoryPart {
  const char *metric, *name;
};
constexpr MemoryPart kParts[] = {
    {"memory_features_bytes", "input features"},    {"memory_activations_bytes", "activations"},
    {"memory_aggregated_bytes", "aggregated rows"}, {"memory_gradients_bytes", "gradients of rows"},
    {"memory_exchange_bytes", "rows on their way"}, {"memory_history_bytes", "older copies of rows"}};

/// NaN: not recorded by all runs of the chip.
double bytesOf(const ChipData& chip, const char* metric) {
  const auto bytes = chip.latest.find(metric);
  return bytes == chip.latest.end() ? std::nan("") : bytes->second;
}

double allOf(const ChipData& chip) {
  double sum = 0;
  for (const MemoryPart& part : kParts)
    if (const double bytes = bytesOf(chip, part.metric); std::isfinite(bytes)) sum += bytes;
  return sum;
}

/// Places among the compared chips of those that recorded what their buffers hold.
std::vector<std::size_t> knownOf(const SceneData& scene) {
  std::vector<std::size_t> recordedChips;
  for (std::size_t c = 0; c < scene.compared.size(); ++c)
    if (allOf(scene.chips[scene.compared[c]]) > 0) recordedChips.push_back(c);
  return recordedChips;
}

/// The largest worker's process beside each chip, for the mark.
QString peaksOf(const SceneData& scene, const std::vector<std::size_t>& recordedChips) {
  QStringList peaks;
  for (const std::size_t c : recordedChips)
    if (const double peak = bytesOf(scene.chips[scene.compared[c]], "peak_rss_bytes"); peak > 0)
      peaks << chipLetter(scene.compared[c]) + " " + formatBytesOf(peak);
  return peaks.isEmpty() ? QString() : "largest process at most: " + peaks.join(", ");
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Memory of rows, all workers";
  figure.form = FigureForm::stackedBars;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  addProvenance(figure, scene);
  const std::vector<std::size_t> recordedChips = knownOf(scene);
  figure.emptyReason = "None of these runs recorded what its buffers of rows hold.";
  if (recordedChips.empty()) return figure;
  double largest = 0;
  for (const std::size_t c : recordedChips)
    largest = std::max(largest, allOf(scene.chips[scene.compared[c]]));
  const auto [unit, scale] = bytesUnit(largest);
  figure.x = {"chip", "", false, {}};
  figure.y = {"memory", unit, false, {}};
  for (const std::size_t c : recordedChips) figure.x.categories << lettered(scene, c);
  for (const MemoryPart& part : kParts) {
    FigureSeries series;
    series.name = part.name;
    for (const std::size_t c : recordedChips) {
      const double bytes = bytesOf(scene.chips[scene.compared[c]], part.metric);
      series.y.push_back(std::isfinite(bytes) ? bytes * scale : 0);
    }
    if (std::ranges::any_of(series.y, [](double y) { return y > 0; }))
      figure.series.push_back(std::move(series));
  }
  if (const QString peaks = peaksOf(scene, recordedChips); !peaks.isEmpty()) figure.marks << peaks;
  return figure;
}

const Registered<FigureEntry> self{{{"memory", "what the buffers of rows hold, part by part", ""},
                                    make,
                                    {},
                                    /*several=*/true,
                                    /*ofScene=*/true}};

}  // namespace
}  // namespace halo
