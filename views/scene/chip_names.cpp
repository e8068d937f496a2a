#include "views/scene/chip_names.h"

#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <set>

#include "engine/record/analysis/unlike.h"

namespace halo {

namespace {

constexpr qsizetype kMostSettings = 3;

/// "#1–5", "#1,3".
QString numbersOf(const std::vector<std::int64_t>& runs) {
  QStringList parts;
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t last = i;
    while (last + 1 < runs.size() && runs[last + 1] == runs[last] + 1) ++last;
    const bool range = last > i + 1;
    parts << (range ? QString("%1–%2").arg(runs[i]).arg(runs[last]) : QString::number(runs[i]));
    i = range ? last + 1 : i + 1;
  }
  return "#" + parts.join(',');
}

template <class Fact>
bool allAlike(std::span<const ChipFacts> chips, Fact fact) {
  return std::ranges::all_of(chips, [&](const ChipFacts& chip) {
    return std::invoke(fact, chip) == std::invoke(fact, chips.front());
  });
}

bool isSimulated(const ChipFacts& chip) {
  const auto first = chip.parameters.lower_bound("simulate.");
  return first != chip.parameters.end() && first->first.starts_with("simulate.");
}

/// Whether the chips differ by the key: all have it and not alike, or two of one method do not, both trained
/// or both simulated. What only one method has says no more than the method.
bool tellsApart(std::span<const ChipFacts> chips, const std::string& key) {
  const auto valueOf = [&](const ChipFacts& chip) {
    const auto value = chip.parameters.find(key);
    return value == chip.parameters.end() ? std::string() : value->second;
  };
  const bool inAll =
      std::ranges::all_of(chips, [&](const ChipFacts& chip) { return chip.parameters.contains(key); });
  for (const ChipFacts& chip : chips)
    for (const ChipFacts& other : chips)
      if (valueOf(chip) != valueOf(other) &&
          (inAll || (chip.method == other.method && isSimulated(chip) == isSimulated(other))))
        return true;
  return false;
}

/// Keys of the experiment that tell the chips apart; not what the name has in other words.
std::vector<std::string> unlikeKeys(std::span<const ChipFacts> chips) {
  static const std::set<std::string> kNamed = {"run.method", "cluster.workers", "training.seed"};
  std::set<std::string> keys;
  for (const ChipFacts& chip : chips)
    for (const auto& [key, value] : chip.parameters)
      if (isSetting(key) && !key.starts_with("result.") && !kNamed.contains(key)) keys.insert(key);
  std::erase_if(keys, [&](const std::string& key) { return !tellsApart(chips, key); });
  return {keys.begin(), keys.end()};
}

/// "cluster.link" is "link", unless another key that is named ends alike.
QString shortKey(const std::string& key, const std::vector<std::string>& keys) {
  const auto endOf = [](const std::string& each) { return each.substr(each.rfind('.') + 1); };
  const bool alone = std::ranges::count(keys, endOf(key), endOf) == 1;
  return QString::fromStdString(alone ? endOf(key) : key);
}

/// Whether the value is a table whose keys are among `keys` themselves.
bool standsInParts(const std::string& key, const std::string& value, const std::vector<std::string>& keys) {
  return value.starts_with('{') &&
         std::ranges::any_of(keys, [&](const std::string& part) { return part.starts_with(key + '.'); });
}

QString unquoted(const std::string& value) {
  const bool text = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return QString::fromStdString(text ? value.substr(1, value.size() - 2) : value);
}

}  // namespace

QStringList chipNames(std::span<const ChipFacts> chips) {
  QStringList names;
  if (chips.empty()) return names;
  const bool oneRecording = allAlike(chips, &ChipFacts::recording);
  const bool oneMethod = allAlike(chips, &ChipFacts::method) && chips.size() > 1;
  const bool oneSize = allAlike(chips, &ChipFacts::workers);
  const std::vector<std::string> keys = unlikeKeys(chips);
  for (const ChipFacts& chip : chips) {
    QStringList parts;
    if (!oneRecording) parts << QFileInfo(chip.recording).fileName();
    parts << numbersOf(chip.runs);
    if (!oneMethod) parts << QString::fromStdString(chip.method);
    if (!oneSize && chip.workers > 0) parts << QString("×%1").arg(chip.workers);
    QStringList settings;
    for (const std::string& key : keys)
      if (const auto value = chip.parameters.find(key);
          value != chip.parameters.end() && !standsInParts(key, value->second, keys))
        settings << shortKey(key, keys) + "=" + unquoted(value->second);
    const qsizetype more = settings.size() - kMostSettings;
    if (more > 1) settings = settings.mid(0, kMostSettings) << QString("and %1 more").arg(more);
    names << (parts + settings).join(' ');
  }
  return names;
}

}  // namespace halo
