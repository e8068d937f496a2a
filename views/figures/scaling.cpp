// Epoch time over workers, a line a method. Marks and dashes tell measured, simulated and extrapolated apart.
// The figure also has the number of workers from which another method is the faster.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "engine/base/index.h"
#include "views/figures/cross_over.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"

namespace halo {
namespace {

constexpr std::string_view kShow[] = {"epoch", "speedup", "efficiency"};
constexpr Parameter kParameters[] = {
    {"show", "what the vertical axis has: the time of an epoch, how many times faster, or that a worker",
     Choice{"epoch", kShow}}};
constexpr FigureMark kMarks[] = {FigureMark::dot, FigureMark::square, FigureMark::triangle,
                                 FigureMark::diamond, FigureMark::cross};
constexpr int kGrey = 7;  // of seriesColor

/// What all lines of one data set, model and origin are measured by. It is the fastest of those with the
/// fewest workers, and what these would take one after another.
struct Baseline {
  double workers = 0, oneWorker = 0;
};
Baseline baselineOf(const ScalingLine& line, const std::vector<ScalingLine>& lines) {
  Baseline base;
  for (const ScalingLine& other : lines) {
    if (other.base != line.base || other.origin != line.origin) continue;
    const double workers = other.workers.front(), oneWorker = other.seconds.front() * workers;
    if (base.workers == 0 || std::pair(workers, oneWorker) < std::pair(base.workers, base.oneWorker))
      base = {workers, oneWorker};
  }
  return base;
}

/// `scale`: how many units of the axis make a second.
std::vector<double> valuesOf(const ScalingLine& line, const std::vector<ScalingLine>& lines,
                             const std::string& show, double scale) {
  std::vector<double> values;
  const double oneWorker = baselineOf(line, lines).oneWorker;
  for (std::size_t i = 0; i < line.seconds.size(); ++i) {
    if (show == "epoch") {
      values.push_back(line.seconds[i] * scale);
      continue;
    }
    const double speedup = std::isfinite(line.speedups[i]) ? line.speedups[i] : oneWorker / line.seconds[i];
    values.push_back(speedup / (show == "speedup" ? 1 : line.workers[i]));
  }
  return values;
}

/// "measured", "replayed".
QString kindOf(const ScalingLine& line) {
  return line.replayed && line.origin == Origin::simulated ? "replayed" : text(line.origin);
}

/// "vanilla, simulated on fdr".
QString nameOf(const ScalingLine& line) {
  if (line.origin == Origin::measured) return line.method;
  const QString name = QString("%1, %2").arg(line.method, kindOf(line));
  return line.machine.isEmpty() ? name : name + " on " + line.machine;
}

/// Whose one worker it is, where several methods have the baseline.
QString fastestNote(const ScalingLine& line, const std::vector<ScalingLine>& lines) {
  const Baseline base = baselineOf(line, lines);
  QString fastest, note;
  for (const ScalingLine& other : lines) {
    if (other.base != line.base || other.origin != line.origin) continue;
    if (other.method != line.method) note = "over one worker of ";
    if (other.workers.front() == base.workers && other.seconds.front() * base.workers == base.oneWorker)
      fastest = other.method;
  }
  return note.isEmpty() ? note : note + fastest;
}

/// What is divided by the epochs; "" where that is the line's own one worker.
QString baselineNote(const ScalingLine& line, const std::vector<ScalingLine>& lines) {
  if (std::ranges::all_of(line.speedups, [](double s) { return std::isfinite(s); }))
    return "over one worker of each method";
  const double workers = baselineOf(line, lines).workers;
  if (workers <= 1) return fastestNote(line, lines);
  return QString("%1 workers count as %1 times faster than one").arg(formatCountOf(workers));
}

/// A note for each baseline, of the kinds of lines that all have it, and of single lines of other kinds.
void markBaselines(Figure& figure, const std::vector<ScalingLine>& lines) {
  std::map<QString, QStringList> namesOf;
  for (const ScalingLine& line : lines) {
    const QString note = baselineNote(line, lines);
    const bool all = std::ranges::all_of(lines, [&](const ScalingLine& other) {
      return kindOf(other) != kindOf(line) || baselineNote(other, lines) == note;
    });
    const QString who = all ? kindOf(line) : nameOf(line);
    if (!note.isEmpty() && !namesOf[note].contains(who)) namesOf[note] << who;
  }
  constexpr qsizetype kNamed = 3;  // a header is no list
  for (const auto& [note, who] : namesOf) {
    const QString more = who.size() > kNamed ? QString(" and %1 more").arg(who.size() - kNamed) : QString();
    figure.marks << who.first(std::min(kNamed, who.size())).join(", ") + more + ": " + note;
  }
}

/// A method has one colour, whatever its lines' origin; where several of one origin are on different machines
/// the further ones have their own.
QString colorKey(const ScalingLine& line, const std::vector<ScalingLine>& lines) {
  const auto first = std::ranges::find_if(lines, [&](const ScalingLine& other) {
    return other.method == line.method && other.origin == line.origin;
  });
  return first->machine == line.machine && first->replayed == line.replayed ? line.method : nameOf(line);
}

/// The chips that the line's runs are in, by place: their colours.
std::map<std::size_t, int> chipsOf(const ScalingLine& line, const RunChips& chips) {
  std::map<std::size_t, int> places;
  for (const std::vector<const RunRow*>& runs : line.runs)
    for (const RunRow* run : runs)
      if (const auto chip = chips.find(run->id); chip != chips.end())
        places.emplace(chip->second.place, chip->second.color);
  return places;
}

/// Lines without a chip come behind all others.
std::size_t firstChipOf(const ScalingLine& line, const RunChips& chips) {
  const std::map<std::size_t, int> ofLine = chipsOf(line, chips);
  return ofLine.empty() ? SIZE_MAX : ofLine.begin()->first;
}

/// "A, C  vanilla": the chips among its points.
QString letteredName(const ScalingLine& line, const RunChips& chips) {
  QStringList letters;
  for (const auto& [place, color] : chipsOf(line, chips)) letters << chipLetter(place);
  return letters.isEmpty() ? nameOf(line) : letters.join(", ") + "  " + nameOf(line);
}

/// A colour a line: that of its first chip, as in every view; of lines in none those that no chip has.
class LineColors {
 public:
  LineColors(const std::vector<ScalingLine>& lines, const RunChips& chips) : lines_(lines), chips_(chips) {
    for (const auto& [run, chip] : chips) taken_.insert(chip.color);
  }
  int colorOf(const ScalingLine& line) {
    if (const auto chips = chipsOf(line, chips_); !chips.empty()) return chips.begin()->second;
    const auto [color, isNew] = colors_.try_emplace(colorKey(line, lines_), next_);
    if (!isNew) return color->second;
    while (taken_.contains(next_)) ++next_;
    return color->second = next_++;
  }

