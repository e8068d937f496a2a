#include "views/widgets/scene_figure_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "engine/base/index.h"
#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"
#include "views/session/figure_spans.h"
#include "views/session/session.h"
#include "views/widgets/score_slider.h"

namespace halo {

namespace {

constexpr std::string_view kFirst = "summary";  // what a person wants to see first
constexpr std::string_view kOfScene = "ranks";  // a parameter that the scene has for all views
constexpr std::string_view kToScore[] = {"learning", "to-score"};  // go by a score
constexpr const char *kWhere = "where", *kWhy = "why", *kWaterfall = "waterfall";
constexpr std::size_t kMostParameters = 4;
constexpr int kWide = 700;  // pixels in which two figures stand side by side

QString textOf(std::string_view words) { return QString::fromUtf8(words.data(), std::ssize(words)); }

}  // namespace

SceneFigureView::SceneFigureView(Session& session)
    : session_(session),
      show_(new QComboBox),
      selectors_(kMostParameters),
      score_(new ScoreSlider(session.scene())),
      figures_(new QBoxLayout(QBoxLayout::LeftToRight)),
      figure_(new FigureView),
      beside_(new FigureView) {
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
  for (Selector& selector : selectors_) {
    selector = {new QLabel, new QComboBox};
    bar->addWidget(selector.name);
    bar->addWidget(selector.box);
    selector.box->setSizeAdjustPolicy(QComboBox::AdjustToContents);  // each figure has other options
    selector.name->setBuddy(selector.box);
    connect(selector.box, &QComboBox::currentIndexChanged, this, &SceneFigureView::draw);
  }
  selectors_.front().box->setObjectName("parameter");
  bar->addStretch(1);
  figures_->addWidget(figure_, 1);
  figures_->addWidget(beside_, 1);
  beside_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addWidget(score_);
  layout->addLayout(figures_, 1);
  connect(show_, &QComboBox::currentIndexChanged, this, [this] {
    chooseFigure();
    draw();
  });
  connect(figure_, &FigureView::categoryChosen, this, &SceneFigureView::goToWait);
  connect(figure_, &FigureView::pointChosen, this, &SceneFigureView::goToSpans);
  chooseFigure();
  connect(&session_, &Session::sceneRead, this, [this] {
    drawn_ = false;
    offerAgain();
    if (isVisible()) draw();
  });
}

void SceneFigureView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!drawn_) draw();
}

void SceneFigureView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  figures_->setDirection(width() >= kWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

/// Options of a choice, or what the scene offers.
void SceneFigureView::offer(const Parameter& parameter, Selector& selector) {
  const QSignalBlocker quiet(selector.box);
  const QString before = selector.box->currentText();
  selector.key = parameter.key;
  selector.box->clear();
  selector.name->setText(parameter.key == "show" ? "&by" : "&" + textOf(parameter.key));
  selector.box->setToolTip(textOf(parameter.help));
  selector.box->setAccessibleName(textOf(parameter.help));
  if (const auto* choice = std::get_if<Choice>(&parameter.type))
    for (const std::string_view option : choice->options) selector.box->addItem(textOf(option));
  if (const auto* text = std::get_if<Text>(&parameter.type)) {
    const auto& offers = halo::find<FigureEntry>(show_->currentText().toStdString())->offers;
    selector.box->addItem(textOf(text->fallback));
    if (offers) selector.box->addItems(offers(session_.sceneData(), parameter.key));
  }
  if (const int place = selector.box->findText(before); place >= 0) selector.box->setCurrentIndex(place);
}

void SceneFigureView::chooseFigure() {
  const auto parameters = halo::find<FigureEntry>(show_->currentText().toStdString())->declaration.parameters;
  std::size_t used = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.key == kOfScene || used == selectors_.size()) continue;
    Selector& selector = selectors_[used++];
    {
      const QSignalBlocker quiet(selector.box);
      selector.box->clear();  // another figure's choice is none of this one
    }
    offer(parameter, selector);
  }
  for (std::size_t i = 0; i < selectors_.size(); ++i) {
    if (i >= used) selectors_[i].key.clear();
    selectors_[i].name->setVisible(i < used);
    selectors_[i].box->setVisible(i < used);
  }
}

/// Of other runs other layers and epochs; what was chosen stays where it is there.
void SceneFigureView::offerAgain() {
  for (const Parameter& parameter :
       halo::find<FigureEntry>(show_->currentText().toStdString())->declaration.parameters)
    for (Selector& selector : selectors_)
      if (selector.key == parameter.key && std::holds_alternative<Text>(parameter.type))
        offer(parameter, selector);
}

/// A row of the table of waits.
void SceneFigureView::goToWait(int row) {
  const auto& rows = figure_->figure().table.values;
  const auto place = at(row);
  if (figure_->figure().name != kWhy || place >= rows.size() || rows[place].size() < 3) return;
  const std::string reason = rows[place][0].toString().toStdString();
  const auto numberIn = [&](qsizetype column) {
    return rows[place][column].isNull() ? -1 : rows[place][column].toLongLong();
  };
  for (auto name = static_cast<int>(Name::waitsLateSender); name <= static_cast<int>(Name::waitsUnknown);
       ++name)
    if (causeText(static_cast<Name>(name)) == reason)
      emit session_.waitWanted(static_cast<Name>(name), numberIn(1), numberIn(2));
}

void SceneFigureView::goToSpans(int matrix, int place) {
  if (matrix < 0 || place < 0) return;
  const auto spans = spansOf(figure_->figure(), session_.sceneData(), chosenValues(), at(matrix), at(place));
  if (spans) emit session_.spansWanted(spans->chip, spans->choice);
}

Values SceneFigureView::chosenValues() const {
  Values values;
  for (const Selector& selector : selectors_)
    if (!selector.key.empty()) values[selector.key] = selector.box->currentText().toStdString();
  return values;
}

void SceneFigureView::draw() {
  drawn_ = true;
  const std::string name = show_->currentText().toStdString();
  score_->show(session_.sceneData());
  score_->setVisible(score_->hasScores() && std::ranges::find(kToScore, name) != std::end(kToScore));
  const SceneData& scene = session_.sceneData();
  const FigureInput input{session_.runs().runs(), {}, {}, &scene};
  figure_->setFigure(makeFigure(name, input, chosenValues()));
  const bool changes = name == kWhere && scene.compared.size() > 1;
  if (changes) beside_->setFigure(makeFigure(kWaterfall, input));
  beside_->setVisible(changes);
}

}  // namespace halo
