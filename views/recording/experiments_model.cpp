#include "views/recording/experiments_model.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "engine/base/index.h"
#include "views/look/figure_text.h"
#include "views/recording/names_apart.h"
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

}  // namespace

QString shortenedParts(const QString& name, const QFontMetrics& metrics, int room) {
  const auto fits = [&](const QStringList& parts) {
    return metrics.horizontalAdvance(parts.join(kBetweenParts)) <= room;
  };
  // cuts the longest of `words` in their middle until the parts that are made of them fit
  const auto cut = [&](const QStringList& words, const QStringList& ends) {
    constexpr qsizetype kLeast = 3;  // letters
    qsizetype most = 0;
    for (const QString& word : words) most += std::max<qsizetype>(0, word.size() - kLeast);
    const auto without = [&](qsizetype letters) {
      std::vector<qsizetype> left;
      for (const QString& word : words) left.push_back(word.size());
      for (; letters > 0; --letters) --*std::ranges::max_element(left);
      QStringList parts;
      for (qsizetype i = 0; i < words.size(); ++i) {
        const qsizetype length = left[at(i)], front = length / 2;
        const bool uncut = length == words[i].size();
        parts << (uncut ? words[i]
                        : words[i].left(front) + QChar(0x2026) + words[i].right(length - 1 - front)) +
                     ends[i];
      }
      return parts;
    };
    // what is painted may not be measured letter by letter
    const auto all = std::views::iota(qsizetype{0}, most);
    const auto enough = std::ranges::partition_point(all, [&](qsizetype n) { return !fits(without(n)); });
    return without(enough == all.end() ? most : *enough);
  };
  QStringList keys, values, words, none;  // of a part without a key the whole stands in place of it
  for (const QString& part : name.split(kBetweenParts)) {
    const auto at = part.indexOf('=');
    keys << part.left(at < 0 ? part.size() : at);
    values << (at < 0 ? QString() : part.mid(at));
    words << part.mid(at + 1);
    none << QString();
  }
  const QStringList byKeys = cut(keys, values);
  return (fits(byKeys) ? byKeys : cut(words, none)).join(kBetweenParts);
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
    const auto apart = data.namesApart.find(run.id);
    group.runs.push_back({run.id, apart == data.namesApart.end() ? name : apart->second, name,
                          QString::fromStdString(run.status), QString::fromStdString(run.error)});
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
  return static_cast<int>(groups_[at(parent.row())].runs.size());
}

int ExperimentsModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QVariant ExperimentsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (index.internalId() == 0) {
    const Group& group = groups_[at(index.row())];
    if (role == kRunRole) return QVariant::fromValue<qlonglong>(-1);
    if (role == Qt::ToolTipRole)  // the tree shortens what has no room
      return plainRich(QString("%1: %2 run%3")
                           .arg(group.name)
                           .arg(group.runs.size())
                           .arg(group.runs.size() == 1 ? "" : "s"));
    if (role != Qt::DisplayRole) return {};
    return index.column() == Name ? group.name : QString::number(group.runs.size());
  }
  const RunItem& run = *runAt(index);
  if (role == kRunRole) return QVariant::fromValue<qlonglong>(run.id);
  if (role == Qt::ToolTipRole)
    return plainRich(run.full + ": " + run.state + (run.error.isEmpty() ? "" : ", " + run.error));
  if (role == Qt::CheckStateRole && index.column() == Name)
    return ticked_.contains(run.id) ? Qt::Checked : Qt::Unchecked;
  if (role != Qt::DisplayRole) return {};
  return index.column() == Name ? run.name : stateSign(run.state);
}

/// Null of an experiment.
const ExperimentsModel::RunItem* ExperimentsModel::runAt(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == 0) return nullptr;
  return &groups_[static_cast<std::size_t>(index.internalId()) - 1].runs[at(index.row())];
}

void ExperimentsModel::setTicked(const std::set<std::int64_t>& runs) {
  const std::set<std::int64_t> before = std::exchange(ticked_, runs);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const QModelIndex top = index(static_cast<int>(g), Name);
    for (std::size_t r = 0; r < groups_[g].runs.size(); ++r) {
      const std::int64_t run = groups_[g].runs[r].id;
      if (before.contains(run) == ticked_.contains(run)) continue;
      const QModelIndex at = index(static_cast<int>(r), Name, top);
      emit dataChanged(at, at, {Qt::CheckStateRole});
    }
  }
}

Qt::ItemFlags ExperimentsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  if (runAt(index) == nullptr) return flags;
  return flags | Qt::ItemIsDragEnabled | (index.column() == Name ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

bool ExperimentsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const RunItem* run = runAt(index);
  if (run == nullptr || index.column() != Name || role != Qt::CheckStateRole) return false;
  emit ticked(run->id, value.toInt() == Qt::Checked);
  return true;
}

QMimeData* ExperimentsModel::mimeData(const QModelIndexList& indexes) const {
  std::vector<std::int64_t> runs;
  for (const QModelIndex& index : indexes)
    if (const RunItem* run = runAt(index); run != nullptr && index.column() == Name) runs.push_back(run->id);
  return draggedRuns(runs);
}

QVariant ExperimentsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  return section == Name ? "Experiment" : "";
}

}  // namespace halo
