// [[published]] against the runs of its file: what can only be wrong once these are known.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/experiment/band.h"
#include "engine/experiment/document.h"
#include "engine/experiment/published_runs.h"

namespace halo {
namespace {

using Flat = std::map<std::string, std::string>;

/// What `compare` shows as columns: runs that differ in the seed only are one.
std::set<Flat> columnsOf(const std::vector<Flat>& runs) {
  std::set<Flat> columns;
  for (Flat flat : runs) {
    flat.erase("training.seed");
    flat.erase("training.repeat");
    columns.insert(std::move(flat));
  }
  return columns;
}

class PublishedCheck {
 public:
  PublishedCheck(const std::vector<std::string>& metrics, const std::vector<Flat>& runs,
                 std::vector<Problem>& problems)
      : metrics_(metrics), columns_(columnsOf(runs)), problems_(problems) {
    for (const Flat& column : columns_)
      for (const auto& [key, value] : column) values_[key].insert(withoutQuotes(value));
  }

  void check(const PlacedPublished& placed) {
    const Published& figure = placed.figure;
    if (!metrics_.empty() && !figure.metric.empty() && std::ranges::count(metrics_, figure.metric) == 0)
      wrong(placed.keyAt.at("metric"),
            fmt::format("'{}' is no metric; {}", figure.metric,
                        suggestion(figure.metric, metrics_, "one of " + listed(metrics_))));
    band(placed);
    alikeInAll(placed);
    if (columns_.empty()) return;
    if (!assumed(placed) || !runsHave(placed.numeratorAt, figure.numerator)) return;
    const std::vector<const Flat*> numerators = runsMeeting(placed, "published.of", figure.numerator);
    if (!figure.over) return counted(placed, numerators, {nullptr});
    if (!runsHave(placed.overAt, *figure.over)) return;
    const std::vector<const Flat*> denominators = runsMeeting(placed, "published.over", *figure.over);
    if (numerators.empty() || denominators.empty()) return;
    if (std::ranges::find(denominators, numerators.front()) != denominators.end())
      return wrong(placed.at, "is the very run that of names; name in over what tells the two apart",
                   "published.over");
    for (const Flat* run : numerators)
      if (std::ranges::none_of(denominators, [&](const Flat* other) { return isPair(figure, *run, *other); }))
        return wrong(placed.at,
                     "no run of over assumes what this run of of does: " +
                         listed(assignments(assumptionsOf(figure, *run))),
                     "published.assuming");
    counted(placed, numerators, denominators);
  }

 private:
  void wrong(Problem at, std::string message, const std::string& key = "") {
    if (!key.empty()) at.key = key;
    at.message = std::move(message);
    problems_.push_back(std::move(at));
  }

  void band(const PlacedPublished& placed) {
    if (!placed.sound) return;
    for (const BandFault& fault : bandFaults(placed.figure)) {
      const auto at = placed.keyAt.find(fault.key);
      wrong(at == placed.keyAt.end() ? placed.at : at->second, fault.message, "published." + fault.key);
    }
  }

  /// Whether some run has each of these keys, with that value.
  bool runsHave(const std::map<std::string, Problem>& at, const Published::Conditions& conditions) {
    bool all = true;
    for (const auto& [key, place] : at) {
      const auto values = values_.find(key);
      const std::string& value = conditions.at(key);
      if (values == values_.end()) {
        const auto keys = namesOf(values_, [](const auto& entry) { return entry.first; });
        wrong(place, "unknown key; " + suggestion(key, keys, "no run of this file has it"));
      } else if (std::ranges::none_of(columns_, [&](const Flat& c) { return meets(c, {{key, value}}); })) {
        const std::vector<std::string> had(values->second.begin(), values->second.end());
        // a number near another in writing is not what was meant
        const bool isNumber = value.find_first_not_of("0123456789.e+-") == std::string::npos;
        const std::string hint = "they have " + listed(had);
        wrong(place, fmt::format("no run of this file has '{}'; {}", value,
                                 isNumber ? hint : suggestion(value, had, hint)));
      } else {
        continue;
      }
      all = false;
    }
    return all;
  }

  static std::vector<std::string> assignments(const std::map<std::string, std::string>& assumptions) {
    return namesOf(assumptions,
                   [](const auto& assumption) { return assumption.first + " = " + assumption.second; });
  }

