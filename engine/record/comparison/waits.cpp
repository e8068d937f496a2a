#include "engine/record/comparison/waits.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "engine/record/comparison/scope.h"

namespace halo {
namespace {

using Stretches = std::vector<WaitStretch>;

constexpr double kNotRecorded = std::numeric_limits<double>::quiet_NaN();

bool isWork(const Span& span) {
  return (span.kind == Kind::compute || span.kind == Kind::quantise || span.kind == Kind::other) &&
         !liesBetweenEpochs(span);
}

std::int64_t lengthOf(const WaitStretch& stretch) { return stretch.endNs - stretch.beginNs; }

/// Of each epoch, ns in which at least one of the stretches goes on.
std::vector<std::int64_t> unionOf(Stretches stretches, std::size_t epochs) {
  std::ranges::sort(stretches, {}, [](const WaitStretch& s) { return std::pair(s.epoch, s.beginNs); });
  std::vector<std::int64_t> ns(epochs);
  std::size_t epoch = epochs;
  std::int64_t reached = 0;
  for (const WaitStretch& stretch : stretches) {
    if (stretch.epoch != epoch) epoch = stretch.epoch, reached = stretch.beginNs;
    ns[epoch] += std::max<std::int64_t>(0, stretch.endNs - std::max(stretch.beginNs, reached));
    reached = std::max(reached, stretch.endNs);
  }
  return ns;
}

/// Nanoseconds a rank in each epoch.
std::vector<double> seriesOf(const RunWaits& run, const Stretches& stretches) {
  std::vector<double> ns(run.epochs.size());
  for (const WaitStretch& stretch : stretches)
    ns[stretch.epoch] += static_cast<double>(lengthOf(stretch)) / static_cast<double>(run.ranks);
  return ns;
}

/// Of one run, as a share of its epochs. `replayedNs`: what a replay gained in all of them, if there was one.
double ceilingOf(const RunWaits& run, const Stretches& stretches, std::optional<std::int64_t> replayedNs) {
  const std::vector<std::int64_t> waited = unionOf(stretches, run.epochs.size());
  double gained = 0, all = 0;
  for (std::size_t e = 0; e < run.epochs.size(); ++e) {
    const std::int64_t wall = run.epochs[e].wallNs;
    gained += static_cast<double>(std::min(waited[e], std::max<std::int64_t>(0, wall - run.busiestNs[e])));
    all += static_cast<double>(wall);
  }
  if (replayedNs) gained = std::min(gained, static_cast<double>(std::max<std::int64_t>(0, *replayedNs)));
  return all > 0 ? gained / all : 0;
}

double meanEpochOf(const std::vector<RunWaits>& runs) {
  Repeats walls;
  for (const RunWaits& run : runs) {
    std::vector<double>& values = walls.emplace_back();
    for (const EpochRow& epoch : run.epochs) values.push_back(static_cast<double>(epoch.wallNs));
  }
  return meanOf(walls);
}

/// One kind in one configuration: the stretches of each run.
struct Side {
  WaitFigures figures;
  Repeats series;
};

/// `replayed`: what was gained in a run.
template <class Replayed>
Side sideOf(const std::vector<RunWaits>& runs, const std::vector<Stretches>& stretches,
            const Replayed& replayed) {
  Side side;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    side.series.push_back(seriesOf(runs[i], stretches[i]));
    for (const WaitStretch& stretch : stretches[i]) side.figures.totalNs += lengthOf(stretch);
    side.figures.ceiling +=
        ceilingOf(runs[i], stretches[i], replayed(runs[i])) / static_cast<double>(runs.size());
  }
  if (runs.empty()) {
    side.figures.meanNs = side.figures.share = side.figures.ceiling = kNotRecorded;
    return side;
  }
  side.figures.meanNs = meanOf(side.series);
  side.figures.share = side.figures.meanNs / meanEpochOf(runs);
  return side;
}

std::vector<Stretches> ofKind(const std::vector<RunWaits>& runs, const WaitKind& kind) {
  std::vector<Stretches> all;
  for (const RunWaits& run : runs) {
    const auto stretches = run.kinds.find(kind);
    all.push_back(stretches == run.kinds.end() ? Stretches{} : stretches->second);
  }
  return all;
}

std::vector<Stretches> ofAllKinds(const std::vector<RunWaits>& runs) {
  std::vector<Stretches> all;
  for (const RunWaits& run : runs) {
    Stretches& stretches = all.emplace_back();
    for (const auto& [kind, more] : run.kinds) stretches.insert(stretches.end(), more.begin(), more.end());
  }
  return all;
}

std::optional<std::int64_t> gainOf(const RunWaits& run, const WaitKind& kind) {
  const auto gain = run.gainNs.find(kind);
  return gain == run.gainNs.end() ? std::nullopt : std::optional(gain->second);
}

Wait waitOf(const std::vector<std::vector<RunWaits>>& configurations, const std::vector<bool>& comparable,
            const WaitKind& kind) {
  Wait wait{kind, {}, {}};
  Repeats first;
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    Side side = sideOf(configurations[c], ofKind(configurations[c], kind),
                       [&](const RunWaits& run) { return gainOf(run, kind); });
    wait.figures.push_back(side.figures);
    std::optional<WaitChange>& change = wait.changes.emplace_back();
    if (c == 0) {
      first = std::move(side.series);
    } else if (comparable[c] && !first.empty() && !side.series.empty()) {
      change = WaitChange{side.figures.meanNs - wait.figures.front().meanNs,
                          differenceInterval(first, side.series)};
    }
  }
  return wait;
}

}  // namespace

