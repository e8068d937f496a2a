// A paper's figures. Ours stands beside the published value and the band in which ours counts as reproduced.
// Each set of assumptions that the paper leaves open is shown. As `haloscope compare` holds them
// (reproduced.h).
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/experiment/published_runs.h"
#include "engine/experiment/reproduced.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/tables/runs.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"

namespace halo {
namespace {

constexpr std::string_view kShow[] = {"auto", "value", "share"};
constexpr Parameter kParameters[] = {
    {"show",
     "value: as printed; share: over the published value; auto: value where all figures are of one kind",
     Choice{"auto", kShow}}};
constexpr int kOfOurs = 0, kOutside = 1, kPublished = 2, kBand = 3, kOrder = 4;  // in the order of colours

/// Runs of one experiment that differ in their seed alone are one.
struct Repeats {
  std::map<std::string, std::string> parameters;
  std::vector<const RunRow*> runs;
};

std::vector<Repeats> repeatsOf(const RunsData& data, const std::vector<const RunRow*>& runs,
                               const std::string& text) {
  std::vector<Repeats> all;
  for (const RunRow* run : runs) {
    const auto from = data.experiments.find(run->experimentId);
    if (from == data.experiments.end() || from->second.text != text) continue;
    auto parameters = withoutChance(data.publishedSettings.at(run->id));
    const auto same = std::ranges::find(all, parameters, &Repeats::parameters);
    if (same == all.end())
      all.push_back({std::move(parameters), {run}});
    else
      same->runs.push_back(run);
  }
  return all;
}

Measured measuredOf(const RunsData& data, const Repeats& repeats, const std::string& text) {
  Measured measured{repeats.parameters, text, {}};
  std::map<std::string, std::pair<double, double>> sums;  // and how many
  for (const RunRow* run : repeats.runs) {
    measured.sharedCores |= run->marks.find("oversubscribed") != std::string::npos;
    if (const auto latest = data.latest.find(run->id); latest != data.latest.end())
      for (const auto& [key, value] : latest->second) {
        sums[key].first += value;
        sums[key].second += 1;
      }
  }
  for (const auto& [key, sum] : sums) measured.values[key] = sum.first / sum.second;
  return measured;
}

/// Parts that all of the names begin, or end, with; one is left of each.
qsizetype sharedParts(const QList<QStringList>& names, bool fromEnd) {
  qsizetype least = names.front().size(), count = 0;
  for (const QStringList& name : names) least = std::min(least, name.size());
  const auto at = [&](const QStringList& name) {
    return fromEnd ? name[name.size() - 1 - count] : name[count];
  };
  const auto same = [&](const QStringList& name) { return at(name) == at(names.front()); };
  while (count + 1 < least && std::ranges::all_of(names, same)) ++count;
  return count;
}

/// What stands between the words that begin and end all of the names; `shared`: those that begin them.
QStringList shortened(const QStringList& names, QString& shared) {
  if (names.size() < 2) return names;
  QList<QStringList> parts;
  for (const QString& name : names) parts << name.split(", ");
  const qsizetype front = sharedParts(parts, false);
  shared = parts.front().mid(0, front).join(", ");
  for (QStringList& name : parts) name = name.mid(front);
  const qsizetype back = sharedParts(parts, true);
  QStringList left;
  for (const QStringList& name : parts) left << name.mid(0, name.size() - back).join(", ");
  return left;
}

QString assumptionsText(const Reproduced& reproduced) {
  QStringList parts;
  for (const auto& [key, value] : reproduced.assumptions)
    parts << QString::fromStdString(key.substr(key.rfind('.') + 1)) + "=" + QString::fromStdString(value);
  return parts.join(" ");
}

bool isInside(const Reproduced& reproduced) { return reproduced.verdict == Reproduced::Verdict::inside; }

/// The paper says which is ahead, and not by how much: a factor of ours says nothing of how near it is.
bool isOrder(const Published& figure) { return figure.counts == Published::Counts::order; }

/// All tables show values of one kind: of one metric, all ratios or none.
bool alike(const std::vector<Reproduced>& figures) {
  return std::ranges::all_of(figures, [&](const Reproduced& reproduced) {
    return reproduced.figure.metric == figures.front().figure.metric &&
           reproduced.figure.over.has_value() == figures.front().figure.over.has_value();
  });
}

/// What ours is drawn over in a picture of shares: the published value, of a range its end, and of an order
/// the tie.
double wholeOf(const Published& figure) {
  if (figure.value) return *figure.value;
  if (isOrder(figure)) return figure.over ? 1 : 0;
  return std::isfinite(figure.high) ? figure.high : figure.low;
}

QString xTitle(const std::vector<Reproduced>& figures, bool share) {
  if (share) {
    QStringList titles;
    const auto any = [&](auto predicate) {
      return std::ranges::any_of(figures, predicate, &Reproduced::figure);
    };
    if (any([](const Published& figure) { return figure.value.has_value(); }))
      titles << "the published value";
    if (any([](const Published& figure) {
          return !figure.value && figure.counts != Published::Counts::order;
        }))
      titles << "the end of a published range";
    if (any([](const Published& figure) {
          return !figure.value && figure.counts == Published::Counts::order;
        }))
      titles << "a tie";
    return "ours over " + titles.join(", or over ");
  }
  const Published& first = figures.front().figure;
  const QString metric = QString::fromStdString(first.metric).replace('_', ' ');
  return first.over ? metric + ", ratio" : metric;
}

/// In what the runs of a ratio differ beside what it compares.
std::vector<Unlike> unlikeRuns(const Reproduced& reproduced, const std::vector<ComparedRepeats>& columns) {
  if (!reproduced.over) return {};
  return unlikeBesides(comparedBy(reproduced.figure), columns[reproduced.column], columns[*reproduced.over]);
}

constexpr const char* kUnlikeSign = "*";   // behind the names of ratios whose runs differ
constexpr const char* kOrderSign = "†";    // and of figures of which only the order is held
constexpr const char* kDerivedSign = "‡";  // and of values that are not printed, but follow from what is

/// What figures of one kind are drawn as: magnitudes, or orders.
struct Drawn {
  FigureSeries band, inside, outside, otherInside, otherOutside;

