// A hybrid node over its accelerator cards: seeds trained a second, a line for each platform as it was
// simulated. A ring is where host memory has as much to do as each card's PCIe, by the model; beyond it,
// cards wait for it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "views/figures/cross_over.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"

namespace halo {
namespace {

constexpr std::string_view kShow[] = {"throughput", "speedup", "epoch"};
constexpr Parameter kParameters[] = {
    {"show", "what the vertical axis has: seeds a second, how many times those of the fewest cards, an epoch",
     Choice{"throughput", kShow}}};
constexpr FigureMark kMarks[] = {FigureMark::square, FigureMark::triangle, FigureMark::diamond,
                                 FigureMark::cross, FigureMark::dot};
constexpr int kGrey = 7;  // of seriesColor
constexpr const char* kCards = "platform.cards";

using Settings = std::map<std::string, std::string>;

/// Of one platform on one data set, by cards; the youngest simulation of each number counts.
struct Line {
  const Settings* settings = nullptr;
  QString name;
  std::vector<const RunRow*> runs;
  std::vector<double> cards, seedsPerSecond, epochSeconds;
};

double numberOf(const Settings& settings, const std::string& key) {
  const auto setting = settings.find(key);
  double number = 0;
  if (setting != settings.end())
    std::from_chars(setting->second.data(), setting->second.data() + setting->second.size(), number);
  return number;
}

/// Whether lines differ by this key: what is settled but by chance, and no number that comes out.
bool tellsApart(const std::string& key) {
  return key != kCards && key != "training.seed" && !key.starts_with("result.");
}

std::string valueOf(const Settings& settings, const std::string& key) {
  const auto setting = settings.find(key);
  if (setting == settings.end()) return "";
  const std::string& text = setting->second;
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Names lines by what they differ in: first what matters most, then what is still needed to tell them apart.
void nameLines(std::vector<Line>& lines) {
  std::vector<std::string> keys = {"simulate.platform", "dataset.name", "simulate.mode",
                                   "simulate.host_traffic_factor", "platform.memory_sockets"};
  const std::size_t always = keys.size();
  for (const Line& line : lines)
    for (const auto& [key, value] : *line.settings)
      if (tellsApart(key) && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::set<std::string> values;
    std::set<QString> names;
    for (const Line& line : lines) values.insert(valueOf(*line.settings, keys[k])), names.insert(line.name);
    if (values.size() < 2 || (k >= always && names.size() == lines.size())) continue;
    for (Line& line : lines) {
      const QString value = QString::fromStdString(valueOf(*line.settings, keys[k]));
      const QString part = k < 2 ? value : QString::fromStdString(keys[k]).section('.', 1) + "=" + value;
      line.name += (line.name.isEmpty() ? "" : ", ") + part;
    }
  }
  for (Line& line : lines)
    if (line.name.isEmpty()) line.name = QString::fromStdString(valueOf(*line.settings, "simulate.platform"));
}

std::vector<Line> linesOf(const RunsData& data, std::span<const std::int64_t> chosen) {
  std::map<Settings, std::map<double, const RunRow*>> runsBySettings;
  for (const RunRow* run : completedRuns(data, chosen)) {
    const Settings& settings = parametersOf(data, *run);
    const double cards = numberOf(settings, kCards);
    if (run->kind != "simulation" || cards < 1 || !metricOf(data, *run, "seeds_per_second")) continue;
    Settings same;
    for (const auto& [key, value] : settings)
      if (tellsApart(key)) same.emplace(key, value);
    runsBySettings[same][cards] = run;
  }
  std::vector<Line> lines;
  for (const auto& [same, places] : runsBySettings) {
    Line line;
    line.settings = &parametersOf(data, *places.begin()->second);
    for (const auto& [cards, run] : places) {
      line.runs.push_back(run);
      line.cards.push_back(cards);
      line.seedsPerSecond.push_back(*metricOf(data, *run, "seeds_per_second"));
      line.epochSeconds.push_back(metricOf(data, *run, "epoch_seconds").value_or(0));
    }
    lines.push_back(std::move(line));
  }
  nameLines(lines);
  std::ranges::sort(lines, {}, &Line::name);
  return lines;
}

std::vector<double> valuesOf(const Line& line, const std::string& show, double scale) {
  std::vector<double> values;
  for (std::size_t i = 0; i < line.cards.size(); ++i)
    values.push_back(show == "throughput" ? line.seedsPerSecond[i]
                     : show == "speedup"  ? line.seedsPerSecond[i] / line.seedsPerSecond.front()
                                          : line.epochSeconds[i] * scale);
  return values;
}

/// A ring on the curve where the trainers (cards, and the processors) that saturate host memory are reached.
void addSaturation(const Line& line, const std::vector<double>& y, Figure& figure) {
  const double at = numberOf(*line.settings, "result.saturating_trainers") - 1;
  for (std::size_t i = 1; i < line.cards.size(); ++i) {
    const double before = line.cards[i - 1], after = line.cards[i];
    if (at < before || at > after) continue;
    const FigureNote note{at, QString("memory full at %1").arg(formatNumber(at, 3)),
                          y[i - 1] + (y[i] - y[i - 1]) * (at - before) / (after - before), true};
    const auto same = [&](const FigureNote& other) {  // curves may lie on each other
      return other.text == note.text && std::abs(*other.y - *note.y) < 0.02 * *note.y;
    };
    if (std::ranges::none_of(figure.notes, same)) figure.notes.push_back(note);
    return;
  }
}

/// crossOvers takes curves for straight on logarithmic axes, and these are straight on linear ones.
std::vector<CrossOver> linearCrossOvers(const Line& a, const std::vector<double>& ya, const Line& b,
                                        const std::vector<double>& yb) {
  const double most = std::max(std::ranges::max(ya), std::ranges::max(yb));
  const double wide = std::max(a.cards.back(), b.cards.back());
  const auto raised = [](const std::vector<double>& values, double by) {
    std::vector<double> powers;
    for (const double value : values) powers.push_back(std::exp(value / by));
    return powers;
  };
  std::vector<CrossOver> crossings =
      crossOvers({raised(a.cards, wide), raised(ya, most)}, {raised(b.cards, wide), raised(yb, most)});
  for (CrossOver& at : crossings) at = {std::log(at.x) * wide, std::log(at.y) * most};
  return crossings;
}

/// Platforms cross where one trains as many seeds a second as another; the same one under another assumption
/// is no rival.
void addCrossOvers(const std::vector<Line>& lines, const std::vector<std::vector<double>>& y,
                   Figure& figure) {
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b) {
      const Settings &first = *lines[a].settings, &second = *lines[b].settings;
      const auto alike = [&](const char* key) { return valueOf(first, key) == valueOf(second, key); };
      const bool rivals = (!alike("simulate.platform") || !alike("simulate.mode")) && alike("dataset.name") &&
                          alike("dataset.scale") && alike("model.kind") &&
                          alike("simulate.host_traffic_factor");
      if (!rivals) continue;
      for (const CrossOver& at : linearCrossOvers(lines[a], y[a], lines[b], y[b]))
        figure.notes.push_back(
            {at.x, QString("%1 = %2 at %3").arg(lines[a].name, lines[b].name, formatNumber(at.x, 2)), at.y,
             true});
    }
}

QString pointLabel(const Line& line, std::size_t i) {
  return QString("%1: %2 card%3, %4 seeds/s, epoch %5\nrun %6")
      .arg(line.name)
      .arg(line.cards[i])
      .arg(line.cards[i] == 1 ? "" : "s")
      .arg(formatShort(line.seedsPerSecond[i]), formatNsOf(line.epochSeconds[i] * 1e9))
      .arg(line.runs[i]->id);
}

Figure make(const FigureInput& input, const Values& values) {
  const std::string show = values.text("show");
  Figure figure;
  figure.title = show == "throughput" ? "Seeds trained a second over cards"
                 : show == "speedup"  ? "Speed-up over cards"
                                      : "Time of an epoch over cards";
  figure.form = FigureForm::points;
  figure.emptyReason =
      "No platform ([[simulate]] platform, with platform.cards in a list) was simulated here.";
  figure.x = {"accelerator cards of the node", "", false, {}};
  const std::vector<Line> lines = linesOf(input.all, input.chosen);
  double longest = 0;
  for (const Line& line : lines) longest = std::max(longest, std::ranges::max(line.epochSeconds));
  const auto [unit, scale] = secondsUnit(longest);
  figure.y = {show == "throughput" ? "seeds trained a second"
              : show == "speedup"  ? "speed-up"
                                   : "epoch",
              show == "epoch" ? unit : "",
              false,
              {}};
  std::vector<const RunRow*> drawn;
  std::vector<std::vector<double>> heights;
  for (const Line& line : lines) {
    const std::size_t index = figure.series.size();
    FigureSeries series;
    series.name = line.name;
    series.x = line.cards;
    series.y = valuesOf(line, show, scale);
    series.mark = kMarks[index % std::size(kMarks)];
    series.outlined = true;
    series.color = static_cast<int>(index);
    series.dash = static_cast<int>(Origin::simulated);
    for (std::size_t i = 0; i < line.cards.size(); ++i) series.labels.push_back(pointLabel(line, i));
    for (const double cards : line.cards)
      if (std::ranges::find(figure.x.places, cards) == figure.x.places.end())
        figure.x.places.push_back(cards);
    addSaturation(line, series.y, figure);
    drawn.insert(drawn.end(), line.runs.begin(), line.runs.end());
    heights.push_back(series.y);
    figure.series.push_back(std::move(series));
  }
  addCrossOvers(lines, heights, figure);
  std::ranges::sort(figure.x.places);
  std::ranges::sort(drawn, {}, &RunRow::id);
  addProvenance(figure, input.all, drawn);
  if (show == "speedup" && !lines.empty()) {
    const std::vector<double> ends{figure.x.places.front(), figure.x.places.back()};
    FigureSeries ideal{"as many times the cards", ends, {1, ends[1] / ends[0]}};
    ideal.color = kGrey;
    ideal.dash = 1;
    figure.series.push_back(std::move(ideal));
  }
  return figure;
}

const Registered<FigureEntry> self{
    {{"cards", "a hybrid node over its accelerator cards", "", kParameters}, make, {}, true}};

}  // namespace
}  // namespace halo
