#include "engine/record/analysis/unlike.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/resolved_keys.h"

namespace halo {
namespace {

constexpr const char* kNone = "–";
constexpr const char* kMarks = "marks";
constexpr const char* kLayer0Cache = "run.layer0_cache";
constexpr const char* kBalance = "partition.balance";
constexpr const char* kPartitioner = "partition.method";
constexpr const char* kThreadsAsked = "cluster.threads";
constexpr const char* kIterationsAsked = "record.iterations";
constexpr const char* kNotRecorded = "not recorded";

/// Methods without `run.layer0_cache` keep layer 0's aggregate or not, too; partitioners without
/// `partition.balance` balance something. Who asks for as many threads as there are cores has some number.
/// Who leaves it to `auto` which iterations are recorded has some of them.
std::string settingOf(const std::string& key) {
  if (key == kThreads) return kThreadsAsked;
  if (key == kIterationsEvery) return kIterationsAsked;
  if (key == kPartsBalance) return kBalance;
  return key == kKeepsLayer0 ? kLayer0Cache : key;
}

/// The resolved key that says of every run what this one says of some.
std::string resolvedOf(const std::string& key) {
  if (key == kBalance) return kPartsBalance;
  if (key == kThreadsAsked) return kThreads;
  if (key == kIterationsAsked) return kIterationsEvery;
  return key == kLayer0Cache ? kKeepsLayer0 : key;
}

std::string withoutQuotes(const std::string& value) {
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::string whatOf(const std::string& key) {
  if (key == kLayerOrders) return kUnlikeOrders;
  if (key == kDataDigest) return kUnlikeData;
  return key == kElementBytes ? kUnlikePrecision : key;
}

/// As many threads as there are cores.
bool leavesThreads(const ComparedRun& run) {
  const auto threads = run.parameters.find(kThreadsAsked);
  return threads != run.parameters.end() && threads->second == "0";
}

std::string valueOf(const std::string& key, const ComparedRun& run) {
  auto parameter = run.parameters.find(resolvedOf(key));
  if (parameter == run.parameters.end() && key != kIterationsAsked)  // without batches it asks for nothing
    parameter = run.parameters.find(key);
  if (parameter == run.parameters.end()) return kNone;
  if (parameter->first == kThreadsAsked && leavesThreads(run)) return kNone;
  return key == kBalance ? withoutQuotes(parameter->second) : parameter->second;
}

/// "": it has no such key, or shares it with all others.
std::string textOf(const std::string& key, const ComparedRun& run) {
  const auto parameter = run.parameters.find(key);
  return parameter == run.parameters.end() ? "" : parameter->second;
}

/// A partitioner's own keys, `partition.imbalance` and `partition.path`.
bool isFurtherOfPartition(const std::string& key) {
  return key.starts_with("partition.") && key != kPartitioner && key != kBalance;
}

/// The values of a key of the partition by who has them: of the partitioner methods, of its other keys
/// methods with their partitioners. One worker has no partition.
std::map<std::string, std::set<std::string>> valuesByOwner(const std::string& key,
                                                           std::span<const ComparedRun> runs) {
  std::map<std::string, std::set<std::string>> values;
  for (const ComparedRun& run : runs) {
    if (run.run.workers < 2 || !run.parameters.contains(key)) continue;
    const std::string with = key == kPartitioner ? "" : ' ' + textOf(kPartitioner, run);
    values[run.run.method + with].insert(run.parameters.at(key));
  }
  return values;
}

/// Of one partitioner what parts hold equally much of is what is compared.
bool differInPartitioner(std::span<const ComparedRun> runs) {
  std::set<std::string> all;
  for (const ComparedRun& run : runs) all.insert(textOf(kPartitioner, run));
  return all.size() > 1;
}

/// Where a method has several partitioners, these are what is compared. Where each has its own, nobody can
/// tell what the method does from what its partition does. So it is with a partitioner's imbalance or file.
bool eachHasItsOwn(const std::string& key, std::span<const ComparedRun> runs) {
  std::set<std::string> all;
  for (const auto& [owner, values] : valuesByOwner(key, runs)) {
    if (values.size() > 1) return false;
    all.insert(*values.begin());
  }
  return all.size() > 1;
}

/// `auto` records fewer iterations the more there are: where all ask alike that is no other setting.
bool askForIterationsAlike(std::span<const ComparedRun> runs) {
  return std::ranges::all_of(runs, [&](const ComparedRun& run) {
    return textOf(kIterationsAsked, run) == textOf(kIterationsAsked, runs.front());
  });
}

/// Workers that share the cores of a host get fewer threads each, the more they are: where their number is
/// compared that is no other setting.
bool sharesOutCores(std::span<const ComparedRun> runs) {
  const auto workers = [](const ComparedRun& run) { return run.run.workers; };
  return std::ranges::all_of(runs, leavesThreads) &&
         std::ranges::any_of(
             runs, [&](std::int64_t others) { return others != runs.front().run.workers; }, workers);
}

/// That every kind of run among them has.
std::set<std::string> keysOf(std::span<const ComparedRun> runs) {
  std::map<std::string, std::set<std::string>> ofKinds, judged;
  for (const ComparedRun& run : runs) {
    std::set<std::string>&own = ofKinds[run.run.kind], &known = judged[run.run.kind];
    for (const auto& [key, value] : run.parameters)
      if (known.insert(key).second && touchesComparison(key)) own.insert(settingOf(key));
  }
  if (ofKinds.empty()) return {};
  std::set<std::string> keys = ofKinds.begin()->second;
  for (const auto& [kind, own] : ofKinds)
    std::erase_if(keys, [&kindKeys = own](const std::string& key) { return !kindKeys.contains(key); });
  if (keys.contains(kBalance) && !differInPartitioner(runs)) keys.erase(kBalance);
  if (keys.contains(kThreadsAsked) && sharesOutCores(runs)) keys.erase(kThreadsAsked);
  if (keys.contains(kIterationsAsked) && askForIterationsAlike(runs)) keys.erase(kIterationsAsked);
  std::erase_if(keys, [&](const std::string& key) {
    return (key == kPartitioner || isFurtherOfPartition(key)) && !eachHasItsOwn(key, runs);
  });
  return keys;
}

/// Older runs do not say it.
bool isNewer(const std::string& setting) {
  return setting == kUnlikePrecision || setting == kUnlikeData || setting == kLayer0Cache ||
         setting == kBalance || setting == kThreadsAsked;
}

/// What was not recorded is not known. A run that failed at once does not say the order of layers. Older runs
/// do not say the precision, what their data held or whether layer 0's aggregate was kept. Nor do they say
/// what partitioners without a key for it balance, or how many threads `cluster.threads = 0` was. They lack
/// keys of [record] that were added since; without mini-batches there are no iterations to record.
template <class Runs, class ValueOf>
bool differ(const std::string& setting, const Runs& runs, const ValueOf& valueOf) {
  const bool isOptional = setting == kUnlikeOrders || setting.starts_with("record.") || isNewer(setting);
  std::optional<std::string> first;
  for (const auto& run : runs) {
    const std::string value = valueOf(run);
    if (isOptional && value == kNone) continue;
    if (!first) first = value;
    if (value != *first) return true;
  }
  return false;
}

/// Of thousands of runs a sentence names the settings alone.
enum class Detail { settings, values };

template <class Runs, class ValueOf>
void add(std::vector<Unlike>& all, const std::string& setting, Detail detail, const Runs& runs,
         const ValueOf& valueOf) {
  if (!differ(setting, runs, valueOf)) return;
  Unlike unlike{setting, {}};
  if (detail == Detail::values)
    for (const auto& run : runs) unlike.values.push_back(valueOf(run));
  all.push_back(std::move(unlike));
}

/// A key that holds several others, such as cluster.link, has them all in its value.
void dropParts(std::vector<Unlike>& all) {
  std::set<std::string> wholes;
  for (const Unlike& difference : all) wholes.insert(difference.setting + '.');
  std::erase_if(all, [&](const Unlike& difference) {
    return std::ranges::any_of(wholes,
                               [&](const std::string& key) { return difference.setting.starts_with(key); });
  });
}

/// Whether runs that asked for one data set held unlike ones; else what they asked for tells all.
bool heldUnlikeData(std::span<const ComparedRun> runs) {
  std::map<std::string, std::set<std::string>> digests;  // by what was asked for
  for (const ComparedRun& run : runs) {
    const auto digest = run.parameters.find(kDataDigest);
    if (digest == run.parameters.end()) continue;
    std::string request;
    for (const auto& [key, value] : run.parameters)
      if (key.starts_with("dataset.") && key != "dataset.memory_limit_gib" && key != "dataset.map_features")
        request += key + '=' + value + '\n';
    digests[request].insert(digest->second);
  }
  return std::ranges::any_of(digests, [](const auto& each) { return each.second.size() > 1; });
}

std::vector<Unlike> settingsApart(std::span<const ComparedRun> runs, Detail detail) {
  std::vector<Unlike> all;
  for (const std::string& key : keysOf(runs))
    add(all, whatOf(key), detail, runs, [&](const ComparedRun& run) { return valueOf(key, run); });
  dropParts(all);
  const auto data = std::ranges::find(all, kUnlikeData, &Unlike::setting);
  if (data != all.end() && !heldUnlikeData(runs)) all.erase(data);
  return all;
}

std::vector<Unlike> machinesApart(std::span<const ComparedRun> runs, Detail detail) {
  std::vector<Unlike> all;
  const auto marks = [](const ComparedRun& compared) {
    return compared.run.marks.empty() ? "none" : compared.run.marks;
  };
  add(all, kMarks, detail, runs, marks);
  add(all, "host", detail, runs, [](const ComparedRun& compared) { return compared.run.host; });
  add(all, "version", detail, runs, [](const ComparedRun& compared) { return compared.run.version; });
  return all;
}

bool ofModelOrData(const std::string& key) {
  return key.starts_with("model.") || key.starts_with("dataset.");
}

}  // namespace

bool isSetting(const std::string& key) {
  return (!key.starts_with("result.") || key == kLayerOrders) && !key.starts_with("factor.") &&
         !key.ends_with(".source");
}

bool touchesComparison(const std::string& key) {
  if (key == kKeepsLayer0 || key == kElementBytes || key == kPartsBalance || key == kDataDigest ||
      key == kThreads || key == kIterationsEvery)
    return true;
  if (!isSetting(key)) return false;
  return ofModelOrData(key) || key.starts_with("training.") || key.starts_with("cluster.link") ||
         key.starts_with("cluster.wire.") || key.starts_with("partition.") || key.starts_with("record.") ||
         key == kThreadsAsked || key == "cluster.launcher" || key == "cluster.hosts" || key == kLayer0Cache ||
         key == kLayerOrders;
}

std::vector<Unlike> unlikeSettings(std::span<const ComparedRun> runs) {
  return settingsApart(runs, Detail::values);
}

std::vector<Unlike> perhapsUnlike(std::span<const ComparedRun> runs) {
  std::vector<Unlike> all;
  for (const std::string& key : keysOf(runs)) {
    Unlike unlike{whatOf(key), {}};
    const auto ofKey = [&](const ComparedRun& run) { return valueOf(key, run); };
    if (!isNewer(unlike.setting) || differ(unlike.setting, runs, ofKey)) continue;
    std::ranges::transform(runs, std::back_inserter(unlike.values), ofKey);
    const auto silent = std::ranges::count(unlike.values, kNone);
    if (silent == 0 || silent == std::ssize(unlike.values)) continue;
    std::ranges::replace(unlike.values, std::string(kNone), std::string(kNotRecorded));
    all.push_back(std::move(unlike));
  }
  return all;
}

std::vector<Unlike> unlikeMachines(std::span<const ComparedRun> runs) {
  return machinesApart(runs, Detail::values);
}

std::vector<Unlike> unlikeRepeats(std::span<const ComparedRepeats> columns) {
  std::vector<ComparedRun> firsts, each;
  for (const ComparedRepeats& column : columns) {
    firsts.push_back({*column.runs.front(), column.parameters});
    for (const RunRow* run : column.runs) each.push_back({*run, column.parameters});
  }
  std::vector<Unlike> all = unlikeSettings(firsts);
  for (Unlike& machine : unlikeMachines(each)) all.push_back(std::move(machine));
  add(all, "training.seed", Detail::values, columns, [](const ComparedRepeats& column) {
    std::string seeds;
    for (const RunRow* run : column.runs) seeds += (seeds.empty() ? "" : ",") + std::to_string(run->seed);
    return seeds;
  });
  return all;
}

void leaveOut(std::vector<Unlike>& all, const std::set<std::string>& compared) {
  const auto isCompared = [&](const Unlike& difference) {
    return std::ranges::any_of(compared, [&](const std::string& key) {
      return difference.setting == key || difference.setting.starts_with(key + '.');
    });
  };
  const bool otherWork = std::ranges::any_of(all, [&](const Unlike& difference) {
    return isCompared(difference) && ofModelOrData(difference.setting);
  });
  std::erase_if(all, [&](const Unlike& difference) {
    return isCompared(difference) || (otherWork && difference.setting == kUnlikeOrders);
  });
}

std::vector<Unlike> unlikeBesides(const std::set<std::string>& compared, const ComparedRepeats& repeats,
                                  const ComparedRepeats& over) {
  std::vector<Unlike> all = unlikeRepeats(std::vector{repeats, over});
  leaveOut(all, compared);
  return all;
}

std::string unlikeSentence(std::span<const Unlike> all) {
  constexpr std::size_t kNamed = 3;  // a remark is no list
  std::string named;
  std::size_t count = 0;
  for (const Unlike& difference : all)
    if (difference.setting != kMarks && ++count <= kNamed)
      named += (count > 1 ? ", " : "") + difference.setting;
  if (count == 0) return "";
  return "runs differ in " + named +
         (count > kNamed ? " and " + std::to_string(count - kNamed) + " more" : std::string());
}

std::string unlikeSentence(std::span<const ComparedRun> runs) {
  std::vector<Unlike> all = settingsApart(runs, Detail::settings);
  for (Unlike& machine : machinesApart(runs, Detail::settings)) all.push_back(std::move(machine));
  return unlikeSentence(all);
}

}  // namespace halo
