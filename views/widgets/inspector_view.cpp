#include "views/widgets/inspector_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/index.h"
#include "views/look/figure_text.h"
#include "views/look/units.h"
#include "views/recording/declared_metrics.h"
#include "views/recording/runs_model.h"

namespace halo {

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }
QString q(std::string_view text) { return QString::fromUtf8(text.data(), std::ssize(text)); }
/// "2026-11-21T08:09:10Z" → "2026-11-21 08:09:10 UTC": it can be wrapped.
QString moment(const std::string& text) {
  const QString moment = q(text);
  if (moment.endsWith('Z')) return moment.chopped(1).replace('T', ' ') + " UTC";
  return moment;
}
/// Of what a metric tells: all are of the whole run so far unless they say otherwise. Short names, so that
/// they stand in one line or two; what is left to say stands behind the value.
struct Meaning {
  QString name, behind;
};
Meaning shownAs(const std::string& name, bool simulated) {
  static const std::map<std::string, Meaning> kMeanings{{"loss", {"loss", "in the last epoch"}},
                                                        {"train", {"training score", "last measured"}},
                                                        {"valid", {"validation score", "last measured"}},
                                                        {"test", {"test score", "last measured"}},
                                                        {"epoch_seconds", {"median epoch", ""}},
                                                        {"mean_epoch_seconds", {"mean epoch", ""}},
                                                        {"total_seconds", {"all epochs", ""}},
                                                        {"balance", {"work balance", "largest ÷ mean"}}};
  if (simulated && name == "epoch_seconds") return {"one epoch", ""};
  if (const auto meaning = kMeanings.find(name); meaning != kMeanings.end()) return meaning->second;
  const QString title = metricTitle(name);
  if (simulated) return {title, ""};  // has no epochs
  if (name.ends_with("_share")) return {title, "of the epochs"};
  const QString perEpoch = " per epoch";
  if (title.endsWith(perEpoch)) return {title.chopped(perEpoch.size()), "per epoch, mean"};
  return {title, ""};
}
QString orNone(std::int64_t value) { return value < 0 ? "–" : QString::number(value); }

/// Rows as high as their wrapped text; a tree by itself makes room for one line.
class WholeText : public QStyledItemDelegate {
 public:
  explicit WholeText(QTreeView& tree) : QStyledItemDelegate(&tree), tree_(tree) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, at);
    if (tree_.isFirstColumnSpanned(at.row(), at.parent())) return size;
    const int indent = at.column() == 0 ? 2 * tree_.indentation() : 0;
    const int room = tree_.columnWidth(at.column()) - indent - 2 * kMargin;
    const QRect needed = option.fontMetrics.boundingRect(QRect(0, 0, std::max(room, 1), 10'000),
                                                         Qt::TextWordWrap, at.data().toString());
    size.setHeight(std::max(size.height(), needed.height() + 2));
    return size;
  }

 private:
  static constexpr int kMargin = 4;
  QTreeView& tree_;
};

constexpr QChar kMayBreak(0x200B);

/// A long word, such as a fingerprint, may be wrapped too.
QString wrappable(const QString& text) {
  constexpr int kLongest = 12;
  QString result;
  int length = 0;
  for (const QChar letter : text) {
    length = letter.isSpace() ? 0 : length + 1;
    if (length > kLongest) {
      result += kMayBreak;
      length = 1;
    }
    result += letter;
  }
  return result;
}

/// As the recording has it; nothing before an epoch has finished.
QString medianEpoch(const RunData& run) {
  const auto median = run.latest.find("epoch_seconds");
  return median == run.latest.end() ? QString() : metricText(median->first, median->second);
}

}  // namespace

InspectorView::InspectorView(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(2);
  setHeaderLabels({"Fact", "Value"});
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(0, QHeaderView::Interactive);
  setIndentation(12);
  setRootIsDecorated(true);
  setAlternatingRowColors(true);
  setWordWrap(true);  // a value is shown whole in a narrow dock
  setItemDelegate(new WholeText(*this));
  connect(header(), &QHeaderView::sectionResized, this, [this] { scheduleDelayedItemsLayout(); });
  setAccessibleName("Inspector");
  for (QTreeWidgetItem** each : {&span_, &run_, &more_, &metrics_, &workers_, &parameters_})
    *each = addGroup(topLevelItemCount());
  nameGroups();
  for (QTreeWidgetItem* folded : {more_, metrics_, workers_, parameters_}) folded->setExpanded(false);
  showSpan(-1, nullptr, 0);
  clearRun(0);
  auto* copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetShortcut);
  connect(copy, &QShortcut::activated, this, [this] {
    if (currentItem())
      QApplication::clipboard()->setText(
          QString(currentItem()->text(0) + "\t" + currentItem()->text(1)).remove(kMayBreak));
  });
}

