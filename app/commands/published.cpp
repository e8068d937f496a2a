#include "app/commands/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/command.h"
#include "app/commands/metrics.h"
#include "app/commands/table.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// The one column of that experiment that meets the conditions; nullptr: none does.
const Measured* columnOf(const std::vector<Measured>& columns, const std::string& experiment,
                         const Published& figure, const Published::Conditions& conditions) {
  const Measured* found = nullptr;
  for (const Measured& column : columns) {
    if (column.experiment != experiment || !meets(column.parameters, conditions)) continue;
    if (found != nullptr)
      throw InputError({"", 0, 0, "published",
                        fmt::format("'{}' ({}) fits several runs of its file; its of and over must name what "
                                    "tells them apart",
                                    figure.where, figure.metric)});
    found = &column;
  }
  return found;
}

double valueOf(const Measured& column, const std::string& key) {
  const Metric* metric = metricNamed(key);
  if (metric == nullptr)
    throw InputError({"", 0, 0, "published.metric",
                      fmt::format("'{}' is no metric; `haloscope compare --json` shows their names", key)});
  return column.values[static_cast<std::size_t>(metric - metrics().data())];
}

std::string verdictText(const Reproduced& one) {
  if (one.verdict == Reproduced::Verdict::noBand) return "–";
  return one.verdict == Reproduced::Verdict::inside ? "yes" : "no";
}

std::string bandText(const Published& figure) {
  if (!figure.banded) return "–";
  const auto end = [](double value) { return std::isfinite(value) ? shortNumber(value) : std::string("…"); };
  return end(figure.low) + " to " + end(figure.high);
}

}  // namespace

std::vector<Reproduced> reproduced(const std::vector<Measured>& columns, int& missing) {
  std::vector<Reproduced> all;
  std::vector<std::string> seen;
  missing = 0;
  for (const Measured& column : columns) {
    if (std::ranges::find(seen, column.experiment) != seen.end()) continue;
    seen.push_back(column.experiment);
    for (const Published& figure : readPublished(column.experiment)) {
      const Measured* of = columnOf(columns, column.experiment, figure, figure.of);
      const Measured* over =
          figure.over ? columnOf(columns, column.experiment, figure, *figure.over) : nullptr;
      if (of == nullptr || (figure.over && over == nullptr)) {
        ++missing;
        continue;
      }
      Reproduced one{figure, valueOf(*of, figure.metric)};
      if (over != nullptr) one.ours /= valueOf(*over, figure.metric);
      if (figure.banded)
        one.verdict = one.ours >= figure.low && one.ours <= figure.high ? Reproduced::Verdict::inside
                                                                        : Reproduced::Verdict::outside;
      all.push_back(std::move(one));
    }
  }
  return all;
}

void printReproduced(const std::vector<Reproduced>& figures, int missing, bool json) {
  if (json) {
    for (const Reproduced& one : figures)
      printJson({{"published", one.figure.where},
                 {"metric", one.figure.metric},
                 {"ratio", one.figure.over.has_value()},
                 {"value", one.figure.value},
                 {"ours", one.ours},
                 {"band", bandText(one.figure)},
                 {"reproduced", verdictText(one)},
                 {"note", one.figure.note}});
    if (missing > 0) printJson({{"published_without_runs", missing}});
    return;
  }
  if (figures.empty() && missing == 0) return;
  Table table({"published", "metric", "value", "ours", "counts as reproduced", "reproduced"});
  for (const Reproduced& one : figures) {
    const Metric& metric = *metricNamed(one.figure.metric);
    const auto cell = [&](double value) {
      return one.figure.over ? shortNumber(value) + "×" : metricText(metric, value);
    };
    table.add({one.figure.where, metric.title, cell(one.figure.value), cell(one.ours), bandText(one.figure),
               verdictText(one)});
  }
  if (!table.empty()) print("\nBeside the published figures\n" + table.text());
  for (const Reproduced& one : figures)
    if (!one.figure.note.empty()) print(fmt::format("{}: {}\n", one.figure.where, one.figure.note));
  if (missing > 0)
    print(fmt::format("{} published figure{} of these experiments need runs that are not compared here\n",
                      missing, missing == 1 ? "" : "s"));
}

}  // namespace halo
