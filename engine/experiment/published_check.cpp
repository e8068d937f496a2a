// [[published]] against the runs of its file: what can only be wrong once these are known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/experiment/document.h"

namespace halo {
namespace {

using Flat = std::map<std::string, std::string>;

std::string plain(const std::string& value) {
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

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
      for (const auto& [key, value] : column) values_[key].insert(plain(value));
  }

  void check(const PlacedPublished& one) {
    const Published& figure = one.figure;
    if (!metrics_.empty() && !figure.metric.empty() && std::ranges::count(metrics_, figure.metric) == 0)
      wrong(one.metricAt, fmt::format("'{}' is no metric; {}", figure.metric,
                                      suggestion(figure.metric, metrics_, "one of " + listed(metrics_))));
    band(one);
    if (columns_.empty()) return;
    if (!named(one.ofAt, figure.of)) return;
    const Flat* of = met(one.at, "published.of", figure.of);
    if (!figure.over || !named(one.overAt, *figure.over)) return;
    const Flat* over = met(one.at, "published.over", *figure.over);
    if (of != nullptr && of == over)
      wrong(one.at, "is the very run that of names; name in over what tells the two apart", "published.over");
  }

 private:
  void wrong(Problem at, std::string message, const std::string& key = "") {
    if (!key.empty()) at.key = key;
    at.message = std::move(message);
    problems_.push_back(std::move(at));
  }

  void band(const PlacedPublished& one) {
    const Published& figure = one.figure;
    const bool oneSided =
        (figure.low == 1) != (figure.high == 1) && std::isfinite(figure.low) != std::isfinite(figure.high);
    if (figure.counts == Published::Counts::order && (!figure.over || !oneSided))
      wrong(one.at, R"(an order is one of two runs, so it needs over, and low = 1 or high = 1)",
            "published.counts");
    if (!figure.value) return;
    if (figure.counts == Published::Counts::order && *figure.value == 1)
      return wrong(one.at, "1 is a tie, and so no order", "published.value");
    if (!figure.holds(*figure.value) && figure.because.empty())
      wrong(one.at,
            fmt::format("{} lies outside the band of its own table, {} to {}; a band that has it, or in "
                        "because why ours cannot be there",
                        shown(*figure.value), shown(figure.low), shown(figure.high)),
            "published.value");
    if (figure.holds(*figure.value) && !figure.because.empty())
      wrong(one.at, "is for a band that leaves the published value out, and this one has it; take note",
            "published.because");
  }

  /// Whether some run has each of these keys, with that value.
  bool named(const std::map<std::string, Problem>& at, const Published::Conditions& conditions) {
    bool all = true;
    for (const auto& [key, place] : at) {
      const auto found = values_.find(key);
      const std::string& value = conditions.at(key);
      if (found == values_.end()) {
        const auto known = namesOf(values_, [](const auto& entry) { return entry.first; });
        wrong(place, "unknown key; " + suggestion(key, known, "no run of this file has it"));
      } else if (std::ranges::none_of(columns_, [&](const Flat& c) { return meets(c, {{key, value}}); })) {
        const std::vector<std::string> had(found->second.begin(), found->second.end());
        // a number near another in writing is not what was meant
        const bool isNumber = value.find_first_not_of("0123456789.e+-") == std::string::npos;
        const std::string these = "they have " + listed(had);
        wrong(place, fmt::format("no run of this file has '{}'; {}", value,
                                 isNumber ? these : suggestion(value, had, these)));
      } else {
        continue;
      }
      all = false;
    }
    return all;
  }

  /// The run that does, or nullptr and what is wrong.
  const Flat* met(const Problem& at, const std::string& key, const Published::Conditions& conditions) {
    std::map<std::string, std::set<std::string>> told;
    const Flat* found = nullptr;
    int count = 0;
    for (const Flat& column : columns_) {
      if (!meets(column, conditions)) continue;
      ++count;
      found = &column;
      for (const auto& [name, value] : column) told[name].insert(value);
    }
    if (count == 0) wrong(at, "no run of this file meets all of these at once", key);
    if (count < 2) return found;
    std::vector<std::string> apart;
    for (const auto& [name, had] : told)
      if (had.size() > 1) apart.push_back(name);
    wrong(at, fmt::format("{} runs of this file fit; name what tells them apart: {}", count, listed(apart)),
          key);
    return nullptr;
  }

  const std::vector<std::string>& metrics_;
  std::set<Flat> columns_;
  std::map<std::string, std::set<std::string>> values_;
  std::vector<Problem>& problems_;
};

}  // namespace

void checkPublished(const std::vector<PlacedPublished>& published, const std::vector<std::string>& metrics,
                    const std::vector<std::map<std::string, std::string>>& runs,
                    std::vector<Problem>& problems) {
  PublishedCheck check(metrics, runs, problems);
  for (const PlacedPublished& one : published) check.check(one);
}

}  // namespace halo
