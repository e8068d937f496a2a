#include "engine/record/comparison/configuration.h"

#include <algorithm>

#include "engine/record/analysis/pairing.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

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

}  // namespace

std::vector<Configuration> configurationsOf(Database& recording, const std::vector<RunRow>& runs) {
  std::vector<Configuration> all;
  for (const RunRow& run : runs) {
    auto parameters = withoutChance(Runs(recording).parameters(run.id));
    const auto same = std::ranges::find_if(
        all, [&](const Configuration& each) { return !parameters.empty() && each.parameters == parameters; });
    if (same != all.end())
      same->runs.push_back(run);
    else
      all.push_back({&recording, {run}, std::move(parameters)});
  }
  return all;
}

bool onOneDataset(const Configuration& a, const Configuration& b) {
  if (!onOneDataset(a.runs.front(), a.parameters, b.runs.front(), b.parameters)) return false;
  for (const char* key : {"dataset.scale", "dataset.directed", "simulate.graph"}) {
    const auto ofA = a.parameters.find(key), ofB = b.parameters.find(key);
    if (ofA != a.parameters.end() && ofB != b.parameters.end() && ofA->second != ofB->second) return false;
  }
  return true;
}

std::vector<std::string> fairness(const std::vector<Configuration>& configurations) {
  std::vector<std::string> sentences;
  std::vector<ComparedRepeats> repeats;
  std::vector<ComparedRun> firsts;
  for (const Configuration& each : configurations) {
    for (const RunRow& run : each.runs)
      if (run.status != "completed")
        sentences.push_back("run " + std::to_string(run.id) + " is " + run.status);
    repeats.push_back({{}, each.parameters});
    for (const RunRow& run : each.runs) repeats.back().runs.push_back(&run);
    firsts.push_back({each.runs.front(), each.parameters});
  }
  for (const Unlike& unlike : unlikeRepeats(repeats)) sentences.push_back(sentenceOf(unlike));
  for (const Unlike& unlike : perhapsUnlike(firsts))
    sentences.push_back("whether runs differ in " + unlike.setting +
                        " is not known: " + joined(unlike.values));
  return sentences;
}

}  // namespace halo