/// Names take what they need, up to half.
void InspectorView::resizeEvent(QResizeEvent* event) {
  QTreeWidget::resizeEvent(event);
  header()->resizeSection(0, std::min(24 * fontMetrics().averageCharWidth(), viewport()->width() / 2));
}

void InspectorView::fill(QTreeWidgetItem* group, const Facts& facts) {
  // items stay where the facts are the same, so that a live run does not close what a person opened
  while (group->childCount() > std::ssize(facts)) delete group->takeChild(group->childCount() - 1);
  while (group->childCount() < std::ssize(facts)) new QTreeWidgetItem(group);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    QTreeWidgetItem* item = group->child(static_cast<int>(i));
    item->setFirstColumnSpanned(facts[i].second.isEmpty());
    item->setText(0, facts[i].first);
    item->setText(1, wrappable(facts[i].second));
    item->setToolTip(0, plainRich(facts[i].first));
    item->setToolTip(1, plainRich(facts[i].second));
  }
}

/// Each with the letter of its chip: nobody takes the figures of one run for those of another.
void InspectorView::nameGroups() {
  const QString& letter = other_ ? other_->letter : letter_;
  const QString& name = other_ ? other_->name : name_;
  const auto suffix = [](const QString& chip) { return chip.isEmpty() ? QString() : " · " + chip; };
  span_->setText(0, "Span" + suffix(letter));
  if (chain_ != nullptr) chain_->setText(0, "What made it late" + suffix(letter));
  run_->setText(0, "Run" + suffix(name));
  more_->setText(0, "More of the run" + suffix(letter));
  metrics_->setText(0,
                    (simulated_ ? "Metrics of the simulation" : "Metrics of the whole run") + suffix(letter));
  workers_->setText(0, "Workers" + suffix(letter));
  parameters_->setText(0, "Every resolved key" + suffix(letter));
  run_->setToolTip(0, plainRich(run_->text(0)));
}

void InspectorView::setChip(const QString& letter, const QString& name) {
  letter_ = letter;
  name_ = name;
  nameGroups();
}

void InspectorView::showChain(const std::vector<std::pair<QString, QString>>& chain) {
  if (chain.empty()) {
    delete std::exchange(chain_, nullptr);
    return;
  }
  if (chain_ == nullptr) chain_ = addGroup(indexOfTopLevelItem(span_) + 1);
  nameGroups();
  fill(chain_, chain);
}

QTreeWidgetItem* InspectorView::addGroup(int place) {
  auto* item = new QTreeWidgetItem;
  insertTopLevelItem(place, item);
  item->setFirstColumnSpanned(true);
  item->setExpanded(true);
  QFont bold = font();
  bold.setBold(true);
  item->setFont(0, bold);
  return item;
}

void InspectorView::clearRun(std::int64_t run) {
  fill(run_, {{run == 0 ? QString("Choose a run at the left, or open a recording")
                        : QString("Run %1 is not read yet").arg(run),
               ""}});
  for (QTreeWidgetItem* group : {more_, metrics_, workers_, parameters_}) {
    fill(group, {});
    group->setHidden(true);
  }
}

void InspectorView::showRun(const RunData& runData) {
  names_ = engineNames(runData, at(runData.run.workers));
  clocks_ = clocksOf(runData.workers, runData.parameters);
  simulated_ = runData.run.kind == "simulation";
  if (other_) return;
  nameGroups();
  fillRun(runData.run, {q(simulatedExtent(runData)), QString::number(runData.epochs.size()),
                        medianEpoch(runData), formatCount(runData.spans)});
  fillMetrics(runData);
  fillWorkers(runData);
  Facts parameters;
  for (const auto& [key, value] : runData.parameters) parameters.emplace_back(q(key), q(value));
  fill(parameters_, parameters);
  for (QTreeWidgetItem* group : {more_, metrics_, workers_, parameters_})
    group->setHidden(group->childCount() == 0);
}

void InspectorView::fillKnown(QTreeWidgetItem* group, Facts facts) {
  std::erase_if(facts, [](const auto& fact) { return fact.second.isEmpty(); });
  fill(group, facts);
}

