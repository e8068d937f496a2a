#include "engine/experiment/reproduced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "engine/base/index.h"
#include "engine/experiment/band.h"
#include "engine/experiment/published_runs.h"

namespace halo {
namespace {

using Verdict = Reproduced::Verdict;

std::string nameOf(const Published& figure) {
  return figure.where.empty() ? figure.metric : fmt::format("{} ({})", figure.where, figure.metric);
}

/// Which sum came first decides no order.
bool alike(double a, double b) {
  constexpr double kRounding = 1e-9;
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

/// Holds the figures of one experiment against its columns.
class Held {
 public:
  /// `tables`: how many were held before, of other experiments.
  Held(const std::vector<Measured>& columns, const TimedByWorkers& timed, const std::string& experiment,
       Reproductions& to, std::size_t tables)
      : columns_(columns), timed_(timed), experiment_(experiment), to_(to), table_(tables) {}

  void hold(const Published& figure) {
    ++table_;
    const std::optional<bool> timed = timed_(figure.metric);
    if (!timed) return unread(figure, fmt::format("'{}' is no metric of this version", figure.metric));
    const Fitting numerators = columnsOf(figure, figure.numerator);
    const Fitting denominators = figure.over ? columnsOf(figure, *figure.over) : Fitting{};
    if (numerators.alike || denominators.alike)
      return unread(figure, "fits several runs of its file; of and over must name what tells them apart");
    const std::size_t before = to_.figures.size();
    for (const Measured* numerator : numerators.columns) {
      if (!figure.over) {
        add(beside(figure, *timed, *numerator, nullptr));
      }
      for (const Measured* denominator : denominators.columns) {
        if (!isPair(figure, numerator->parameters, denominator->parameters)) continue;
        if (numerator == denominator) return unread(figure, "of and over are one run");
        add(beside(figure, *timed, *numerator, denominator));
      }
    }
    if (to_.figures.size() == before) return to_.missing.push_back(nameOf(figure));
    std::ranges::stable_partition(std::span(to_.figures).subspan(before), std::identity{},
                                  &Reproduced::counted);
  }

 private:
  void unread(const Published& figure, const std::string& why) {
    to_.unread.push_back(nameOf(figure) + ": " + why);
  }

  void add(Reproduced reproduced) {
    reproduced.table = table_;
    to_.figures.push_back(std::move(reproduced));
  }

  Reproduced beside(const Published& figure, bool timed, const Measured& numerator,
                    const Measured* denominator) const {
    const auto valueOf = [&](const Measured& column) {
      const auto value = column.values.find(figure.metric);
      return value == column.values.end() ? std::numeric_limits<double>::quiet_NaN() : value->second;
    };
    Reproduced reproduced;
    reproduced.figure = figure;
    reproduced.column = placeOf(numerator);
    reproduced.ours = valueOf(numerator);
    if (denominator != nullptr) {
      reproduced.over = placeOf(*denominator);
      reproduced.ours /= valueOf(*denominator);
    }
    reproduced.verdict =
        !(numerator.completed && (denominator == nullptr || denominator->completed))
            ? Verdict::notCompleted
            : verdictOf(figure, valueOf(numerator), denominator == nullptr ? 1 : valueOf(*denominator));
    reproduced.timedOnSharedCores =
        timed && (numerator.sharedCores || (denominator != nullptr && denominator->sharedCores));
    auto assumed = assumptionsOf(figure, numerator.parameters);
    if (denominator != nullptr) assumed.merge(assumptionsOf(figure, denominator->parameters));
    reproduced.counted = isCounted(figure, assumed);
    for (const std::string& key : figure.assuming) {
      const auto set = assumed.find(key);
      reproduced.assumptions.emplace_back(key, set == assumed.end() ? "–" : set->second);
    }
    return reproduced;
  }

  std::size_t placeOf(const Measured& column) const { return at(&column - columns_.data()); }

  /// `denominator` is 1 if the figure is no ratio. Files of older versions may have bands that break the
  /// rules.
  static Verdict verdictOf(const Published& figure, double numerator, double denominator) {
    const bool isOrder = figure.counts == Published::Counts::order;
    if (!std::isfinite(numerator) || !std::isfinite(denominator)) return Verdict::notRecorded;
    if (isOrder && alike(numerator, denominator)) return Verdict::tie;
    const double ratio = numerator / denominator;
    if (!isOrder && !std::isfinite(ratio)) return Verdict::noRatio;
    if (!bandFaults(figure).empty()) return Verdict::noBand;
    const bool ahead = figure.low == 1 ? numerator > denominator : numerator < denominator;
    return (isOrder ? ahead : figure.holds(ratio)) ? Verdict::inside : Verdict::outside;
  }

  struct Fitting {
    std::vector<const Measured*> columns;  // one a set of assumptions, in their order
    bool alike = false;                    // two of them assume the same
  };
  Fitting columnsOf(const Published& figure, const Published::Conditions& conditions) const {
    Fitting fitting;
    std::set<std::map<std::string, std::string>> sets;
    for (const Measured& column : columns_)
      if (column.experiment == experiment_ && meets(column.parameters, conditions)) {
        fitting.columns.push_back(&column);
        fitting.alike |= !sets.insert(assumptionsOf(figure, column.parameters)).second;
      }
    return fitting;
  }

  const std::vector<Measured>& columns_;
  const TimedByWorkers& timed_;
  const std::string& experiment_;
  Reproductions& to_;
  std::size_t table_;
};

/// On one line: how wide the terminal is, the file does not know.
std::string withoutLineEnds(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

}  // namespace

Reproduced::Outcome Reproduced::outcome() const {
  if (figure.counts == Published::Counts::bound) return Outcome::bound;
  if (!counted) return Outcome::notComparable;
  switch (verdict) {
    case Verdict::inside:
      return figure.counts == Published::Counts::order ? Outcome::orderOnly : Outcome::cameOut;
    case Verdict::outside:
    case Verdict::tie:
    case Verdict::noRatio:
      return Outcome::missed;
    case Verdict::noBand:
    case Verdict::notRecorded:
    case Verdict::notCompleted:
      break;
  }
  return Outcome::notComparable;
}

Standing standingOf(const Reproductions& all) {
  Standing standing;
  standing.notComparable = all.missing.size() + all.unread.size();
  std::size_t table = 0;  // the one before
  for (const Reproduced& reproduced : all.figures) {
    if (std::exchange(table, reproduced.table) == reproduced.table) continue;
    switch (reproduced.outcome()) {
      case Reproduced::Outcome::missed:
        ++standing.missed;
        standing.missedOrders += reproduced.figure.counts == Published::Counts::order ? 1 : 0;
        break;
      case Reproduced::Outcome::cameOut:
        ++standing.cameOut;
        standing.calibrated += reproduced.figure.calibrated ? 1 : 0;
        if (!reproduced.figure.derived.empty()) ++standing.derived;
        break;
      case Reproduced::Outcome::orderOnly:
        ++standing.ordersOnly;
        break;
      case Reproduced::Outcome::notComparable:
        ++standing.notComparable;
        break;
      case Reproduced::Outcome::bound:
        ++standing.bounds;
    }
  }
  return standing;
}

std::vector<const Reproduced*> withoutCounted(const Reproductions& all) {
  std::vector<const Reproduced*> first;
  std::size_t table = 0;  // the one before
  for (const Reproduced& reproduced : all.figures)
    if (std::exchange(table, reproduced.table) != reproduced.table && !reproduced.counted)
      first.push_back(&reproduced);
  return first;
}

std::string toText(const Standing& standing) {
  const auto part = [](std::size_t count, const char* label) {
    return count == 0 ? std::string() : fmt::format(" ({} {})", count, label);
  };
  std::string text =
      fmt::format("{} came out{}{} · {} order only · {} did not come out{} · {} not comparable",
                  standing.cameOut, part(standing.calibrated, "of them calibrated"),
                  part(standing.derived, "of them derived"), standing.ordersOnly, standing.missed,
                  part(standing.missedOrders, "of them orders"), standing.notComparable);
  if (standing.bounds > 0)
    text += fmt::format(" · {} bound{}, counted elsewhere", standing.bounds, standing.bounds == 1 ? "" : "s");
  return text;
}

Reproductions reproduced(const std::vector<Measured>& columns, const TimedByWorkers& timed) {
  Reproductions all;
  std::vector<std::string> experiments;
  for (const Measured& column : columns) {
    if (std::ranges::find(experiments, column.experiment) != experiments.end()) continue;
    experiments.push_back(column.experiment);
    const PublishedFigures read = readPublished(column.experiment);
    all.unread.insert(all.unread.end(), read.unread.begin(), read.unread.end());
    if (!read.damaged.empty()) all.damaged.push_back(read.damaged);
    const std::size_t before = all.figures.size();
    Held comparison(columns, timed, column.experiment, all,
                    all.figures.empty() ? 0 : all.figures.back().table);
    for (const Published& figure : read.figures) comparison.hold(figure);
    const bool out = std::ranges::all_of(std::span(all.figures).subspan(before), &Reproduced::comesOut);
    if (!out && !read.notes.empty()) all.notes.push_back(read.name + ": " + withoutLineEnds(read.notes));
  }
  return all;
}

}  // namespace halo
