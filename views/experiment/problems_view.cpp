#include "views/experiment/problems_view.h"

namespace halo {

ProblemsView::ProblemsView(QWidget* parent) : QListWidget(parent) {
  setFrameShape(QFrame::NoFrame);
  setWordWrap(true);
  setAlternatingRowColors(true);
  setAccessibleName("Problems");
  connect(this, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    const int line = item->data(Qt::UserRole).toInt();
    if (line > 0) emit placeChosen(line, item->data(Qt::UserRole + 1).toInt());
  });
  showProblems({});
}

void ProblemsView::showProblems(const std::vector<Problem>& problems) {
  clear();
  count_ = static_cast<int>(problems.size());
  for (const Problem& problem : problems) {
    auto* item = new QListWidgetItem(QString::fromStdString(describe(problem)), this);
    item->setData(Qt::UserRole, static_cast<int>(problem.line));
    item->setData(Qt::UserRole + 1, static_cast<int>(problem.column));
  }
  if (!problems.empty()) return;
  auto* item = new QListWidgetItem("No problems.", this);
  item->setFlags(Qt::NoItemFlags);
}

}  // namespace halo
