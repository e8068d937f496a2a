#include "engine/experiment/reproduced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "engine/experiment/band.h"

namespace halo {
namespace {

using Verdict = Reproduced::Verdict;

std::string nameOf(const Published& figure) {
  return figure.where.empty() ? figure.metric : fmt::format("{} ({})", figure.where, figure.metric);
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
    const Fitting of = columnsOf(figure, figure.of);
    const Fitting over = figure.over ? columnsOf(figure, *figure.over) : Fitting{};
    if (of.alike || over.alike)
      return unread(figure, "fits several runs of its file; of and over must name what tells them apart");
    bool held = false;
    for (const Measured* one : of.columns) {
      if (!figure.over) {
        add(beside(figure, *timed, *one, nullptr));
        held = true;
      }
      for (const Measured* other : over.columns) {
        if (!isPair(figure, one->parameters, other->parameters)) continue;
        if (one == other) return unread(figure, "of and over are one run");
        add(beside(figure, *timed, *one, other));
        held = true;
      }
    }
    if (!held) to_.missing.push_back(nameOf(figure));
  }

 private:
  void unread(const Published& figure, const std::string& why) {
    to_.unread.push_back(nameOf(figure) + ": " + why);
  }

  void add(Reproduced one) {
    one.table = table_;
    to_.figures.push_back(std::move(one));
  }

  Reproduced beside(const Published& figure, bool timed, const Measured& of, const Measured* over) const {
    const auto valueOf = [&](const Measured& column) {
      const auto found = column.values.find(figure.metric);
      return found == column.values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
    };
    Reproduced one;
    one.figure = figure;
    one.of = placeOf(of);
    one.ours = valueOf(of);
    if (over != nullptr) {
      one.over = placeOf(*over);
      one.ours /= valueOf(*over);
    }
    one.verdict = !(of.completed && (over == nullptr || over->completed))
                      ? Verdict::notCompleted
                      : verdictOf(figure, valueOf(of), over == nullptr ? 1 : valueOf(*over));
    one.timedOnSharedCores = timed && (of.sharedCores || (over != nullptr && over->sharedCores));
    auto assumed = assumptionsOf(figure, of.parameters);
    if (over != nullptr) assumed.merge(assumptionsOf(figure, over->parameters));
    for (const std::string& key : figure.assuming) {
      const auto set = assumed.find(key);
      one.assumptions.emplace_back(key, set == assumed.end() ? "–" : set->second);
    }
    return one;
  }

  std::size_t placeOf(const Measured& column) const {
    return static_cast<std::size_t>(&column - columns_.data());
  }

  /// `over` is 1 if the figure is no ratio. Files of older versions may have bands that break the rules.
  static Verdict verdictOf(const Published& figure, double of, double over) {
    const bool isOrder = figure.counts == Published::Counts::order;
    if (!std::isfinite(of) || !std::isfinite(over)) return Verdict::notRecorded;
    if (isOrder && of == over) return Verdict::tie;
    const double ours = of / over;
    if (!isOrder && !std::isfinite(ours)) return Verdict::noRatio;
    if (!bandFaults(figure).empty()) return Verdict::noBand;
    const bool ahead = figure.low == 1 ? of > over : of < over;
    return (isOrder ? ahead : figure.holds(ours)) ? Verdict::inside : Verdict::outside;
  }

  struct Fitting {
    std::vector<const Measured*> columns;  // one a set of assumptions, in their order
    bool alike = false;                    // two of them assume the same
  };
  Fitting columnsOf(const Published& figure, const Published::Conditions& conditions) const {
    Fitting found;
    std::set<std::map<std::string, std::string>> sets;
    for (const Measured& column : columns_)
      if (column.experiment == experiment_ && meets(column.parameters, conditions)) {
        found.columns.push_back(&column);
        found.alike |= !sets.insert(assumptionsOf(figure, column.parameters)).second;
      }
    return found;
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
  for (const Reproduced& one : all.figures) {
    if (std::exchange(table, one.table) == one.table) continue;
    switch (one.outcome()) {
      case Reproduced::Outcome::missed:
        ++standing.missed;
        standing.missedOrders += one.figure.counts == Published::Counts::order ? 1 : 0;
        break;
      case Reproduced::Outcome::cameOut:
        ++standing.cameOut;
        standing.calibrated += one.figure.calibrated ? 1 : 0;
        standing.derived += one.figure.derived.empty() ? 0 : 1;
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

std::string toText(const Standing& standing) {
  const auto part = [](std::size_t count, const char* what) {
    return count == 0 ? std::string() : fmt::format(" ({} {})", count, what);
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
  std::vector<std::string> seen;
  for (const Measured& column : columns) {
    if (std::ranges::find(seen, column.experiment) != seen.end()) continue;
    seen.push_back(column.experiment);
    const PublishedFigures read = readPublished(column.experiment);
    all.unread.insert(all.unread.end(), read.unread.begin(), read.unread.end());
    if (!read.damaged.empty()) all.damaged.push_back(read.damaged);
    const std::size_t before = all.figures.size();
    Held held(columns, timed, column.experiment, all, all.figures.empty() ? 0 : all.figures.back().table);
    for (const Published& figure : read.figures) held.hold(figure);
    const bool out = std::ranges::all_of(std::span(all.figures).subspan(before), &Reproduced::comesOut);
    if (!out && !read.notes.empty()) all.notes.push_back(read.name + ": " + withoutLineEnds(read.notes));
  }
  return all;
}

}  // namespace halo
