// Where the mean epoch of every chip goes: its parts beside each other, part by part.
#include <algorithm>
#include <limits>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Where the mean epoch goes";
  figure.form = FigureForm::groupedBars;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled("Where the mean epoch goes", scene);
  figure.emptyReason = noneInScope(scene, "None of these runs recorded where its time went.");
  std::vector<MeanEpoch> means;  // of the chips that have any
  std::vector<std::size_t> chips;
  for (std::size_t c = 0; c < scene.comparison.means.size(); ++c) {
    if (scene.comparison.means[c].ns == 0) continue;
    means.push_back(scene.comparison.means[c]);
    chips.push_back(c);
  }
  double longest = 0;
  for (const MeanEpoch& mean : means) longest = std::max(longest, std::ranges::max(mean.parts));
  const auto [unit, scale] = secondsUnit(longest * 1e-9);
  figure.x = {"part of a worker's time", "", false, {}};
  figure.y = {"mean epoch", unit, false, {}};
  for (const std::size_t c : chips) {
    FigureSeries series;
    series.name = lettered(scene, c);
    series.color = scene.chips[scene.compared[c]].chip.color;
    series.outlined = scene.chips[scene.compared[c]].modelled;
    figure.series.push_back(std::move(series));
  }
  for (std::size_t p = 0; p < kTimeParts; ++p) {
    if (std::ranges::all_of(means, [p](const MeanEpoch& mean) { return mean.parts[p] == 0; })) continue;
    figure.x.categories << QString::fromUtf8(text(static_cast<TimePart>(p)));
    for (std::size_t c = 0; c < means.size(); ++c)
      figure.series[c].y.push_back(means[c].parts[p] * 1e-9 * scale);
  }
  if (figure.x.categories.isEmpty()) figure.series.clear();
  addProvenance(figure, scene);
  return figure;
}

const Registered<FigureEntry> self{{{"where", "where the mean epoch goes, chips side by side", ""},
                                    make,
                                    {},
                                    /*several=*/true,
                                    /*ofScene=*/true}};

}  // namespace
}  // namespace halo
