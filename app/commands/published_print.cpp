// The published figures beside ours, as tables and as JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>

#include "app/commands/command.h"
#include "app/commands/metrics.h"
#include "app/commands/published.h"
#include "app/commands/table.h"

namespace halo {
namespace {

using Verdict = Reproduced::Verdict;

std::string verdictText(Verdict verdict) {
  switch (verdict) {
    case Verdict::inside:
      return "yes";
    case Verdict::explained:
      return "no, as explained";
    case Verdict::outside:
      return "no";
    case Verdict::tie:
      return "tie";
    case Verdict::notRecorded:
      return "not recorded";
    case Verdict::noRatio:
      return "no ratio over 0";
    case Verdict::notCompleted:
      return "run not completed";
    case Verdict::noBand:
      break;
  }
  return "–";
}

bool isOrder(const Published& figure) { return figure.counts == Published::Counts::order; }
std::string countsText(const Published& figure) { return isOrder(figure) ? "order" : "magnitude"; }

std::string bandText(const Published& figure) {
  if (!figure.banded) return "–";
  const auto end = [](double value) { return std::isfinite(value) ? shortNumber(value) : std::string("…"); };
  return end(figure.low) + " to " + end(figure.high);
}

/// Ours ÷ published, where both are there.
std::optional<double> share(const Reproduced& one) {
  if (!one.figure.value || *one.figure.value == 0 || !std::isfinite(one.ours)) return std::nullopt;
  return one.ours / *one.figure.value;
}

/// Of one [[published]]: one, or one a set of assumptions.
using Sets = std::span<const Reproduced>;

std::vector<Sets> tablesOf(const std::vector<Reproduced>& figures) {
  std::vector<Sets> tables;
  for (std::size_t begin = 0; begin < figures.size();) {
    std::size_t end = begin;
    while (end < figures.size() && figures[end].table == figures[begin].table) ++end;
    tables.push_back(Sets(figures).subspan(begin, end - begin));
    begin = end;
  }
  return tables;
}

std::size_t reachedBy(Sets sets) {
  return static_cast<std::size_t>(std::ranges::count(sets, Verdict::inside, &Reproduced::verdict));
}

std::string cellText(const Reproduced& one, double value) {
  if (!std::isfinite(value)) return "–";
  return one.figure.over ? shortNumber(value) + "×" : metricText(*metricNamed(one.figure.metric), value);
}

void printLines(const Reproductions& all) {
  for (const Reproduced& one : all.figures) {
    Json json = {{"published", one.figure.where},
                 {"metric", one.figure.metric},
                 {"ratio", one.figure.over.has_value()},
                 {"counts", countsText(one.figure)},
                 {"band", bandText(one.figure)},
                 {"reproduced", verdictText(one.verdict)},
                 {"note", one.figure.note}};
    if (one.figure.value) json["value"] = *one.figure.value;
    if (std::isfinite(one.ours)) json["ours"] = one.ours;
    if (const auto of = share(one)) json["ours_over_published"] = *of;
    if (!one.figure.because.empty()) json["because"] = one.figure.because;
    if (one.timedOnSharedCores) json["timed_on_shared_cores"] = true;
    for (const auto& [key, value] : one.assumptions) json["assuming"][key] = value;
    printJson(json);
  }
  for (const std::string& one : all.unread) printJson({{"published_unread", one}});
  if (!all.missing.empty())
    printJson({{"published_without_runs", all.missing.size()}, {"where", all.missing}});
  for (const std::string& one : all.notes) printJson({{"published_notes", one}});
}

/// "3 of 4 orders and 1 of 2 magnitudes come out; 1 not counted, of runs not completed". A figure with
/// several sets of assumptions is none of these: it has a line of its own.
std::string tally(const std::vector<Sets>& tables) {
  std::string text;
  std::size_t assumed = 0, reached = 0, left = 0;
  for (const bool order : {true, false}) {
    int held = 0, in = 0;
    for (const Sets sets : tables) {
      const Reproduced& one = sets.front();
      if (isOrder(one.figure) != order || !one.figure.banded || sets.size() > 1) continue;
      if (one.verdict == Verdict::notCompleted) continue;
      ++held;
      in += one.verdict == Verdict::inside ? 1 : 0;
    }
    if (held == 0) continue;
    text += fmt::format("{}{} of {} {}{}", text.empty() ? "" : " and ", in, held,
                        order ? "order" : "magnitude", held == 1 ? "" : "s");
  }
  if (!text.empty()) text += " come out";
  for (const Sets sets : tables) {
    left += static_cast<std::size_t>(std::ranges::count(sets, Verdict::notCompleted, &Reproduced::verdict));
    if (sets.size() == 1 || !sets.front().figure.banded) continue;
    ++assumed;
    reached += reachedBy(sets) > 0 ? 1 : 0;
  }
  if (left > 0)
    text += fmt::format("{}{} not counted, of runs not completed", text.empty() ? "" : "; ", left);
  if (assumed > 0)
    text += fmt::format("{}{} of {} with several sets of assumptions {} reached by one of them at least",
                        text.empty() ? "" : "\n", reached, assumed, assumed == 1 ? "is" : "are");
  return text.empty() ? "" : text + "\n";
}

/// Which figures that do not come out are times of workers that waited for cores.
void printSharedCores(const std::vector<Reproduced>& figures) {
  std::vector<std::string> where;
  for (const Reproduced& one : figures)
    if (one.timedOnSharedCores && !one.comesOut()) where.push_back(one.figure.where);
  if (where.empty()) return;
  print(fmt::format(
      "Of these, {} made of times of workers that shared cores (marked oversubscribed): waiting "
      "for a core counts as computing, or as synchronisation for who waits for them: {}\n",
      where.size() == 1 ? "one is" : fmt::format("{} are", where.size()), fmt::join(where, "; ")));
}

/// What `text` makes of the least and the largest of the sets.
template <class Value, class Text>
std::string rangeText(Sets sets, Value value, Text text) {
  std::optional<double> least, most;
  for (const Reproduced& one : sets)
    if (const std::optional<double> is = value(one); is && std::isfinite(*is)) {
      least = std::min(*is, least.value_or(*is));
      most = std::max(*is, most.value_or(*is));
    }
  if (!least) return "–";
  return sets.size() == 1 ? text(*least) : text(*least) + " to " + text(*most);
}

void printTable(const std::vector<Sets>& tables) {
  Table table({"published", "metric", "what counts", "value", "ours", "ours ÷ published",
               "counts as reproduced", "reproduced"});
  for (const Sets sets : tables) {
    const Reproduced& one = sets.front();
    table.add({one.figure.where, metricNamed(one.figure.metric)->title, countsText(one.figure),
               one.figure.value ? cellText(one, *one.figure.value) : "–",
               rangeText(
                   sets, [](const Reproduced& of) { return std::optional(of.ours); },
                   [&](double value) { return cellText(one, value); }),
               rangeText(sets, share, shortNumber), bandText(one.figure),
               sets.size() == 1 ? verdictText(one.verdict)
                                : fmt::format("by {} of {} sets", reachedBy(sets), sets.size())});
  }
  print("\nBeside the published figures\n" + table.text() + tally(tables));
}

/// Figures held under the same sets of assumptions, in their order: the columns of one table.
std::vector<std::vector<Sets>> underSameSets(const std::vector<Sets>& tables) {
  const auto same = [](Sets a, Sets b) {
    return a.front().figure.metric == b.front().figure.metric &&
           a.front().figure.over.has_value() == b.front().figure.over.has_value() &&
           std::ranges::equal(a, b, {}, &Reproduced::assumptions, &Reproduced::assumptions);
  };
  std::vector<std::vector<Sets>> groups;
  for (const Sets sets : tables) {
    if (sets.size() == 1) continue;
    const auto group = std::ranges::find_if(groups, [&](const auto& g) { return same(g.front(), sets); });
    group == groups.end() ? groups.push_back({sets}) : group->push_back(sets);
  }
  return groups;
}

/// What tells the figures of a group apart: "reddit", "twitter"; where nothing does, where they stand.
std::vector<std::string> columnNames(const std::vector<Sets>& group) {
  std::vector<std::string> names(group.size());
  for (const auto& [key, value] : group.front().front().figure.of) {
    const auto valueOf = [&, key = key](const Sets sets) {
      const auto found = sets.front().figure.of.find(key);
      return found == sets.front().figure.of.end() ? std::string("–") : found->second;
    };
    if (std::ranges::all_of(group, [&](const Sets sets) { return valueOf(sets) == valueOf(group.front()); }))
      continue;
    for (std::size_t i = 0; i < group.size(); ++i)
      names[i] += (names[i].empty() ? "" : " ") + valueOf(group[i]);
  }
  const std::set<std::string> different(names.begin(), names.end());
  for (std::size_t i = 0; i < group.size(); ++i)
    if (different.size() < group.size()) names[i] = group[i].front().figure.where;
  return names;
}

/// Where the figures of a group stand: "Figure 12, …, HyGCN's time over ours", … for what their columns'
/// names say.
std::string placesOf(const std::vector<Sets>& group) {
  const std::string& first = group.front().front().figure.where;
  std::size_t begin = first.size(), end = first.size();  // common letters from either side
  for (const Sets sets : group) {
    const std::string& where = sets.front().figure.where;
    begin =
        std::min(begin, static_cast<std::size_t>(std::ranges::mismatch(first, where).in1 - first.begin()));
    const auto last = std::mismatch(first.rbegin(), first.rend(), where.rbegin(), where.rend()).first;
    end = std::min(end, static_cast<std::size_t>(last - first.rbegin()));
  }
  if (begin == first.size()) return first;
  const std::size_t word = first.rfind(' ', begin);
  begin = word == std::string::npos ? 0 : word + 1;
  const std::size_t rest = first.find_first_of(" ,", first.size() - end);
  return first.substr(0, begin) + "…" + (rest == std::string::npos ? "" : first.substr(rest));
}

/// Keys in which the sets differ, each with its place among the assumptions.
std::vector<std::size_t> open(Sets sets) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < sets.front().assumptions.size(); ++k)
    if (std::ranges::any_of(
            sets, [&](const Reproduced& one) { return one.assumptions[k] != sets.front().assumptions[k]; }))
      places.push_back(k);
  return places;
}