WaitsOfSpans::WaitsOfSpans(std::int64_t ranks, const std::vector<EpochRow>& epochs)
    : epochs_(epochs),
      read_{ranks, {}, std::vector<std::int64_t>(epochs.size()), true, {}},
      activeRanks_(epochs.size()) {}

void WaitsOfSpans::addRank(std::span<const Span> main, std::span<const Span> wait) {
  std::size_t first = 0;  // no earlier epoch reaches to the span
  const auto forEachEpoch = [&](const Span& span, const auto& use) {
    while (first < epochs_.size() && epochs_[first].beginNs + epochs_[first].wallNs <= span.beginNs) ++first;
    for (std::size_t e = first; e < epochs_.size() && epochs_[e].beginNs < span.endNs(); ++e) {
      const std::int64_t begin = std::max(span.beginNs, epochs_[e].beginNs);
      const std::int64_t end = std::min(span.endNs(), epochs_[e].beginNs + epochs_[e].wallNs);
      if (begin < end) use(e, begin, end);
    }
  };
  std::vector<std::int64_t> busy(epochs_.size()), reached(epochs_.size());
  std::vector<bool> seen(epochs_.size());
  for (const Span& span : main)
    forEachEpoch(span, [&](std::size_t e, std::int64_t begin, std::int64_t end) {
      seen[e] = true;
      waited_ = waited_ || span.kind == Kind::communication || span.kind == Kind::synchronise;
      if (!isWork(span)) return;
      busy[e] += std::max<std::int64_t>(0, end - std::max(begin, reached[e]));
      reached[e] = std::max(reached[e], end);
    });
  for (std::size_t e = 0; e < epochs_.size(); ++e) {
    read_.busiestNs[e] = std::max(read_.busiestNs[e], busy[e]);
    if (seen[e]) ++activeRanks_[e];
  }
  first = 0;
  for (const Span& span : wait) {
    if (!isReason(span.name)) continue;
    Stretches* to = nullptr;
    forEachEpoch(span, [&](std::size_t e, std::int64_t begin, std::int64_t end) {
      if (to == nullptr) to = &read_.kinds[{span.peer, span.layer, span.name}];
      to->push_back({e, begin, end});
    });
  }
}

void WaitsOfSpans::add(WaitsOfSpans others) {
  waited_ = waited_ || others.waited_;
  for (std::size_t e = 0; e < epochs_.size(); ++e) {
    read_.busiestNs[e] = std::max(read_.busiestNs[e], others.read_.busiestNs[e]);
    activeRanks_[e] += others.activeRanks_[e];
  }
  for (auto& [kind, more] : others.read_.kinds) {
    Stretches& stretches = read_.kinds[kind];
    stretches.insert(stretches.end(), more.begin(), more.end());
  }
}

RunWaits WaitsOfSpans::waits() {
  std::vector<std::size_t> places(epochs_.size());  // of the epochs that are kept
  std::vector<std::int64_t> busiest;
  for (std::size_t e = 0; e < epochs_.size(); ++e) {
    places[e] = read_.epochs.size();
    if (activeRanks_[e] < read_.ranks) continue;
    read_.epochs.push_back(epochs_[e]);
    busiest.push_back(read_.busiestNs[e]);
  }
  read_.busiestNs = std::move(busiest);
  for (auto& [kind, stretches] : read_.kinds) {
    std::erase_if(stretches, [&](const WaitStretch& s) { return activeRanks_[s.epoch] < read_.ranks; });
    for (WaitStretch& stretch : stretches) stretch.epoch = places[stretch.epoch];
  }
  std::erase_if(read_.kinds, [](const auto& kind) { return kind.second.empty(); });
  read_.explained = !waited_ || !read_.kinds.empty();
  return std::move(read_);
}

std::string verdict(const Wait& wait, std::size_t configuration) {
  const std::optional<WaitChange>& change = wait.changes[configuration];
  if (!change) return "";
  if (wait.figures.front().totalNs == 0) return wait.figures[configuration].totalNs == 0 ? "" : "added";
  if (wait.figures[configuration].totalNs == 0) return "removed";
  if (!change->interval) return "";
  return change->interval->isWithinNoise() ? "within noise" : change->deltaNs < 0 ? "shorter" : "longer";
}

WaitTable waitsOf(const std::vector<std::vector<RunWaits>>& configurations,
                  const std::vector<bool>& comparable) {
  std::set<WaitKind> kinds;
  for (const std::vector<RunWaits>& runs : configurations)
    for (const RunWaits& run : runs)
      for (const auto& [kind, stretches] : run.kinds) kinds.insert(kind);
  WaitTable table;
  for (const WaitKind& kind : kinds) table.waits.push_back(waitOf(configurations, comparable, kind));
  std::ranges::stable_sort(table.waits, std::ranges::greater{}, [](const Wait& wait) {
    double longest = 0;
    for (const WaitFigures& figures : wait.figures) longest = std::fmax(longest, figures.meanNs);
    return longest;
  });
  for (const std::vector<RunWaits>& runs : configurations)
    table.together.push_back(
        sideOf(runs, ofAllKinds(runs), [](const RunWaits& run) { return run.gainOfAllNs; }).figures);
  return table;
}

}  // namespace halo
