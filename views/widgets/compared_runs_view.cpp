#include "views/widgets/compared_runs_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/session/background.h"
#include "views/session/session.h"

namespace halo {

namespace {

QStringList choicesOf(const std::string& figure) {
  QStringList choices;
  for (const Parameter& parameter : find<FigureEntry>(figure)->declaration.parameters)
    if (const auto* choice = std::get_if<Choice>(&parameter.type); choice && parameter.key == "show")
      for (const std::string_view option : choice->options)
        choices << QString::fromUtf8(option.data(), std::ssize(option));
  return choices;
}

}  // namespace

ComparedRunsView::ComparedRunsView(Session& session, std::string figure)
    : session_(session),
      name_(std::move(figure)),
      what_(new QLabel),
      show_(new QComboBox),
      figure_(new FigureView) {
  auto* bar = new QHBoxLayout;
  auto* label = new QLabel("Sho&w");
  label->setBuddy(show_);
  show_->addItems(choicesOf(name_));
  show_->setAccessibleName("What is shown");
  for (QWidget* choice : {static_cast<QWidget*>(label), static_cast<QWidget*>(show_)}) {
    bar->addWidget(choice);
    choice->setVisible(show_->count() > 0);
  }
  what_->setWordWrap(true);  // else it is what makes the window wide
  bar->addWidget(what_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addWidget(figure_, 1);
  connect(&making_, &QFutureWatcher<Figure>::finished, this, [this] {
    isMaking_ = false;
    figure_->setFigure(making_.result());
  });
  connect(show_, &QComboBox::currentIndexChanged, this, &ComparedRunsView::draw);
  connect(&session_, &Session::runsRead, this, [this] {
    drawn_.reset();
    if (isVisible()) draw();
  });
  const auto drawOthers = [this] {
    if (isVisible()) drawIfOthers();
  };
  connect(&session_, &Session::runsCompared, this, drawOthers);
  connect(&session_, &Session::sceneRead, this, drawOthers);  // chips have their colours here, too
}

void ComparedRunsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  drawIfOthers();
}

/// Of a single run the figure is the same as of none: of all.
std::vector<std::int64_t> ComparedRunsView::chosen() const {
  std::vector<std::int64_t> runs = session_.comparedRuns();
  if (runs.size() < 2) runs.clear();
  return runs;
}

void ComparedRunsView::drawIfOthers() {
  if (drawn_ != chosen() || chips_ != session_.runChips()) draw();
}

void ComparedRunsView::draw() {
  drawn_ = chosen();
  chips_ = session_.runChips();
  what_->setText(drawn_->empty() ? QString("Of all runs; choose some in the run table to compare them alone.")
                                 : QString("Of the %1 runs chosen in the run table.").arg(drawn_->size()));
  Values values;
  if (show_->count() > 0) values["show"] = show_->currentText().toStdString();
  isMaking_ = true;
  making_.setFuture(runInBackground(
      [name = name_, runs = session_.runs().snapshot(), chosen = *drawn_, chips = chips_, values] {
        return makeFigure(name, {*runs, {}, chosen, nullptr, chips}, values);
      }));
}

}  // namespace halo