void InspectorView::fillRun(const RunRow& run, const RunFacts& further) {
  const bool simulated = run.kind == "simulation";
  fillKnown(run_, {{"number", QString::number(run.id)},
                   {"name", q(run.name)},
                   {"state", q(run.status)},
                   {"error", drawable(q(run.error), /*lines=*/true)},
                   {"timeline", simulated ? further.extent : QString()},
                   {"marks", q(run.marks)},
                   {"method", q(run.method)},
                   {"data set", q(run.dataset)},
                   {"model", q(run.model)},
                   {simulated ? "lanes" : "workers", QString::number(run.workers)},
                   {"epochs", simulated ? QString() : further.epochs},
                   {"median epoch", simulated ? QString() : further.medianEpoch}});
  fillKnown(more_, {{"seed", QString::number(run.seed)},
                    {"spans", further.spans},
                    {"started", moment(run.startedAt)},
                    {"finished", moment(run.finishedAt)},
                    {"host", q(run.host)},
                    {"version", q(run.version)},
                    {"fingerprint", q(run.fingerprint)}});
}

/// Of a run beside the shown one no more is read than its row.
void InspectorView::fillOther() {
  fillRun(other_->row, {{}, {}, q(other_->medianEpoch), {}});
  more_->setHidden(false);
  for (QTreeWidgetItem* group : {metrics_, workers_, parameters_}) group->setHidden(true);
}

void InspectorView::fillMetrics(const RunData& runData) {
  const bool simulated = runData.run.kind == "simulation";
  Facts metrics;
  for (const auto& [name, value] : runData.latest) {
    const Meaning meaning = shownAs(name, simulated);
    metrics.emplace_back(meaning.name, (metricText(name, value) + " " + meaning.behind).trimmed());
  }
  fill(metrics_, metrics);
  int row = 0;
  for (const auto& [name, value] : runData.latest) {
    const QString meaning = metricMeaning(name);
    QTreeWidgetItem* item = metrics_->child(row++);
    if (meaning.isEmpty()) continue;
    for (const int column : {0, 1})
      item->setToolTip(column, plainRich(QString("%1: %2").arg(q(name), meaning)));
  }
}

void InspectorView::fillWorkers(const RunData& runData) {
  Facts workers;
  for (const WorkerRow& worker : runData.workers) {
    if (runData.run.kind == "simulation") {
      workers.emplace_back(QString("%1 %2").arg(worker.rank).arg(q(worker.role)), "");
      continue;
    }
    workers.emplace_back(
        QString("%1 on %2").arg(worker.rank).arg(q(worker.host)),
        QString("%1 vertices, %2 boundary, %3 remote, peak %4, %5 spans dropped")
            .arg(formatCount(worker.vertices), formatCount(worker.boundary), formatCount(worker.remote),
                 formatBytes(worker.peakRssBytes), formatCount(worker.droppedSpans)));
  }
  fill(workers_, workers);
}

void InspectorView::showSpan(std::int64_t rank, const Span* span, std::int64_t zeroNs,
                             const std::optional<OtherRun>& other, const QString& lastThere) {
  other_ = span == nullptr ? std::nullopt : other;
  nameGroups();
  if (other_) fillOther();
  const bool before = span_->childCount() > 1;
  if (before != (span != nullptr)) run_->setExpanded(span == nullptr);  // what is selected has the room
  if (!span) {
    fill(span_, {{"Click a span in the timeline", ""}});
    return;
  }
  const auto place = at(rank);
  const bool known = !other_ && rank >= 0;  // names and clocks are those of the shown run
  const QString name =
      known && place < names_.size() && !names_[place].empty() ? " " + q(names_[place]) : QString();
  Facts facts{{"what", q(text(span->name))},
              {"kind", q(text(span->kind))},
              {"worker", orNone(rank) + name},
              {"begin", formatNs(span->beginNs - zeroNs, 9)},
              {"duration", formatNs(span->durationNs)}};
  if (other_) facts.insert(facts.begin(), {"run", other_->name + QString(" · run %1").arg(other_->row.id)});
  if (const auto clock = clocks_.find(rank); known && clock != clocks_.end()) {
    facts.emplace_back("cycles", formatCycles(span->durationNs, clock->second));
    facts.emplace_back("from cycle", formatCycles(span->beginNs - zeroNs, clock->second));
  }
  facts.insert(facts.end(), {{"epoch", orNone(span->epoch)}, {"layer", orNone(span->layer)}});
  if (span->pass != Pass::none)
    facts.emplace_back("pass", span->pass == Pass::forward ? "forward" : "backward");
  if (span->peer >= 0) facts.emplace_back("other worker", QString::number(span->peer));
  if (!lastThere.isEmpty()) facts.emplace_back("other workers", lastThere);
  if (span->bytes > 0) {
    facts.emplace_back("bytes", formatBytes(span->bytes));
    if (span->durationNs > 0)
      facts.emplace_back("rate",
                         formatShort(double(span->bytes) * 8 / double(span->durationNs) * 1e9) + "bit/s");
  }
  fill(span_, facts);
}

}  // namespace halo
