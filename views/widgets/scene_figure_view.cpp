#include "views/widgets/scene_figure_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/session/session.h"
#include "views/widgets/score_slider.h"

namespace halo {

namespace {

constexpr std::string_view kFirst = "summary";                     // what a person wants to see first
constexpr std::string_view kToScore[] = {"learning", "to-score"};  // go by a score

QString textOf(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

}  // namespace

SceneFigureView::SceneFigureView(Session& session)
    : session_(session),
      show_(new QComboBox),
      parameter_(new QComboBox),
      parameterName_(new QLabel),
      score_(new ScoreSlider(session.scene())),
      figure_(new FigureView) {
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
  bar->addWidget(parameterName_);
  bar->addWidget(parameter_);
  parameter_->setObjectName("parameter");
  parameter_->setSizeAdjustPolicy(QComboBox::AdjustToContents);  // each figure has other options
  parameterName_->setBuddy(parameter_);
  bar->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addWidget(score_);
  layout->addWidget(figure_, 1);
  connect(show_, &QComboBox::currentIndexChanged, this, [this] {
    chooseFigure();
    draw();
  });
  connect(parameter_, &QComboBox::currentIndexChanged, this, &SceneFigureView::draw);
  chooseFigure();
  connect(&session_, &Session::sceneRead, this, [this] {
    drawn_ = false;
    if (isVisible()) draw();
  });
}

void SceneFigureView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!drawn_) draw();
}

/// A figure has one parameter at most, which is a choice.
void SceneFigureView::chooseFigure() {
  const auto parameters = halo::find<FigureEntry>(show_->currentText().toStdString())->declaration.parameters;
  {
    const QSignalBlocker quiet(parameter_);
    parameter_->clear();
    for (const Parameter& parameter : parameters.first(std::min<std::size_t>(1, parameters.size()))) {
      parameterName_->setText(parameter.key == "show" ? "&by" : "&" + textOf(parameter.key));
      parameter_->setToolTip(textOf(parameter.help));
      parameter_->setAccessibleName(textOf(parameter.help));
      for (const std::string_view option : std::get<Choice>(parameter.type).options)
        parameter_->addItem(textOf(option));
    }
  }
  parameter_->setVisible(parameter_->count() > 0);
  parameterName_->setVisible(parameter_->count() > 0);
}

void SceneFigureView::draw() {
  drawn_ = true;
  const std::string name = show_->currentText().toStdString();
  score_->show(session_.sceneData());
  score_->setVisible(score_->hasScores() && std::ranges::find(kToScore, name) != std::end(kToScore));
  Values values;
  if (parameter_->count() > 0)
    values[std::string(halo::find<FigureEntry>(name)->declaration.parameters.front().key)] =
        parameter_->currentText().toStdString();
  figure_->setFigure(makeFigure(name, {session_.runs().runs(), {}, {}, &session_.sceneData()}, values));
}

}  // namespace halo
