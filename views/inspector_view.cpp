#include "views/inspector_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QShortcut>

#include "views/runs_model.h"
#include "views/units.h"

namespace halo {

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }
QString q(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
QString orNone(std::int64_t value) { return value < 0 ? "–" : QString::number(value); }

}  // namespace

InspectorView::InspectorView(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(2);
  setHeaderLabels({"Fact", "Value"});
  header()->setStretchLastSection(true);
  header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  setIndentation(12);
  setRootIsDecorated(true);
  setAlternatingRowColors(true);
  setUniformRowHeights(true);
  setAccessibleName("Inspector");
  const auto group = [this](const char* title) {
    auto* item = new QTreeWidgetItem(this, {title});
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
    QFont bold = font();
    bold.setBold(true);
    item->setFont(0, bold);
    return item;
  };
  span_ = group("Span");
  run_ = group("Run");
  metrics_ = group("Latest metrics");
  workers_ = group("Workers");
  parameters_ = group("Every resolved key");
  parameters_->setExpanded(false);
  showSpan(-1, nullptr, 0);
  clearRun();
  auto* copy = new QShortcut(QKeySequence::Copy, this);
  copy->setContext(Qt::WidgetShortcut);
  connect(copy, &QShortcut::activated, this, [this] {
    if (currentItem())
      QApplication::clipboard()->setText(currentItem()->text(0) + "\t" + currentItem()->text(1));
  });
}

void InspectorView::fill(QTreeWidgetItem* group, const Facts& facts) {
  // items stay where the facts are the same, so that a live run does not close what a person opened
  while (group->childCount() > static_cast<int>(facts.size()))
    delete group->takeChild(group->childCount() - 1);
  while (group->childCount() < static_cast<int>(facts.size())) new QTreeWidgetItem(group);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    QTreeWidgetItem* item = group->child(static_cast<int>(i));
    item->setFirstColumnSpanned(facts[i].second.isEmpty());
    item->setText(0, facts[i].first);
    item->setText(1, facts[i].second);
    item->setToolTip(0, facts[i].first);
    item->setToolTip(1, facts[i].second);
  }
}

void InspectorView::clearRun() {
  fill(run_, {{"Choose a run in the list on the left", ""}});
  for (QTreeWidgetItem* group : {metrics_, workers_, parameters_}) {
    fill(group, {});
    group->setHidden(true);
  }
}

void InspectorView::showRun(const RunData& shown) {
  const RunRow& run = shown.run;
  Facts facts{{"number", QString::number(run.id)}, {"name", q(run.name)}, {"state", q(run.status)}};
  if (!run.error.empty()) facts.emplace_back("error", q(run.error));
  if (!run.marks.empty()) facts.emplace_back("marks", q(run.marks));
  facts.insert(facts.end(), {{"method", q(run.method)},
                             {"data set", q(run.dataset)},
                             {"model", q(run.model)},
                             {"workers", QString::number(run.workers)},
                             {"seed", QString::number(run.seed)},
                             {"epochs", QString::number(shown.epochs.size())},
                             {"epoch, median", formatNs(medianEpochNs(shown))},
                             {"spans", formatCount(shown.spans)},
                             {"started", q(run.startedAt)},
                             {"finished", q(run.finishedAt)},
                             {"host", q(run.host)},
                             {"version", q(run.version)},
                             {"fingerprint", q(run.fingerprint)}});
  std::erase_if(facts, [](const auto& fact) { return fact.second.isEmpty(); });
  fill(run_, facts);

  Facts metrics, workers, parameters;
  for (const auto& [name, value] : shown.latest)
    metrics.emplace_back(metricTitle(name), metricText(name, value));
  for (const WorkerRow& worker : shown.workers)
    workers.emplace_back(
        QString("%1 on %2").arg(worker.rank).arg(q(worker.host)),
        QString("%1 vertices, %2 boundary, %3 remote, peak %4, %5 spans dropped")
            .arg(formatCount(worker.vertices), formatCount(worker.boundary), formatCount(worker.remote),
                 formatBytes(worker.peakRssBytes), formatCount(worker.droppedSpans)));
  for (const auto& [key, value] : shown.parameters) parameters.emplace_back(q(key), q(value));
  for (const auto& [group, values] :
       {std::pair{metrics_, metrics}, {workers_, workers}, {parameters_, parameters}}) {
    fill(group, values);
    group->setHidden(values.empty());
  }
}

void InspectorView::showSpan(std::int64_t rank, const Span* span, std::int64_t zeroNs) {
  if (!span) {
    fill(span_, {{"Click a span in the timeline", ""}});
    return;
  }
  Facts facts{{"what", q(text(span->name))},
              {"kind", q(text(span->kind))},
              {"worker", orNone(rank)},
              {"begin", formatNs(span->beginNs - zeroNs, 9)},
              {"duration", formatNs(span->durationNs)},
              {"epoch", orNone(span->epoch)},
              {"layer", orNone(span->layer)}};
  if (span->pass != Pass::none)
    facts.emplace_back("pass", span->pass == Pass::forward ? "forward" : "backward");
  if (span->peer >= 0) facts.emplace_back("other worker", QString::number(span->peer));
  if (span->bytes > 0) {
    facts.emplace_back("bytes", formatBytes(span->bytes));
    if (span->durationNs > 0)
      facts.emplace_back("rate",
                         formatShort(double(span->bytes) * 8 / double(span->durationNs) * 1e9) + "bit/s");
  }
  fill(span_, facts);
}

}  // namespace halo