  /// Whether runs have the keys of the assumptions with the values that count, and these are declared.
  bool assumed(const PlacedPublished& placed) {
    const Published& figure = placed.figure;
    if (figure.counted.size() == figure.assuming.size()) return runsHave(placed.assumingAt, figure.counted);
    wrong(
        placed.keyAt.at("assuming"),
        fmt::format("does not say which set counts; a table with a value for each key, like {{ \"{}\" = … }}",
                    figure.assuming.front()));
    return false;
  }

  /// One set counts for all figures that are of the same.
  void alikeInAll(const PlacedPublished& placed) {
    const auto& conditions = placed.figure.numerator;
    const auto valueOf = [&](const char* key) {
      const auto condition = conditions.find(key);
      return condition == conditions.end() ? std::string() : condition->second;
    };
    for (const auto& [key, value] : placed.figure.counted) {
      const auto [before, isFirst] =
          counted_.try_emplace({key, valueOf("simulate.device"), valueOf("run.method")}, value);
      if (!isFirst && before->second != value)
        wrong(placed.assumingAt.at(key),
              fmt::format(
                  "{} counts here, and {} in a figure before; one set counts for all figures of a paper",
                  value, before->second));
    }
  }

  /// Of the runs that are held against the figure, those of one set must count. `denominators`: {nullptr}
  /// without.
  void counted(const PlacedPublished& placed, const std::vector<const Flat*>& numerators,
               const std::vector<const Flat*>& denominators) {
    const Published& figure = placed.figure;
    std::set<std::map<std::string, std::string>> sets;
    for (const Flat* run : numerators)
      for (const Flat* other : denominators) {
        if (other != nullptr && !isPair(figure, *run, *other)) continue;
        auto assumed = assumptionsOf(figure, *run);
        if (other != nullptr) assumed.merge(assumptionsOf(figure, *other));
        if (isCounted(figure, assumed)) sets.insert(std::move(assumed));
      }
    if (numerators.empty() || sets.size() == 1) return;
    wrong(placed.keyAt.at("assuming"),
          fmt::format("{} of this file: {}; exactly one counts",
                      sets.empty() ? "is no set of assumptions" : "are several sets of assumptions",
                      listed(assignments(figure.counted))));
  }

  /// The run that does, of each set of assumptions; none, and what is wrong.
  std::vector<const Flat*> runsMeeting(const PlacedPublished& placed, const std::string& key,
                                       const Published::Conditions& conditions) {
    std::map<std::map<std::string, std::string>, std::vector<const Flat*>> sets;
    for (const Flat& column : columns_)
      if (meets(column, conditions)) sets[assumptionsOf(placed.figure, column)].push_back(&column);
    if (sets.empty()) wrong(placed.at, "no run of this file meets all of these at once", key);
    std::vector<const Flat*> runs;
    for (const auto& [assumptions, fitting] : sets) {
      if (fitting.size() > 1) {
        wrong(placed.at,
              fmt::format("{} runs of this file fit; name what tells them apart: {}", fitting.size(),
                          listed(apart(fitting))),
              key);
        return {};
      }
      runs.push_back(fitting.front());
    }
    return runs;
  }

  static std::vector<std::string> apart(const std::vector<const Flat*>& runs) {
    std::map<std::string, std::set<std::string>> values;
    for (const Flat* run : runs)
      for (const auto& [name, value] : *run) values[name].insert(value);
    std::vector<std::string> names;
    for (const auto& [name, had] : values)
      if (had.size() > 1) names.push_back(name);
    return names;
  }

  const std::vector<std::string>& metrics_;
  std::set<Flat> columns_;
  std::map<std::string, std::set<std::string>> values_;
  std::map<std::array<std::string, 3>, std::string> counted_;  // by key, device and method
  std::vector<Problem>& problems_;
};

}  // namespace

void checkPublished(const std::vector<PlacedPublished>& published, const std::vector<std::string>& metrics,
                    const std::vector<std::map<std::string, std::string>>& runs,
                    std::vector<Problem>& problems) {
  PublishedCheck check(metrics, runs, problems);
  for (const PlacedPublished& placed : published) check.check(placed);
}

}  // namespace halo