 private:
  const std::vector<ScalingLine>& lines_;
  const RunChips& chips_;
  std::set<int> taken_;  // by chips
  std::map<QString, int> colors_;
  int next_ = 0;
};

QString pointLabel(const ScalingLine& line, std::size_t i) {
  QStringList runs;
  for (const RunRow* run : line.runs[i]) runs << QString::number(run->id);
  return QString("%1: %2 worker%3, epoch %4\nrun%5 %6")
      .arg(nameOf(line), formatCountOf(line.workers[i]), line.workers[i] == 1 ? "" : "s",
           formatNsOf(line.seconds[i] * 1e9), runs.size() == 1 ? "" : "s", runs.join(", "));
}

void addCrossOvers(Figure& figure, const std::vector<ScalingLine>& lines, double scale) {
  bool comparable = false;
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = a + 1; b < lines.size(); ++b) {
      if (lines[a].origin != lines[b].origin || lines[a].base != lines[b].base) continue;
      comparable = true;
      for (const CrossOver& at :
           crossOvers({lines[a].workers, lines[a].seconds}, {lines[b].workers, lines[b].seconds})) {
        QString note = QString("%1 = %2 at %3").arg(lines[a].method, lines[b].method, formatNumber(at.x, 2));
        if (lines[a].origin != Origin::measured) note += QString(" (%1)").arg(kindOf(lines[a]));
        figure.notes.push_back({at.x, note, at.y * scale, true});
      }
    }
  if (comparable && figure.notes.empty()) figure.marks << "no cross-over";
}

Figure make(const FigureInput& input, const Values& values) {
  const std::string show = values.text("show");
  Figure figure;
  figure.title = show == "epoch"     ? "Time of an epoch over workers"
                 : show == "speedup" ? "Speed-up over workers"
                                     : "Efficiency over workers";
  figure.form = FigureForm::points;
  figure.emptyReason =
      "No completed run here has trained, or simulated a cluster's training, for an epoch; an experiment "
      "with a list of cluster.workers draws this.";
  figure.x = {"workers", "", true, {}};
  std::vector<ScalingLine> lines = scalingLines(input.all, input.chosen);
  std::ranges::stable_sort(lines, {},
                           [&](const ScalingLine& line) { return firstChipOf(line, input.chips); });
  double longest = 0;
  for (const ScalingLine& line : lines) longest = std::max(longest, std::ranges::max(line.seconds));
  const auto [unit, scale] = secondsUnit(longest);
  figure.y = {"epoch, median", unit, true, {}};
  if (show != "epoch") figure.y = {show == "speedup" ? "speed-up" : "efficiency", "", show == "speedup", {}};
  std::vector<const RunRow*> drawn;
  LineColors colors(lines, input.chips);
  for (const ScalingLine& line : lines) {
    const int color = colors.colorOf(line);
    FigureSeries series;
    series.name = letteredName(line, input.chips);
    series.x = line.workers;
    series.y = valuesOf(line, lines, show, scale);
    series.mark = kMarks[at(color) % std::size(kMarks)];
    series.outlined = line.origin != Origin::measured;
    series.color = color;
    series.dash = static_cast<int>(line.origin);
    for (std::size_t i = 0; i < line.workers.size(); ++i) {
      series.labels.push_back(pointLabel(line, i));
      drawn.insert(drawn.end(), line.runs[i].begin(), line.runs[i].end());
    }
    for (const double workers : line.workers)
      if (std::ranges::find(figure.x.places, workers) == figure.x.places.end())
        figure.x.places.push_back(workers);
    figure.series.push_back(std::move(series));
  }
  std::ranges::sort(figure.x.places);
  std::ranges::sort(drawn, {}, &RunRow::id);
  addProvenance(figure, input.all, drawn);
  if (show == "epoch") {
    addCrossOvers(figure, lines, scale);
  } else if (!lines.empty()) {
    markBaselines(figure, lines);
    const std::vector<double> ends{figure.x.places.front(), figure.x.places.back()};
    FigureSeries ideal{"ideal", ends, show == "speedup" ? ends : std::vector<double>{1, 1}};
    ideal.color = kGrey;
    ideal.dash = 1;
    figure.series.push_back(std::move(ideal));
  }
  return figure;
}

const Registered<FigureEntry> self{
    {{"scaling", "epoch time over workers and where methods cross", "", kParameters}, make, {}, true}};

}  // namespace
}  // namespace halo
