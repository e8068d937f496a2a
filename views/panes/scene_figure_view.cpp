#include "views/panes/scene_figure_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/session/session.h"

namespace halo {

namespace {

constexpr std::string_view kFirst = "summary";  // what a person wants to see first

QString textOf(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

}  // namespace

SceneFigureView::SceneFigureView(Session& session)
    : session_(session), show_(new QComboBox), figure_(new FigureView) {
  for (const auto& [name, entry] : registry<FigureEntry>()) {
    if (!entry.ofScene) continue;
    show_->addItem(textOf(name));
    show_->setItemData(show_->count() - 1, textOf(entry.declaration.help), Qt::ToolTipRole);
  }
  show_->setCurrentText(textOf(kFirst));
  show_->setAccessibleName("What is shown");
  auto* label = new QLabel("Sho&w");
  label->setBuddy(show_);
  auto* bar = new QHBoxLayout;
  bar->addWidget(label);
  bar->addWidget(show_);
  bar->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addWidget(figure_, 1);
  connect(show_, &QComboBox::currentIndexChanged, this, &SceneFigureView::draw);
  connect(&session_, &Session::sceneRead, this, [this] {
    drawn_ = false;
    if (isVisible()) draw();
  });
}

void SceneFigureView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!drawn_) draw();
}

void SceneFigureView::draw() {
  drawn_ = true;
  figure_->setFigure(makeFigure(show_->currentText().toStdString(),
                                {session_.runs().runs(), {}, {}, &session_.sceneData()}));
}

}  // namespace halo
