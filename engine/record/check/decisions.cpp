// What a resource manager decided: each decision's mapping against that before it and what the platform has.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/record/check/checks.h"
#include "engine/record/check/figures.h"
#include "engine/record/tables/hybrid.h"

namespace halo {
namespace {

/// A kept change makes iterations at least so much shorter.
constexpr double kKeptAtMost = 0.99;

/// What must stay the same, where it is known.
struct Platform {
  std::optional<std::int64_t> batch, cards, threads;
};

std::optional<std::int64_t> numberOf(const CheckedRun& run, const std::string& key) {
  const std::int64_t number = run.number(key, -1);
  return number < 0 ? std::nullopt : std::optional(number);
}

Platform platformOf(const CheckedRun& run) {
  Platform platform{numberOf(run, "result.batch"), numberOf(run, "run.cards"),
                    numberOf(run, "result.cpu_threads")};
  if (platform.cards.value_or(0) == 0) platform.cards = numberOf(run, "result.cards");  // 0: all there are
  // of a simulation both are keys
  if (!platform.cards) platform.cards = numberOf(run, "platform.cards");
  if (!platform.threads) platform.threads = numberOf(run, "platform.cpu_threads");
  return platform;
}

std::string shown(const DecisionRow& row) {
  return "cpu " + std::to_string(row.cpuSeeds) + ", card " + std::to_string(row.cardSeeds) + ", threads " +
         std::to_string(row.sampleThreads) + "/" + std::to_string(row.loadThreads) + "/" +
         std::to_string(row.trainThreads) + ", sampled on cards " + shownFigure(row.cardSampleShare);
}

/// Which parts of a mapping two decisions differ in.
struct Differs {
  Differs(const DecisionRow& a, const DecisionRow& b)
      : seeds(a.cpuSeeds != b.cpuSeeds || a.cardSeeds != b.cardSeeds),
        threads(a.sampleThreads != b.sampleThreads || a.loadThreads != b.loadThreads ||
                a.trainThreads != b.trainThreads),
        share(a.cardSampleShare != b.cardSampleShare) {}
  bool seeds, threads, share;
};

std::int64_t threadsOf(const DecisionRow& row, MappingPart part) {
  switch (part) {
    case MappingPart::sample:
      return row.sampleThreads;
    case MappingPart::load:
      return row.loadThreads;
    case MappingPart::train:
      return row.trainThreads;
    case MappingPart::none:
    case MappingPart::cpu:
    case MappingPart::cards:
      break;
  }
  return 0;
}

bool seedsMoved(const DecisionRow& before, const DecisionRow& row) {
  if (row.takenFrom == MappingPart::cpu && row.givenTo == MappingPart::cards)
    return row.cpuSeeds < before.cpuSeeds && row.cardSeeds >= before.cardSeeds;
  return row.takenFrom == MappingPart::cards && row.givenTo == MappingPart::cpu &&
         row.cpuSeeds > before.cpuSeeds && row.cardSeeds <= before.cardSeeds;
}

bool threadsMoved(const DecisionRow& before, const DecisionRow& row) {
  std::int64_t threadsTaken = 0, threadsGiven = 0, threadsOfOthers = 0;
  for (const MappingPart part : {MappingPart::sample, MappingPart::load, MappingPart::train}) {
    const std::int64_t more = threadsOf(row, part) - threadsOf(before, part);
    (part == row.takenFrom ? threadsTaken : part == row.givenTo ? threadsGiven : threadsOfOthers) += more;
  }
  return row.takenFrom >= MappingPart::sample && row.givenTo >= MappingPart::sample && threadsTaken < 0 &&
         threadsGiven == -threadsTaken && threadsOfOthers == 0;
}

bool samplingMoved(const DecisionRow& before, const DecisionRow& row) {
  if (row.takenFrom == MappingPart::cpu && row.givenTo == MappingPart::cards)
    return row.cardSampleShare > before.cardSampleShare;
  return row.takenFrom == MappingPart::cards && row.givenTo == MappingPart::cpu &&
         row.cardSampleShare < before.cardSampleShare;
}

/// Whether the mapping differs from the one before it by the decision's action alone.
bool differsByAction(const DecisionRow& before, const DecisionRow& row) {
  const Differs differs(before, row);
  switch (row.action) {
    case MappingAction::work:
    case MappingAction::step:
      return !differs.threads && !differs.share && seedsMoved(before, row);
    case MappingAction::threads:
      return !differs.seeds && !differs.share && threadsMoved(before, row);
    case MappingAction::sampling:
      return !differs.seeds && !differs.threads && samplingMoved(before, row);
    case MappingAction::rest:
      return !differs.seeds && !differs.threads && !differs.share && row.takenFrom == MappingPart::none &&
             row.givenTo == MappingPart::none;
    case MappingAction::start:
      break;  // the first alone, which has none before it
  }
  return false;
}

class Decisions {
 public:
  Decisions(const CheckedRun& run, Findings& findings)
      : run_(run.row.id), has_(platformOf(run)), findings_(findings) {}