  Drawn(const QString& in, const QString& out, const QString& place, FigureMark mark, int color,
        int placeColor) {
    inside.name = "ours, " + in;
    outside.name = "ours, " + out;
    otherInside.name = "other assumptions, " + in;
    otherOutside.name = "other assumptions, " + out;
    band.name = place;
    inside.mark = otherInside.mark = mark;
    outside.mark = FigureMark::cross;
    otherOutside.mark = FigureMark::triangle;
    inside.color = otherInside.color = color;
    outside.color = otherOutside.color = kOutside;
    band.color = placeColor;
    inside.joined = outside.joined = otherInside.joined = otherOutside.joined = false;
    otherInside.outlined = otherOutside.outlined = true;
    band.band = true;
  }
};

class Drawing {
 public:
  Drawing(const std::vector<Reproduced>& all, bool share, const std::vector<ComparedRepeats>& columns)
      : share_(share), columns_(columns) {
    published_.name = "published";
    published_.mark = FigureMark::diamond;
    published_.color = kPublished;
    published_.joined = false;
    published_.outlined = true;
    std::set<std::size_t> left;
    for (const Reproduced& reproduced : all) {
      if (reproduced.counted) counting_.emplace(reproduced.table, &reproduced);
      if (drawn(reproduced))
        sets_[reproduced.table].push_back(&reproduced);
      else
        left.insert(reproduced.table);
    }
    std::erase_if(left, [&](std::size_t table) { return sets_.contains(table); });
    notDrawn_ = left.size();
    double place = 0;
    for (const auto& [table, sets] : sets_) addTable(sets, place++);
  }
  std::vector<FigureSeries> series() {
    std::vector<FigureSeries> all;
    for (FigureSeries Drawn::*each :
         {&Drawn::band, &Drawn::otherInside, &Drawn::otherOutside, &Drawn::inside, &Drawn::outside})
      for (Drawn* kind : {&magnitudes_, &orders_})
        if (!(kind->*each).y.empty()) all.push_back(std::move(kind->*each));
    if (!published_.y.empty()) all.push_back(std::move(published_));
    return all;
  }
  const QStringList& names() const { return names_; }
  /// Of each row, kOrderSign, kDerivedSign and kUnlikeSign as far as they hold.
  const QStringList& signs() const { return signs_; }
  /// "* runs differ in host", of all rows with the sign; else empty.
  QString unlike() const {
    const std::string sentence = unlikeSentence(unlike_);
    return sentence.empty() ? QString() : kUnlikeSign + QString(" ") + QString::fromStdString(sentence);
  }
  /// What kOrderSign says; empty: no row has it.
  QString order() const {
    if (signs_.filter(kOrderSign).isEmpty()) return {};
    return kOrderSign + QString(" order only: which is ahead is published, by how much is not");
  }
  /// What kDerivedSign says; empty: no row has it.
  QString derived() const {
    if (signs_.filter(kDerivedSign).isEmpty()) return {};
    return kDerivedSign + QString(" derived: the value is not printed itself, and follows from what is");
  }
  /// "filled or crossed: line_bytes=64, which counts", where a figure has several sets of assumptions; else
  /// empty.
  QString counting() const {
    const auto others = [](const Drawn& kind) {
      return !kind.otherInside.x.empty() || !kind.otherOutside.x.empty();
    };
    if (!others(magnitudes_) && !others(orders_)) return {};
    QStringList texts;
    for (const auto& [table, counted] : counting_)
      if (const QString text = assumptionsText(*counted); !text.isEmpty() && !texts.contains(text))
        texts << text;
    if (texts.isEmpty()) return {};
    return texts.size() == 1 ? "filled or crossed: " + texts.front() + ", which counts"
                             : QString("filled or crossed: the assumptions that the file declares to count");
  }
  /// Tables of which nothing is drawn.
  std::size_t notDrawn() const { return notDrawn_; }
  bool logarithmic() const { return least_ > 0 && most_ > 10 * least_; }