/// One row a set of assumptions, those that reach most figures first; one column a figure.
void printAssumptions(const std::vector<Sets>& group) {
  const Sets first = group.front();
  const std::vector<std::size_t> keys = open(first);
  std::vector<std::string> head, bands(keys.size()), reached(keys.size());
  for (const std::size_t k : keys) head.push_back(first.front().assumptions[k].first);
  for (const std::string& name : columnNames(group)) head.push_back(name);
  head.emplace_back("reached");
  if (!keys.empty()) bands.front() = "counts as reproduced", reached.front() = "reached by";
  for (const Sets sets : group) {
    bands.push_back(bandText(sets.front().figure));
    reached.push_back(fmt::format("{} of {}", reachedBy(sets), sets.size()));
  }
  struct Row {
    std::size_t reached = 0;
    std::vector<std::string> cells;
  };
  std::vector<Row> rows(first.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::size_t k : keys) rows[r].cells.push_back(first[r].assumptions[k].second);
    for (const Sets sets : group) {
      rows[r].cells.push_back(cellText(sets[r], sets[r].ours) + " " + verdictText(sets[r].verdict));
      rows[r].reached += sets[r].verdict == Verdict::inside ? 1 : 0;
    }
    rows[r].cells.push_back(fmt::format("{} of {}", rows[r].reached, group.size()));
  }
  std::ranges::stable_sort(rows, std::greater{}, &Row::reached);
  Table table(head);
  for (Row& row : rows) table.add(std::move(row.cells));
  table.add(std::move(bands));
  table.add(std::move(reached));
  print(fmt::format("\nWith each set of assumptions, {}{}: {}\n{}",
                    metricNamed(first.front().figure.metric)->title,
                    first.front().figure.over ? " (ratio)" : "", placesOf(group), table.text()));
}

