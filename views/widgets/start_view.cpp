#include "views/widgets/start_view.h"

#include <QCommandLinkButton>
#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

namespace halo {

StartView::StartView(QWidget* parent) : QScrollArea(parent), recent_(new QListWidget) {
  auto* inner = new QWidget;
  inner->setMinimumWidth(fontMetrics().averageCharWidth() * 62);  // else a card wraps its words out of sight
  auto* column = new QVBoxLayout(inner);
  auto* title = new QLabel("<h2>Haloscope</h2>What would you like to see?");
  column->addWidget(title);
  const auto card = [&](const QString& name, const QString& description, void (StartView::*signal)()) {
    auto* button = new QCommandLinkButton(name, description);
    connect(button, &QCommandLinkButton::clicked, this, signal);
    column->addWidget(button);
  };
  card("Open sample recording", "Three methods on four workers, five seeds each", &StartView::sampleWanted);
  card("New experiment", "Choose data, model, method and cluster, and run it here",
       &StartView::experimentWanted);
  card("Open file…", "A recording (.db) or an experiment (.toml); it may also be dropped on this window",
       &StartView::openWanted);
  column->addWidget(new QLabel("Recent"));
  column->addWidget(recent_);
  recent_->setAccessibleName("Recent files");
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->addStretch(1);
  layout->addWidget(inner, 0, Qt::AlignHCenter);
  layout->addStretch(2);
  setWidget(page);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  connect(recent_, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { emit fileWanted(item->text()); });
}

void StartView::setRecent(const QStringList& files) {
  recent_->clear();
  recent_->addItems(files);
  recent_->setVisible(!files.isEmpty());
}

}  // namespace halo