 private:
  /// A share is of something that is not nought.
  bool drawn(const Reproduced& reproduced) const {
    return std::isfinite(reproduced.ours) && (!share_ || wholeOf(reproduced.figure) != 0);
  }

  void addTable(const std::vector<const Reproduced*>& sets, double place) {
    const Published& figure = sets.front()->figure;
    const double by = share_ ? wholeOf(figure) : 1;
    names_ << QString::fromStdString(figure.where.empty() ? figure.metric : figure.where);
    bool unlike = false;
    for (const Reproduced* set : sets) unlike |= noteUnlike(*set);
    signs_ << QString(isOrder(figure) ? kOrderSign : "") + (figure.derived.empty() ? "" : kDerivedSign) +
                  (unlike ? kUnlikeSign : "");
    if (figure.banded) {
      FigureSeries& band = (isOrder(figure) ? orders_ : magnitudes_).band;
      band.y.insert(band.y.end(), {place, place});
      band.x.insert(band.x.end(), {figure.low / by, figure.high / by});
      band.labels.insert(band.labels.end(), {QString(), QString()});
    }
    if (figure.value) put(published_, place, *figure.value / by, "published");
    constexpr double kWide = 0.7;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const double beside =
          sets.size() == 1 ? 0
                           : kWide * (static_cast<double>(i) / static_cast<double>(sets.size() - 1) - 0.5);
      put(seriesOf(*sets[i]), place + beside, sets[i]->ours / by, labelOf(*sets[i]));
    }
  }

  /// The set of a figure counts that its file declares.
  FigureSeries& seriesOf(const Reproduced& reproduced) {
    Drawn& kind = isOrder(reproduced.figure) ? orders_ : magnitudes_;
    if (reproduced.counted) return isInside(reproduced) ? kind.inside : kind.outside;
    return isInside(reproduced) ? kind.otherInside : kind.otherOutside;
  }

  /// Whether there is something to say of its runs.
  bool noteUnlike(const Reproduced& reproduced) {
    const std::vector<Unlike> differences = unlikeRuns(reproduced, columns_);
    for (const Unlike& unlike : differences)
      if (std::ranges::find(unlike_, unlike.setting, &Unlike::setting) == unlike_.end())
        unlike_.push_back(unlike);
    return !unlikeSentence(differences).empty();
  }

  /// What is assumed of it, and in what its runs differ.
  QString labelOf(const Reproduced& reproduced) const {
    const QString differ = QString::fromStdString(unlikeSentence(unlikeRuns(reproduced, columns_)));
    const QString assumed = assumptionsText(reproduced);
    return assumed.isEmpty() || differ.isEmpty() ? assumed + differ : assumed + "; " + differ;
  }

