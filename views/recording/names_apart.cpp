#include "views/recording/names_apart.h"

#include <QStringList>
#include <algorithm>
#include <set>

#include "views/recording/runs_model.h"

namespace halo {

namespace {

QString keyOf(const QString& part) { return part.left(part.indexOf('=')); }

qsizetype differentNames(const std::vector<QStringList>& names) {
  return static_cast<qsizetype>(std::set<QStringList>(names.begin(), names.end()).size());
}

void shorten(const std::vector<QString*>& names) {
  if (names.size() < 2) return;
  std::vector<QStringList> parts;
  for (const QString* name : names) parts.push_back(name->split(kBetweenParts));
  QStringList common = parts.front(), keys;
  for (const QStringList& own : parts) {
    common.removeIf([&](const QString& part) { return !own.contains(part); });
    for (const QString& part : own)
      if (part.contains('=') && !keys.contains(keyOf(part))) keys << keyOf(part);
  }
  const auto without = [&](const auto& left) {
    std::vector<QStringList> shorter = parts;
    for (QStringList& own : shorter) own.removeIf(left);
    return std::ranges::any_of(shorter, &QStringList::isEmpty) ? parts : shorter;
  };
  parts = without([&](const QString& part) { return common.contains(part); });
  const qsizetype different = differentNames(parts);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    auto shorter = without([&](const QString& part) { return part.contains('=') && keyOf(part) == *key; });
    if (differentNames(shorter) == different) parts = std::move(shorter);
  }
  for (std::size_t i = 0; i < names.size(); ++i) *names[i] = parts[i].join(kBetweenParts);
}

}  // namespace

std::map<std::int64_t, QString> namesApart(const RunsData& data) {
  std::map<std::int64_t, QString> names;
  std::map<std::int64_t, std::vector<QString*>> ofExperiments;
  for (const RunRow& run : data.runs) {
    QString& name = names[run.id] = shortRunName(run, data);
    ofExperiments[run.experimentId].push_back(&name);
  }
  for (const auto& [experiment, own] : ofExperiments) shorten(own);
  return names;
}

}  // namespace halo
