#include "app/commands/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "app/commands/command.h"
#include "app/commands/metrics.h"
#include "app/commands/table.h"

namespace halo {
namespace {

using Verdict = Reproduced::Verdict;

std::string nameOf(const Published& figure) {
  return figure.where.empty() ? figure.metric : fmt::format("{} ({})", figure.where, figure.metric);
}

/// Holds the figures of one experiment against its columns.
class Held {
 public:
  Held(const std::vector<Measured>& columns, const std::string& experiment, Reproductions& to)
      : columns_(columns), experiment_(experiment), to_(to) {}

  void hold(const Published& figure) {
    const Metric* metric = metricNamed(figure.metric);
    if (metric == nullptr)
      return unread(figure, fmt::format("'{}' is no metric of this version", figure.metric));
    int fitting = 0, fittingOver = 0;
    const Measured* of = columnOf(figure.of, fitting);
    const Measured* over = figure.over ? columnOf(*figure.over, fittingOver) : nullptr;
    if (fitting > 1 || fittingOver > 1)
      return unread(figure, "fits several runs of its file; of and over must name what tells them apart");
    if (of == nullptr || (figure.over && over == nullptr)) return to_.missing.push_back(nameOf(figure));
    if (of == over) return unread(figure, "of and over are one run");
    const auto valueOf = [&](const Measured& column) {
      return column.values[static_cast<std::size_t>(metric - metrics().data())];
    };
    Reproduced one{figure, valueOf(*of)};
    if (over != nullptr) one.ours /= valueOf(*over);
    one.verdict = !(of->completed && (over == nullptr || over->completed))
                      ? Verdict::notCompleted
                      : verdictOf(figure, valueOf(*of), over == nullptr ? 1 : valueOf(*over));
    one.timedOnSharedCores = metric->timed && (of->sharedCores || (over != nullptr && over->sharedCores));
    to_.figures.push_back(std::move(one));
  }

 private:
  void unread(const Published& figure, const std::string& why) {
    to_.unread.push_back(nameOf(figure) + ": " + why);
  }

  /// `over` is 1 if the figure is no ratio.
  static Verdict verdictOf(const Published& figure, double of, double over) {
    if (!std::isfinite(of) || !std::isfinite(over)) return Verdict::notRecorded;
    if (figure.counts == Published::Counts::order && of == over) return Verdict::tie;
    const double ours = of / over;
    if (figure.counts == Published::Counts::magnitude && !std::isfinite(ours)) return Verdict::noRatio;
    if (!figure.banded) return Verdict::noBand;
    const bool ahead = figure.low == 1 ? of > over : of < over;
    const bool in = figure.counts == Published::Counts::order ? ahead : figure.holds(ours);
    if (!in) return Verdict::outside;
    return figure.because.empty() ? Verdict::inside : Verdict::explained;
  }

  const Measured* columnOf(const Published::Conditions& conditions, int& fitting) const {
    const Measured* found = nullptr;
    for (const Measured& column : columns_)
      if (column.experiment == experiment_ && meets(column.parameters, conditions)) {
        found = &column;
        ++fitting;
      }
    return found;
  }

  const std::vector<Measured>& columns_;
  const std::string& experiment_;
  Reproductions& to_;
};

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
    printJson(json);
  }
  for (const std::string& one : all.unread) printJson({{"published_unread", one}});
  if (!all.missing.empty())
    printJson({{"published_without_runs", all.missing.size()}, {"where", all.missing}});
  for (const std::string& one : all.notes) printJson({{"published_notes", one}});
}

/// "3 of 4 orders and 1 of 2 magnitudes come out; 1 not counted, of runs not completed"
std::string tally(const std::vector<Reproduced>& figures) {
  std::string text;
  for (const bool order : {true, false}) {
    int held = 0, in = 0;
    for (const Reproduced& one : figures) {
      if (isOrder(one.figure) != order || !one.figure.banded || one.verdict == Verdict::notCompleted)
        continue;
      ++held;
      in += one.verdict == Verdict::inside ? 1 : 0;
    }
    if (held == 0) continue;
    text += fmt::format("{}{} of {} {}{}", text.empty() ? "" : " and ", in, held,
                        order ? "order" : "magnitude", held == 1 ? "" : "s");
  }
  if (!text.empty()) text += " come out";
  const auto left = std::ranges::count(figures, Verdict::notCompleted, &Reproduced::verdict);
  if (left > 0)
    text += fmt::format("{}{} not counted, of runs not completed", text.empty() ? "" : "; ", left);
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

void printFigures(const std::vector<Reproduced>& figures) {
  Table table({"published", "metric", "what counts", "value", "ours", "ours ÷ published",
               "counts as reproduced", "reproduced"});
  for (const Reproduced& one : figures) {
    const Metric& metric = *metricNamed(one.figure.metric);
    const auto cell = [&](double value) {
      if (!std::isfinite(value)) return std::string("–");
      return one.figure.over ? shortNumber(value) + "×" : metricText(metric, value);
    };
    const auto of = share(one);
    table.add({one.figure.where, metric.title, countsText(one.figure),
               one.figure.value ? cell(*one.figure.value) : "–", cell(one.ours), of ? shortNumber(*of) : "–",
               bandText(one.figure), verdictText(one.verdict)});
  }
  print("\nBeside the published figures\n" + table.text() + tally(figures));
  for (const Reproduced& one : figures) {
    if (!one.figure.because.empty())
      print(fmt::format("{}: the band leaves the published value out: {}\n", one.figure.where,
                        one.figure.because));
    if (!one.figure.note.empty()) print(fmt::format("{}: {}\n", one.figure.where, one.figure.note));
  }
  printSharedCores(figures);
}

/// On one line: how wide the terminal is, the file does not know.
std::string withoutLineEnds(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

}  // namespace

Reproductions reproduced(const std::vector<Measured>& columns) {
  Reproductions all;
  std::vector<std::string> seen;
  for (const Measured& column : columns) {
    if (std::ranges::find(seen, column.experiment) != seen.end()) continue;
    seen.push_back(column.experiment);
    const PublishedFigures read = readPublished(column.experiment);
    all.unread.insert(all.unread.end(), read.unread.begin(), read.unread.end());
    const std::size_t before = all.figures.size();
    Held held(columns, column.experiment, all);
    for (const Published& figure : read.figures) held.hold(figure);
    const bool out = std::ranges::all_of(std::span(all.figures).subspan(before), &Reproduced::comesOut);
    if (!out && !read.notes.empty()) all.notes.push_back(read.name + ": " + withoutLineEnds(read.notes));
  }
  return all;
}

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