  void put(FigureSeries& series, double row, double value, const QString& label) {
    series.x.push_back(value);
    series.y.push_back(row);
    series.labels.push_back(label);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  bool share_;
  const std::vector<ComparedRepeats>& columns_;
  std::map<std::size_t, std::vector<const Reproduced*>> sets_;
  std::map<std::size_t, const Reproduced*> counting_;  // by table
  Drawn magnitudes_{"in the band",   "not in it", "band in which ours counts as reproduced",
                    FigureMark::dot, kOfOurs,     kBand};
  Drawn orders_{"order only: as published",
                "order only: not as published",
                "side of the published order",
                FigureMark::square,
                kOrder,
                kOrder};
  FigureSeries published_;
  QStringList names_, signs_;
  std::vector<Unlike> unlike_;  // of all rows
  std::size_t notDrawn_ = 0;
  double least_ = 1e300, most_ = -1e300;
};

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Ours beside the published figures";
  figure.form = FigureForm::rowPoints;
  figure.labelTitle = "assumptions";
  figure.emptyReason =
      "No completed run here is of an experiment with published figures that its runs can be held against.";
  const RunsData& data = input.all;
  const auto runs = completedRuns(data, input.chosen);
  const RunRow* last = nullptr;  // whose experiment is drawn
  for (const RunRow* run : runs)
    if (data.publishedSettings.contains(run->id)) last = run;
  if (last == nullptr) return figure;
  const ExperimentRow& experiment = data.experiments.at(last->experimentId);
  std::vector<Measured> columns;
  std::vector<ComparedRepeats> compared;
  std::vector<const RunRow*> drawn;
  const std::vector<Repeats> repeatGroups = repeatsOf(data, runs, experiment.text);
  for (const Repeats& repeats : repeatGroups) {
    columns.push_back(measuredOf(data, repeats, experiment.text));
    compared.push_back({repeats.runs, repeats.parameters});
    drawn.insert(drawn.end(), repeats.runs.begin(), repeats.runs.end());
  }
  const Reproductions all = reproduced(columns, [&](const std::string& metric) -> std::optional<bool> {
    if (std::ranges::none_of(columns, [&](const Measured& column) { return column.values.contains(metric); }))
      return std::nullopt;
    return false;
  });
  if (!all.damaged.empty())
    figure.emptyReason = QString::fromStdString("Published figures cannot be read: " + all.damaged.front());
  if (all.figures.empty()) return figure;
  const bool share = values.text("show") == "share" || (values.text("show") == "auto" && !alike(all.figures));
  Drawing drawing(all.figures, share, compared);
  QString shared;
  figure.y.categories = shortened(drawing.names(), shared);
  if (figure.y.categories.empty()) return figure;
  figure.title =
      QString::fromStdString(experiment.name.empty() ? std::string("Published figures") : experiment.name);
  figure.y.signs = drawing.signs();
  figure.y.title = shared;
  figure.x = {xTitle(all.figures, share), "", drawing.logarithmic(), {}};
  figure.marks << QString::fromStdString(toText(standingOf(all)));
  for (const QString& mark : {drawing.order(), drawing.derived(), drawing.counting()})
    if (!mark.isEmpty()) figure.marks << mark;
  figure.series = drawing.series();
  if (const auto apart = all.missing.size() + all.unread.size(); apart > 0)
    figure.marks << QString("%1 figures without their runs").arg(apart);
  if (const auto open = withoutCounted(all).size(); open > 0)
    figure.marks << QString("%1 figures whose set that counts is not among these runs").arg(open);
  if (drawing.notDrawn() > 0)
    figure.marks << QString("%1 figures not drawn: %2")
                        .arg(drawing.notDrawn())
                        .arg(share ? "no run has them, or nothing is published that they could be a share of"
                                   : "no run has them");
  if (const QString unlike = drawing.unlike(); !unlike.isEmpty()) figure.marks << unlike;
  addProvenance(figure, drawn);
  return figure;
}

const Registered<FigureEntry> self{
    {{"published", "a paper's figures: ours beside the published bands", "", kParameters}, make, {}, true}};

}  // namespace
}  // namespace halo
