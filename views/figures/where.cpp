// Where the mean epoch of every chip goes: its parts beside each other, part by part, or rank by rank with
// the ranks of the chips beside each other.
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/look/palette.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"parts", "ranks"};
constexpr std::string_view kScene = "scene";
constexpr std::string_view kRules[] = {kScene, "automatic", "parts", "node", "number", "together"};
constexpr Parameter kParameters[] = {
    {"show", "part by part, or a bar a rank", Choice{"parts", kShows}},
    {"ranks", "by what ranks of runs with other numbers of them stand together, or as the scene says",
     Choice{kScene, kRules}}};

/// Chips that have a mean epoch, by their places among the compared ones.
std::vector<std::size_t> drawnChips(const SceneData& scene) {
  std::vector<std::size_t> chips;
  for (std::size_t c = 0; c < scene.comparison.means.size(); ++c)
    if (scene.comparison.means[c].ns != 0) chips.push_back(c);
  return chips;
}

void drawParts(const SceneData& scene, Figure& figure) {
  figure.form = FigureForm::groupedBars;
  const std::vector<std::size_t> chips = drawnChips(scene);
  const auto mean = [&](std::size_t chip) -> const MeanEpoch& { return scene.comparison.means[chip]; };
  double longest = 0;
  for (const std::size_t c : chips) longest = std::max(longest, std::ranges::max(mean(c).parts));
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
    if (std::ranges::all_of(chips, [&](std::size_t c) { return mean(c).parts[p] == 0; })) continue;
    figure.x.categories << QString::fromUtf8(text(static_cast<TimePart>(p)));
    for (std::size_t i = 0; i < chips.size(); ++i)
      figure.series[i].y.push_back(mean(chips[i]).parts[p] * 1e-9 * scale);
  }
  if (figure.x.categories.isEmpty()) figure.series.clear();
}

/// A bar: ranks of a chip.
struct Bar {
  std::size_t chip = 0;
  std::vector<std::int64_t> ranks;
};

/// "A 3", or "B 4–7": of ranks that do not follow each other all numbers.
QString nameOf(const Bar& bar, const SceneData& scene) {
  const std::vector<std::int64_t>& ranks = bar.ranks;
  const QString letter = chipLetter(scene.compared[bar.chip]) + " ";
  const std::int64_t first = ranks.front(), last = ranks.back();
  if (ranks.size() == 1) return letter + QString::number(first);
  if (last - first + 1 == std::ssize(ranks)) return letter + QString("%1–%2").arg(first).arg(last);
  QStringList numbers;
  for (const std::int64_t rank : ranks) numbers << QString::number(rank);
  return letter + numbers.join(',');
}

RankRule ruleOf(const Values& values, const SceneData& scene) {
  const std::string& word = values.text("ranks");
  const auto rule = std::ranges::find(kRankRules, word);
  return rule == kRankRules.end() ? scene.state.ranks : static_cast<RankRule>(rule - kRankRules.begin());
}

std::size_t ranksOf(const SceneData& scene, std::size_t chip) {
  return chip < scene.comparison.rankParts.size() ? scene.comparison.rankParts[chip].size() : 0;
}

/// Of each rank of the first chip, or group of such, its bar and those of the others that stand against it.
/// What has no counterpart stands behind. How well they match is said in a mark.
std::vector<Bar> barsOf(const SceneData& scene, RankRule rule, Figure& figure) {
  std::vector<std::size_t> chips = drawnChips(scene);
  std::erase_if(chips, [&](std::size_t c) { return ranksOf(scene, c) == 0; });
  if (chips.empty()) return {};
  const std::size_t first = chips.front(), ranks = ranksOf(scene, first);
  std::vector<RankMap> maps;  // from the first to each other
  for (std::size_t i = 1; i < chips.size(); ++i) {
    maps.push_back(rankMap(scene.comparison.rankFacts[first], scene.comparison.rankFacts[chips[i]], rule));
    if (ranksOf(scene, chips[i]) != ranks)
      figure.marks << QString("%1 to %2: %3")
                          .arg(chipLetter(scene.compared[first]), chipLetter(scene.compared[chips[i]]),
                               QString::fromStdString(maps.back().words));
  }
  std::vector<Bar> bars;
  const auto add = [&](std::size_t chip, const std::vector<std::int64_t>& which) {
    if (!which.empty()) bars.push_back({chip, which});
  };
  if (chips.size() == 2) {  // group by group, and each shows all ranks of it
    for (const RankGroup& group : maps.front().groups) {
      add(first, group.first);
      add(chips[1], group.second);
    }
    return bars;
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto number = static_cast<std::int64_t>(rank);
    add(first, {number});
    for (std::size_t i = 1; i < chips.size(); ++i)
      for (const RankGroup& group : maps[i - 1].groups)
        if (!group.first.empty() && group.first.front() == number) add(chips[i], group.second);
  }
  return bars;
}

/// Its colours are those of the breakdown.
FigureSeries seriesOf(TimePart part) {
  FigureSeries series;
  series.name = QString::fromUtf8(text(part));
  switch (part) {
    case TimePart::compute:
      series.kind = Kind::compute;
      break;
    case TimePart::quantise:
      series.kind = Kind::quantise;
      break;
    case TimePart::unjudged:
      series.kind = Kind::communication;
      break;
    case TimePart::other:
      series.kind = Kind::other;
      break;
    case TimePart::idle:
    case TimePart::rest:
      series.kind = Kind::idle;
      break;
    default:
      series.outlined = true;
      series.color =
          causeColor(static_cast<Name>(static_cast<int>(Name::waitsLateSender) + static_cast<int>(part) -
                                       static_cast<int>(TimePart::lateSender)));
  }
  return series;
}

void drawRanks(const SceneData& scene, RankRule rule, Figure& figure) {
  figure.form = FigureForm::stackedBars;
  const std::vector<Bar> bars = barsOf(scene, rule, figure);
  const auto partOf = [&](const Bar& bar, std::size_t part) {
    double ns = 0;
    for (const std::int64_t rank : bar.ranks) ns += scene.comparison.rankParts[bar.chip][at(rank)][part];
    return ns / static_cast<double>(bar.ranks.size());
  };
  double longest = 0;
  for (const Bar& bar : bars) longest = std::max(longest, scene.comparison.means[bar.chip].ns);
  const auto [unit, scale] = secondsUnit(longest * 1e-9);
  figure.x = {"chip and rank", "", false, {}};
  figure.y = {"mean epoch", unit, false, {}};
  for (const Bar& bar : bars) figure.x.categories << nameOf(bar, scene);
  for (std::size_t p = 0; p < kTimeParts && !bars.empty(); ++p) {
    FigureSeries series = seriesOf(static_cast<TimePart>(p));
    for (const Bar& bar : bars) series.y.push_back(partOf(bar, p) * 1e-9 * scale);
    if (std::ranges::any_of(series.y, [](double value) { return value != 0; }))
      figure.series.push_back(std::move(series));
  }
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  const bool ranks = values.text("show") == "ranks";
  const char* title = ranks ? "Where the mean epoch of each rank goes" : "Where the mean epoch goes";
  figure.title = title;
  figure.form = FigureForm::groupedBars;
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  figure.title = titled(title, scene);
  figure.emptyReason = noneInScope(scene, "None of these runs recorded where its time went.");
  addProvenance(figure, scene);
  ranks ? drawRanks(scene, ruleOf(values, scene), figure) : drawParts(scene, figure);
  return figure;
}

const Registered<FigureEntry> self{
    {{"where", "where the mean epoch goes, chips side by side, part by part or rank by rank", "",
      kParameters},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