  void check(const std::vector<DecisionRow>& rows) {
    const DecisionRow *base = nullptr, *last = nullptr;  // base: whose mapping stands
    for (const DecisionRow& row : rows) {
      checkOrder(last, row);
      checkMapping(row);
      checkOutcome(row);
      if (base != nullptr && !differsByAction(*base, row))
        wrong("change of mapping", row,
              "its action is " + actionOf(row) + "; it makes (" + shown(row) + ") of (" + shown(*base) +
                  "), the mapping of decision " + std::to_string(base->decision));
      last = &row;
      if (base == nullptr || row.outcome != DecisionOutcome::undone) base = &row;
    }
  }

 private:
  void wrong(std::string_view kind, const DecisionRow& row, const std::string& fault) {
    findings_.add(kind, run_, "decision " + std::to_string(row.decision), fault);
  }

  static std::string actionOf(const DecisionRow& row) {
    std::string action(text(row.action));
    if (row.takenFrom != MappingPart::none) action += " from " + std::string(text(row.takenFrom));
    if (row.givenTo != MappingPart::none) action += " to " + std::string(text(row.givenTo));
    return action;
  }

  void checkOrder(const DecisionRow* last, const DecisionRow& row) {
    const std::int64_t expected = last == nullptr ? 0 : last->decision + 1;
    if (row.decision != expected)
      wrong("number of decision", row, "decision " + std::to_string(expected) + " is not in table decision");
    if ((row.action == MappingAction::start) != (last == nullptr))
      wrong("start of decisions", row,
            last == nullptr ? "is the first, and its action is " + actionOf(row) + "; start"
                            : "has the action start, which decision 0 alone has");
    if (last == nullptr) return;
    if (std::pair(row.epoch, row.iteration) < std::pair(last->epoch, last->iteration))
      wrong("time of decision", row,
            "is of epoch " + std::to_string(row.epoch) + ", iteration " + std::to_string(row.iteration) +
                ", before the decision before it");
    if (last->outcome == DecisionOutcome::open)
      wrong("open decision", *last, "was not judged (outcome open), and is not the last");
  }

  void checkMapping(const DecisionRow& row) {
    const std::int64_t sum = row.sampleThreads + row.loadThreads + row.trainThreads;
    if (has_.threads && sum != *has_.threads)
      wrong("threads of decision", row,
            "its threads are " + std::to_string(sum) + " together; platform.cpu_threads is " +
                std::to_string(*has_.threads));
    if (row.sampleThreads < 1 || row.loadThreads < 1 || (row.cpuSeeds > 0 && row.trainThreads < 1))
      wrong("threads of decision", row, "leaves somebody no thread (" + shown(row) + ")");
    if (has_.batch && has_.cards) {
      const std::int64_t over = row.cpuSeeds + *has_.cards * row.cardSeeds - *has_.batch;
      if (over < 0 || over >= *has_.cards)
        wrong("seeds of decision", row,
              std::to_string(row.cpuSeeds) + " seeds and " + std::to_string(row.cardSeeds) + " of each of " +
                  std::to_string(*has_.cards) + " cards; an iteration has " + std::to_string(*has_.batch));
    }
    if (!(row.cardSampleShare >= 0 && row.cardSampleShare <= 1))
      wrong("share of decision", row,
            "card_sample_share is " + shownFigure(row.cardSampleShare) + "; a share from 0 to 1");
  }

  void checkOutcome(const DecisionRow& row) {
    const bool rests = row.action == MappingAction::rest;
    const auto is = std::string("its outcome is ") + std::string(text(row.outcome));
    if (rests != (row.outcome == DecisionOutcome::rest))
      wrong("outcome of decision", row, is + "; rest, where nothing is left to try, and only there");
    if (row.action == MappingAction::start && row.outcome == DecisionOutcome::undone)
      wrong("outcome of decision", row, is + "; nothing stood before it");
    if (rests || row.action == MappingAction::start) return;
    const bool judged = row.outcome == DecisionOutcome::kept || row.outcome == DecisionOutcome::undone;
    if (judged && (!row.beforeNs || !row.afterNs))
      return wrong("outcome of decision", row, is + ", and before_ns or after_ns is NULL");
    if (!judged) return;
    // medians are rounded to whole nanoseconds, before and after
    const double most = kKeptAtMost * static_cast<double>(*row.beforeNs);
    const bool shorter = static_cast<double>(*row.afterNs) <= most + 1,
               longer = static_cast<double>(*row.afterNs) > most - 1;
    if (row.outcome == DecisionOutcome::kept ? !shorter : !longer)
      wrong("outcome of decision", row,
            is + "; " + std::to_string(*row.beforeNs) + " ns before and " + std::to_string(*row.afterNs) +
                " ns after it, kept are changes that leave at most 0.99 of the time");
  }

  std::int64_t run_;
  Platform has_;
  Findings& findings_;
};

}  // namespace

void checkDecisions(Database& database, const CheckedRun& run, Findings& findings) {
  Decisions(run, findings).check(Hybrid(database).decisions(run.row.id));
}

}  // namespace halo
