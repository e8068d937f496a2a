#include "engine/record/comparison/fairness.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "engine/record/analysis/unlike.h"

namespace halo {
namespace {

constexpr const char* kStatus = "status";

std::string joined(const std::vector<std::string>& values) {
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : " | ") + value;
  return all;
}

std::string sentenceOf(const Unlike& unlike) {
  std::string sentence = "runs differ in " + unlike.setting + ": " + joined(unlike.values);
  if (unlike.setting == kUnlikeOrders)
    sentence +=
        " (fair = true in the experiment makes alike what auto chose, or says which method cannot be)";
  if (unlike.setting == "partition.balance") sentence += " (what parts hold equally much of)";
  return sentence;
}

/// By what a setting begins with; the first that fits.
constexpr std::pair<std::string_view, std::string_view> kWhyItMatters[] = {
    {kStatus,
     "A run that did not complete has fewer epochs, and its last ones may be slow or cut. Its best score may "
     "still have been to come."},
    {"training.evaluate_every",
     "Evaluation takes time between epochs. A score that is measured more often is seen to be reached "
     "sooner."},
    {"training.seed",
     "A seed draws initial weights, dropout and partitions. Some learn faster by chance, so compare several "
     "seeds of each."},
    {"training.epochs",
     "A longer run has more epochs to choose its best score from. Its mean epoch is of more epochs."},
    {"training.", "It changes what an epoch learns. Scores, and times to a score, are then of other work."},
    {"dataset.split",
     "Scores are of other vertices. They say nothing of the methods, and neither do times to a score."},
    {"dataset.",
     "Another graph, or other features, are other work. Times, bytes and scores differ by it alone."},
    {kUnlikeData,
     "The files changed between the runs. Times, bytes and scores may differ by what was read, and not by "
     "the method."},
    {kUnlikeOrders,
     "The order of aggregation and update decides how wide the rows are that travel. A method may be faster "
     "by its order alone."},
    {"model.", "Another model computes and sends other amounts in every epoch, and learns otherwise."},
    {"cluster.link",
     "Another link carries the same bytes faster or slower. The difference may be the network's, not the "
     "method's."},
    {"cluster.wire",
     "Another link carries the same bytes faster or slower. The difference may be the network's, not the "
     "method's."},
    {"cluster.threads",
     "More threads compute faster. Less communication can then hide, so that the shares of an epoch shift."},
    {"cluster.launcher", "Ranks may stand on other hosts, with another network and other neighbours."},
    {"cluster.hosts", "Other hosts differ in speed, memory and load."},
    {"host", "Another machine differs in speed, memory and load."},
    {"version", "Another version of the program may compute, send or measure otherwise."},
    {"marks",
     "A mark says what the times of a run are not, such as times on cores that several ranks share."},
    {kUnlikePrecision,
     "Numbers of twice the bytes double what travels and what memory moves. They round otherwise, too."},
    {"run.layer0_cache",
     "A cached first layer is not aggregated or sent again. Every epoch but the first saves that work."},
    {"record.spans",
     "Each span that is recorded costs time in its epoch. A run with fewer of them may be faster by that "
     "alone."},
    {"record.iterations",
     "Each iteration that is recorded costs time. A run that records fewer of them may be faster by that "
     "alone."},
    {"record.staleness",
     "A probe of staleness moves rows besides those of training. Some probed epochs are left out of the "
     "times, and the others differ with them."},
    {"record.",
     "What is kept besides the metrics takes time, disk and memory. A run that keeps less may be faster by "
     "that alone."},
    {"partition.imbalance",
     "A partitioner that may fill its parts less evenly sends less. The largest part then computes longer."},
    {"partition.path",
     "Other files are other partitions. The rows that travel and the slowest part's work differ by them "
     "alone."},
    {"partition.method",
     "Each method has partitions of its own. The rows that travel and the slowest part's work may differ by "
     "them alone."},
    {"partition.balance",
     "Parts that hold equally much of something else compute and wait unlike. The slowest part sets the "
     "epoch."},
    {"partition.",
     "A partitioner that is told otherwise finds other parts. Bytes and the slowest part's work may differ "
     "by them alone."},
};

}  // namespace

std::vector<Objection> objections(const std::vector<Configuration>& configurations) {
  std::vector<Objection> all;
  std::vector<ComparedRepeats> repeats;
  std::vector<ComparedRun> firsts;
  for (const Configuration& each : configurations) {
    for (const RunRow& run : each.runs)
      if (run.status != "completed")
        all.push_back({kStatus, "run " + std::to_string(run.id) + " is " + run.status});
    repeats.push_back({{}, each.parameters});
    for (const RunRow& run : each.runs) repeats.back().runs.push_back(&run);
    firsts.push_back({each.runs.front(), each.parameters});
  }
  for (const Unlike& unlike : unlikeRepeats(repeats)) all.push_back({unlike.setting, sentenceOf(unlike)});
  for (const Unlike& unlike : perhapsUnlike(firsts))
    all.push_back({unlike.setting,
                   "whether runs differ in " + unlike.setting + " is not known: " + joined(unlike.values)});
  return all;
}

std::vector<std::string> fairness(const std::vector<Configuration>& configurations) {
  std::vector<std::string> sentences;
  std::ranges::transform(objections(configurations), std::back_inserter(sentences), &Objection::sentence);
  return sentences;
}

std::string whyItMatters(const std::string& setting) {
  const auto reason =
      std::ranges::find_if(kWhyItMatters, [&](const auto& each) { return setting.starts_with(each.first); });
  return reason == std::end(kWhyItMatters)
             ? "It is not what is compared, and it may be what makes the difference."
             : std::string(reason->second);
}

}  // namespace halo