/// What the file says of its figures, each remark once, after all that it is of.
void printRemarks(const std::vector<Sets>& tables) {
  std::vector<std::pair<std::string, std::string>> remarks;  // what, and of which figures
  const auto add = [&](const std::string& what, const std::string& where) {
    const auto found = std::ranges::find(remarks, what, [](const auto& remark) { return remark.first; });
    if (found == remarks.end())
      remarks.emplace_back(what, where);
    else
      found->second += "; " + where;
  };
  for (const Sets sets : tables) {
    const Published& figure = sets.front().figure;
    if (!figure.because.empty())
      add("the band leaves the published value out: " + figure.because, figure.where);
    if (!figure.note.empty()) add(figure.note, figure.where);
  }
  for (const auto& [what, where] : remarks) print(fmt::format("{}: {}\n", where, what));
}

void printFigures(const std::vector<Reproduced>& figures) {
  const std::vector<Sets> tables = tablesOf(figures);
  printTable(tables);
  for (const std::vector<Sets>& group : underSameSets(tables)) printAssumptions(group);
  printRemarks(tables);
  printSharedCores(figures);
}

}  // namespace

void printReproduced(const Reproductions& all, bool json) {
  if (json) return printLines(all);
  if (!all.figures.empty()) printFigures(all.figures);
  for (const std::string& one : all.notes) print("Not all come out. Notes of " + one + "\n");
  for (const std::string& one : all.unread) print("published figure that cannot be read: " + one + "\n");
  if (!all.missing.empty())
    print(fmt::format("{} published figure{} of these experiments need runs that are not compared here: {}\n",
                      all.missing.size(), all.missing.size() == 1 ? "" : "s", fmt::join(all.missing, "; ")));
}

}  // namespace halo
