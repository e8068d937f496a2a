// The published figures beside ours, as tables and as JSON lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "app/commands/command.h"
#include "app/commands/published.h"
#include "app/report/metrics.h"
#include "app/report/table.h"
#include "engine/base/index.h"
#include "engine/experiment/published_runs.h"

namespace halo {
namespace {

using Verdict = Reproduced::Verdict;

std::string verdictText(const Reproduced& reproduced) {
  switch (reproduced.verdict) {
    case Verdict::inside:
      return reproduced.figure.calibrated ? "yes, calibrated" : "yes";
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
  return "no valid band";
}

bool isOrder(const Published& figure) { return figure.counts == Published::Counts::order; }
bool isBound(const Published& figure) { return figure.counts == Published::Counts::bound; }
std::string countsText(const Published& figure) {
  return isOrder(figure) ? "order" : isBound(figure) ? "bound" : "magnitude";
}

std::string bandText(const Published& figure) {
  if (!figure.banded) return "–";
  const auto end = [](double value) { return std::isfinite(value) ? shortNumber(value) : std::string("…"); };
  return end(figure.low) + " to " + end(figure.high);
}

/// Ours ÷ published, where both are there.
std::optional<double> share(const Reproduced& reproduced) {
  if (!reproduced.figure.value || *reproduced.figure.value == 0 || !std::isfinite(reproduced.ours))
    return std::nullopt;
  return reproduced.ours / *reproduced.figure.value;
}

/// What the figures are held against.
using Columns = std::span<const ComparedRepeats>;

/// In what the runs of a ratio differ beside what it compares.
std::vector<Unlike> unlikeRuns(const Reproduced& reproduced, Columns columns) {
  if (!reproduced.over) return {};
  return unlikeBesides(comparedBy(reproduced.figure), columns[reproduced.column], columns[*reproduced.over]);
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
  return at(std::ranges::count(sets, Verdict::inside, &Reproduced::verdict));
}

std::string cellText(const Reproduced& reproduced, double value) {
  if (!std::isfinite(value)) return "–";
  return reproduced.figure.over ? shortNumber(value) + "×"
                                : metricText(*metricNamed(reproduced.figure.metric), value);
}

/// "19.3× (derived)": not every value is printed itself.
std::string valueText(const Reproduced& reproduced) {
  if (!reproduced.figure.value) return "–";
  return cellText(reproduced, *reproduced.figure.value) +
         (reproduced.figure.derived.empty() ? "" : " (derived)");
}

/// A figure of one set of assumptions.
Json figureJson(const Reproduced& reproduced, Columns columns) {
  Json json = {{"published", reproduced.figure.where},
               {"metric", reproduced.figure.metric},
               {"ratio", reproduced.figure.over.has_value()},
               {"counts", countsText(reproduced.figure)},
               {"band", bandText(reproduced.figure)},
               {"reproduced", verdictText(reproduced)},
               {"note", reproduced.figure.note}};
  if (reproduced.figure.value) json["value"] = *reproduced.figure.value;
  if (std::isfinite(reproduced.ours)) json["ours"] = reproduced.ours;
  if (const auto ratio = share(reproduced)) json["ours_over_published"] = *ratio;
  if (!reproduced.figure.because.empty()) json["because"] = reproduced.figure.because;
  if (!reproduced.figure.differs.empty()) json["differs"] = reproduced.figure.differs;
  if (reproduced.figure.calibrated) json["calibrated"] = true;
  if (!reproduced.figure.derived.empty()) json["derived"] = reproduced.figure.derived;
  if (!reproduced.counted || isBound(reproduced.figure)) json["bound"] = true;
  if (reproduced.timedOnSharedCores) json["timed_on_shared_cores"] = true;
  for (const auto& [key, value] : reproduced.assumptions) json["assuming"][key] = value;
  for (const Unlike& unlike : unlikeRuns(reproduced, columns))
    json["runs_differ_in"][unlike.setting] = unlike.values;
  return json;
}

/// What the best of several sets would make of figures that are counted by a declared set: a bound, no
/// result.
std::string boundText(const std::vector<Sets>& tables) {
  std::size_t assumed = 0, reached = 0;
  for (const Sets sets : tables) {
    if (sets.size() == 1) continue;
    ++assumed;
    if (reachedBy(sets) > 0) ++reached;
  }
  if (assumed == 0) return "";
  return fmt::format(
      "{} with several sets of assumptions, counted by the declared set; a bound: {} reached by any of "
      "them\n",
      assumed == 1 ? "1 is" : fmt::format("{} are", assumed),
      reached == 1 ? "1 is" : fmt::format("{} are", reached));
}

/// Which figures that do not come out are times of workers that waited for cores.
void printSharedCores(const std::vector<Reproduced>& figures) {
  std::vector<std::string> where;
  for (const Reproduced& reproduced : figures)
    if (reproduced.timedOnSharedCores && !reproduced.comesOut()) where.push_back(reproduced.figure.where);
  if (where.empty()) return;
  print(fmt::format(
      "Of these, {} made of times of workers that shared cores (marked oversubscribed): waiting "
      "for a core counts as computing, or as synchronisation for who waits for them: {}\n",
      where.size() == 1 ? "one is" : fmt::format("{} are", where.size()), fmt::join(where, "; ")));
}

/// What `text` makes of the least and the largest of the sets, once where they read alike.
template <class Value, class Text>
std::string rangeText(Sets sets, Value value, Text text) {
  std::optional<double> least, most;
  for (const Reproduced& reproduced : sets)
    if (const std::optional<double> is = value(reproduced); is && std::isfinite(*is)) {
      least = std::min(*is, least.value_or(*is));
      most = std::max(*is, most.value_or(*is));
    }
  if (!least) return "–";
  return text(*least) == text(*most) ? text(*least) : text(*least) + " to " + text(*most);
}

/// Misses first, then what comes out by itself, calibrated, or as an order, then what says nothing.
std::vector<Sets> missesFirst(std::vector<Sets> tables) {
  std::ranges::stable_sort(tables, {}, [](const Sets sets) {
    return std::pair(sets.front().outcome(), sets.front().figure.calibrated);
  });
  return tables;
}

/// Of several sets ours with the counted, and from the least to the largest.
std::string oursText(Sets sets) {
  const Reproduced& example = sets.front();
  const std::string first = example.counted ? cellText(example, example.ours) : "–";
  const std::string range = rangeText(
      sets, [](const Reproduced& reproduced) { return std::optional(reproduced.ours); },
      [&](double value) { return cellText(example, value); });
  return range == first ? first : fmt::format("{} ({})", first, range);
}

void printTable(const std::vector<Sets>& tables, Columns columns) {
  Table table({"published", "metric", "what counts", "value", "ours", "ours ÷ published",
               "counts as reproduced", "reproduced"});
  for (const Sets sets : missesFirst(tables)) {
    const Reproduced& first = sets.front();
    std::string verdict = first.counted ? verdictText(first) : "counted set not compared";
    if (sets.size() > 1 || !first.counted)
      verdict += fmt::format("; by {} of {} sets", reachedBy(sets), sets.size());
    if (!unlikeSentence(unlikeRuns(first, columns)).empty()) verdict += "; runs differ";
    const auto shared = first.counted ? share(first) : std::nullopt;
    table.add({first.figure.where, metricNamed(first.figure.metric)->title, countsText(first.figure),
               valueText(first), oursText(sets), shared ? shortNumber(*shared) : "–", bandText(first.figure),
               verdict});
  }
  print(table.text() + boundText(tables));
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
  for (const auto& [key, value] : group.front().front().figure.numerator) {
    const auto valueOf = [&, key = key](const Sets sets) {
      const auto condition = sets.front().figure.numerator.find(key);
      return condition == sets.front().figure.numerator.end() ? std::string("–") : condition->second;
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
    begin = std::min(begin, at(std::ranges::mismatch(first, where).in1 - first.begin()));
    const auto last = std::mismatch(first.rbegin(), first.rend(), where.rbegin(), where.rend()).first;
    end = std::min(end, at(last - first.rbegin()));
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
    if (std::ranges::any_of(sets, [&](const Reproduced& reproduced) {
          return reproduced.assumptions[k] != sets.front().assumptions[k];
        }))
      places.push_back(k);
  return places;
}

/// One row a set of assumptions: the one that counts, then those that reach most figures; one column a
/// figure.
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
      rows[r].cells.push_back(cellText(sets[r], sets[r].ours) + " " + verdictText(sets[r]));
      if (sets[r].verdict == Verdict::inside) ++rows[r].reached;
    }
    rows[r].cells.push_back(fmt::format("{} of {}", rows[r].reached, group.size()));
  }
  if (first.front().counted && !isBound(first.front().figure)) rows.front().cells.back() += ", counts";
  std::ranges::stable_sort(std::span(rows).subspan(first.front().counted ? 1 : 0), std::greater{},
                           &Row::reached);
  Table table(head);
  for (Row& row : rows) table.add(std::move(row.cells));
  table.add(std::move(bands));
  table.add(std::move(reached));
  print(fmt::format("\nWith each set of assumptions, {}{}: {}\n{}",
                    metricNamed(first.front().figure.metric)->title,
                    first.front().figure.over ? " (ratio)" : "", placesOf(group), table.text()));
}

/// What the file says of its figures, and in what their runs differ: each remark once, after all that it is
/// of.
void printRemarks(const std::vector<Sets>& tables, Columns columns) {
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks;  // what, and of which figures
  const auto add = [&](const std::string& sentence, const std::string& where) {
    const auto same = std::ranges::find(remarks, sentence, [](const auto& remark) { return remark.first; });
    if (same == remarks.end())
      remarks.push_back({sentence, {where}});
    else
      same->second.push_back(where);
  };
  for (const Sets sets : tables) {
    const Published& figure = sets.front().figure;
    if (!figure.because.empty()) add("band: " + figure.because, figure.where);
    if (!figure.derived.empty()) add("value derived: " + figure.derived, figure.where);
    if (!figure.note.empty()) add(figure.note, figure.where);
    if (const std::string differ = unlikeSentence(unlikeRuns(sets.front(), columns)); !differ.empty())
      add("our " + differ, figure.where);
  }
  for (const auto& [sentence, where] : remarks)
    if (where.size() > 1 && where.size() == tables.size())
      print(fmt::format("all: {}\n", sentence));
    else
      print(fmt::format("{}: {}\n", fmt::join(where, "; "), sentence));
}

void printFigures(const std::vector<Reproduced>& figures, Columns columns) {
  const std::vector<Sets> tables = tablesOf(figures);
  printTable(tables, columns);
  for (const std::vector<Sets>& group : underSameSets(tables)) printAssumptions(group);
  printRemarks(tables, columns);
  printSharedCores(figures);
}

/// Which figures nothing here counts for, and by what they would.
void printWithoutCounted(const Reproductions& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> remarks;  // what, and of which figures
  for (const Reproduced* reproduced : withoutCounted(all)) {
    std::vector<std::string> words;
    for (const auto& [key, value] : reproduced->figure.counted) words.push_back(key + " = " + value);
    const std::string assumptions = words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
    if (remarks.empty() || remarks.back().first != assumptions) remarks.push_back({assumptions, {}});
    remarks.back().second.push_back(reproduced->figure.where);
  }
  for (const auto& [assumptions, where] : remarks)
    print(fmt::format("{}: {}\n",
                      assumptions.empty()
                          ? "no set of assumptions is declared to count, as the file is of an older "
                            "version; run the file of this version"
                          : "the set of assumptions that counts" + assumptions + " is not compared here",
                      fmt::join(where, "; ")));
}

}  // namespace

Json reproducedJson(const Reproductions& all, Columns columns) {
  Json json = Json::object();
  const Standing standing = standingOf(all);
  if (standing.all() > 0)
    json["counts"] = {{"came_out", standing.cameOut},
                      {"calibrated", standing.calibrated},
                      {"derived", standing.derived},
                      {"order_only", standing.ordersOnly},
                      {"did_not_come_out", standing.missed},
                      {"not_comparable", standing.notComparable},
                      {"bounds", standing.bounds}};
  for (const Reproduced& reproduced : all.figures) json["figures"].push_back(figureJson(reproduced, columns));
  for (const Reproduced* reproduced : withoutCounted(all))
    json["without_counted_set"].push_back(reproduced->figure.where);
  if (!all.unread.empty()) json["unread"] = all.unread;
  if (!all.missing.empty()) json["without_runs"] = all.missing;
  if (!all.notes.empty()) json["notes"] = all.notes;
  return json;
}

void printReproduced(const Reproductions& all, Columns columns) {
  const Standing standing = standingOf(all);
  if (standing.all() > 0) print("\nBeside the published figures: " + toText(standing) + "\n");
  if (!all.figures.empty()) printFigures(all.figures, columns);
  printWithoutCounted(all);
  for (const std::string& note : all.notes) print("Not all come out. Notes of " + note + "\n");
  for (const std::string& sentence : all.unread)
    print("published figure that cannot be read: " + sentence + "\n");
  if (!all.missing.empty())
    print(fmt::format("{} published figure{} of these experiments need runs that are not compared here: {}\n",
                      all.missing.size(), all.missing.size() == 1 ? "" : "s", fmt::join(all.missing, "; ")));
}

}  // namespace halo
