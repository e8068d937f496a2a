#include "views/recording/experiments_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "views/look/figure_text.h"
#include "views/recording/runs_model.h"

namespace halo {

namespace {

/// A sign, told apart at a glance and without colour; the word is the tool tip.
QString stateSign(const QString& status) {
  static const std::map<QString, QString> kSigns{{"queued", "○"}, {"running", "▶"},   {"completed", "✓"},
                                                 {"failed", "✗"}, {"cancelled", "■"}, {"interrupted", "!"}};
  const auto sign = kSigns.find(status);
  return sign == kSigns.end() ? status : sign->second;
}

constexpr const char* kBetween = " / ";  // parts of a run's name

QString keyOf(const QString& part) { return part.left(part.indexOf('=')); }

qsizetype differentNames(const std::vector<QStringList>& names) {
  return static_cast<qsizetype>(std::set<QStringList>(names.begin(), names.end()).size());
}

/// Leaves out what is the same in the names of all runs, and what follows from the rest, such as a data set's
/// scale from its name: a narrow tree shows what tells runs apart.
void shorten(const std::vector<QString*>& names) {
  if (names.size() < 2) return;
  std::vector<QStringList> parts;
  for (const QString* name : names) parts.push_back(name->split(kBetween));
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
  for (std::size_t i = 0; i < names.size(); ++i) *names[i] = parts[i].join(kBetween);
}

}  // namespace

QString shortenedParts(const QString& name, const QFontMetrics& metrics, int room) {
  const auto fits = [&](const QStringList& parts) {
    return metrics.horizontalAdvance(parts.join(kBetween)) <= room;
  };
  // cuts the longest of `words` in their middle until the parts that are made of them fit
  const auto cut = [&](const QStringList& words, const QStringList& ends) {
    constexpr qsizetype kLeast = 3;  // letters
    QStringList shown = words, parts;
    std::vector<qsizetype> left;
    for (const QString& word : words) left.push_back(word.size());
    while (true) {
      parts.clear();
      for (qsizetype i = 0; i < shown.size(); ++i) parts << shown[i] + ends[i];
      const auto longest = std::ranges::max_element(left);
      if (fits(parts) || *longest <= kLeast) return parts;
      --*longest;
      const auto i = longest - left.begin();
      const qsizetype front = *longest / 2;
      shown[i] = words[i].left(front) + QChar(0x2026) + words[i].right(*longest - 1 - front);
    }
  };
  QStringList keys, values, words, none;  // of a part without a key the whole stands in place of it
  for (const QString& part : name.split(kBetween)) {
    const auto at = part.indexOf('=');
    keys << part.left(at < 0 ? part.size() : at);
    values << (at < 0 ? QString() : part.mid(at));
    words << part.mid(at + 1);
    none << QString();
  }
  const QStringList byKeys = cut(keys, values);
  return (fits(byKeys) ? byKeys : cut(words, none)).join(kBetween);
}

void ExperimentsModel::setRuns(const RunsData& data) {
  std::vector<Group> groups;
  std::map<std::int64_t, std::size_t> groupOf;
  for (const RunRow& run : data.runs) {
    const auto [place, isNew] = groupOf.try_emplace(run.experimentId, groups.size());
    if (isNew) {
      const auto experiment = data.experiments.find(run.experimentId);
      const QString name = experiment == data.experiments.end()
                               ? run.experimentId > 0 ? QString("experiment %1").arg(run.experimentId)
                                                      : QString("without an experiment")
                               : QString::fromStdString(experiment->second.name);
      groups.push_back({run.experimentId, name, {}});
    }
    Group& group = groups[place->second];
    const QString name = shortRunName(run, data);
    group.runs.push_back(
        {run.id, name, name, QString::fromStdString(run.status), QString::fromStdString(run.error)});
  }
  for (Group& group : groups) {
    std::vector<QString*> names;
    for (RunItem& run : group.runs) names.push_back(&run.name);
    shorten(names);
  }
  const auto sameShape = [](const Group& a, const Group& b) {
    return a.id == b.id && a.name == b.name && a.runs.size() == b.runs.size();
  };
  if (!std::ranges::equal(groups, groups_, sameShape)) {
    beginResetModel();
    groups_ = std::move(groups);
    endResetModel();
    return;
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].runs == groups_[g].runs) continue;
    groups_[g].runs = groups[g].runs;
    const QModelIndex top = index(static_cast<int>(g), 0);
    emit dataChanged(index(0, 0, top), index(rowCount(top) - 1, ColumnCount - 1, top));
  }
}

QModelIndex ExperimentsModel::indexOf(std::int64_t run) const {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].runs.size(); ++r)
      if (groups_[g].runs[r].id == run) return index(static_cast<int>(r), 0, index(static_cast<int>(g), 0));
  return {};
}

// The internal id of an experiment is 0, that of a run its experiment's row + 1.
QModelIndex ExperimentsModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr{0});
}

QModelIndex ExperimentsModel::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int ExperimentsModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(groups_.size());
  if (parent.internalId() != 0 || parent.column() != 0) return 0;
  return static_cast<int>(groups_[static_cast<std::size_t>(parent.row())].runs.size());
}

int ExperimentsModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant ExperimentsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (index.internalId() == 0) {
    const Group& group = groups_[static_cast<std::size_t>(index.row())];
    if (role == kRunRole) return QVariant::fromValue<qlonglong>(-1);
    if (role == Qt::ToolTipRole)  // the tree shortens what has no room
      return plainRich(QString("%1: %2 run%3")
                           .arg(group.name)
                           .arg(group.runs.size())
                           .arg(group.runs.size() == 1 ? "" : "s"));
    if (role != Qt::DisplayRole) return {};
    return index.column() == Name ? group.name : QString::number(group.runs.size());
  }
  const RunItem& run =
      groups_[static_cast<std::size_t>(index.internalId()) - 1].runs[static_cast<std::size_t>(index.row())];
  if (role == kRunRole) return QVariant::fromValue<qlonglong>(run.id);
  if (role == Qt::ToolTipRole)
    return plainRich(run.full + ": " + run.state + (run.error.isEmpty() ? "" : ", " + run.error));
  if (role != Qt::DisplayRole) return {};
  return index.column() == Name ? run.name : stateSign(run.state);
}

QVariant ExperimentsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  return section == Name ? "Experiment" : "";
}

}  // namespace halo
