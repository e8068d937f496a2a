#include "views/scene/scope_bar.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "views/look/overflow_row.h"

namespace halo {

namespace {

constexpr int kNone = -1, kMostEpochs = 99'999;  // of a box: nothing is chosen
constexpr int kMostLayers = 99;
constexpr double kNoScore = -0.01, kScoreStep = 0.01;

int shownOf(const std::optional<std::int64_t>& epoch) {
  return static_cast<int>(epoch ? std::min<std::int64_t>(*epoch, kMostEpochs) : kNone);
}
std::optional<std::int64_t> chosenIn(const QSpinBox& box) {
  return box.value() == kNone ? std::nullopt : std::optional<std::int64_t>(box.value());
}

}  // namespace

/// Boxes with their labels, in groups that stand beside each other in any case.
class ScopeBar::Groups {
 public:
  explicit Groups(OverflowRow& row) : row_(row) {}
  QWidget* begin() {
    auto* widget = new QWidget;
    layout_ = new QHBoxLayout(widget);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(4);
    row_.add(widget);
    return widget;
  }
  void add(QWidget* box) { layout_->addWidget(box); }
  void add(const char* words, QWidget* box, const char* name, const QString& help) {
    auto* label = new QLabel(words);
    label->setBuddy(box);
    box->setAccessibleName(name);
    box->setToolTip(help);
    add(label);
    add(box);
  }

 private:
  OverflowRow& row_;
  QHBoxLayout* layout_ = nullptr;  // of the last group
};

ScopeBar::ScopeBar(Scene& scene, QWidget* parent)
    : QWidget(parent),
      scene_(scene),
      alignment_(new QComboBox),
      epoch_(new QSpinBox),
      layer_(new QSpinBox),
      first_(new QSpinBox),
      last_(new QSpinBox),
      scope_(new QComboBox),
      base_(new QComboBox),
      score_(new QDoubleSpinBox),
      lanes_(new QComboBox),
      ranks_(new QComboBox) {
  setObjectName("scope");
  auto* row = new OverflowRow;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(row);
  Groups groups(*row);
  addAlignment(groups);
  addEpochs(groups);
  addTime(groups);
  addLanes(groups);
  connect(&scene_, &Scene::changed, this, &ScopeBar::show);
  show(scene_.state());
}

void ScopeBar::addAlignment(Groups& groups) {
  groups.begin();
  alignment_->addItems({"epoch", "first epochs", "layer", "score"});  // in the order of Alignment
  alignment_->setToolTip("What of the compared runs stands at one place of the timeline");
  groups.add("Align", alignment_, "What stands at one place of the timeline", alignment_->toolTip());
  connect(alignment_, &QComboBox::currentIndexChanged, this, &ScopeBar::align);
  for (QSpinBox* box : {epoch_, layer_}) {
    box->setMaximum(box == layer_ ? kMostLayers : kMostEpochs);
    box->setKeyboardTracking(false);
    connect(box, &QSpinBox::valueChanged, this, &ScopeBar::align);
    groups.add(box);
  }
  epoch_->setPrefix("epoch ");
  layer_->setPrefix("layer ");
  epoch_->setToolTip("Epoch that is aligned");
  epoch_->setAccessibleName("Epoch that is aligned");
  layer_->setToolTip("Layer that is aligned");
  layer_->setAccessibleName("Layer that is aligned");
}

void ScopeBar::addEpochs(Groups& groups) {
  groups.begin();
  scope_->addItems({"epochs", "selection", "visible"});  // in the order of FigureScope
  connect(scope_, &QComboBox::currentIndexChanged, this,
          [this](int choice) { scene_.setScope(static_cast<FigureScope>(choice)); });
  groups.add(
      "Of", scope_, "What figures are of",
      "The epochs named beside it, or those that lie in the timeline's selection, or in what it shows. "
      "Without a selection all.");
  for (QSpinBox* box : {first_, last_}) {
    box->setRange(kNone, kMostEpochs);
    box->setKeyboardTracking(false);
    connect(box, &QSpinBox::valueChanged, this, &ScopeBar::chooseEpochs);
  }
  first_->setSpecialValueText("second");
  last_->setSpecialValueText("last");
  groups.add(
      "from", first_, "First epoch that is compared",
      "The first epoch whose time is compared. Of itself it is the second: the first warms caches. Epochs "
      "that fill a pipeline never count.");
  groups.add("to", last_, "Last epoch that is compared", "The last epoch whose time is compared");
}

void ScopeBar::addTime(Groups& groups) {
  groups.begin();
  base_->addItems({"epochs", "clock"});
  connect(base_, &QComboBox::currentIndexChanged, this,
          [this](int choice) { scene_.setBase(static_cast<TimeBase>(choice)); });
  groups.add("Time", base_, "How time is counted",
             "The time up to a score: of the epochs alone, or on the clock with evaluation and all that lies "
             "between them");
  groups.begin();
  score_->setRange(kNoScore, 1);
  score_->setSingleStep(kScoreStep);
  score_->setDecimals(4);
  score_->setKeyboardTracking(false);
  score_->setSpecialValueText("all reach");
  connect(score_, &QDoubleSpinBox::valueChanged, this,
          [this](double score) { scene_.setAccuracy(score < 0 ? std::nullopt : std::optional(score)); });
  groups.add(
      "Score", score_, "Score to which time is counted",
      "The score up to which time and bytes are counted. Of itself it is the highest that all runs reach.");
}

void ScopeBar::addLanes(Groups& groups) {
  groups.begin();
  lanes_->addItems({"by run", "by rank", "by host", "by part", "by layer"});  // in that of OrderOfLanes
  connect(lanes_, &QComboBox::currentIndexChanged, this,
          [this](int choice) { scene_.setLanes(static_cast<OrderOfLanes>(choice)); });
  groups.add("Lanes", lanes_, "Order of the timeline's lanes",
             "Each run below the one before it, the same rank of all runs together, by host, by part of the "
             "graph, or by the layers of spans (G)");
  ranksGroup_ = groups.begin();
  ranks_->setObjectName("ranks");
  ranks_->addItems({"automatic", "by parts", "by node", "by number", "together"});  // in that of RankRule
  connect(ranks_, &QComboBox::currentIndexChanged, this,
          [this](int choice) { scene_.setRanks(static_cast<RankRule>(choice)); });
  groups.add("Ranks", ranks_, "By what ranks stand together", "");
  ranksGroup_->hide();
}

void ScopeBar::show(const SceneState& state) {
  const QSignalBlocker first(first_), last(last_), scope(scope_), base(base_), score(score_),
      alignment(alignment_), epoch(epoch_), layer(layer_), lanes(lanes_), ranks(ranks_);
  alignment_->setCurrentIndex(static_cast<int>(state.alignment));
  epoch_->setValue(shownOf(state.epoch));
  layer_->setValue(state.layer);
  epoch_->setVisible(state.alignment == Alignment::epoch || state.alignment == Alignment::layer);
  layer_->setVisible(state.alignment == Alignment::layer);
  scope_->setCurrentIndex(static_cast<int>(state.scope));
  for (QSpinBox* box : {first_, last_}) box->setEnabled(state.scope == FigureScope::epochs);
  first_->setValue(shownOf(state.epochs.first));
  last_->setValue(shownOf(state.epochs.last));
  base_->setCurrentIndex(static_cast<int>(state.base));
  score_->setValue(state.accuracy.value_or(kNoScore));
  lanes_->setCurrentIndex(static_cast<int>(state.lanes));
  ranks_->setCurrentIndex(static_cast<int>(state.ranks));
}

void ScopeBar::showRanks(bool unlike, const QString& matched) {
  ranksGroup_->setVisible(unlike);
  ranks_->setToolTip("By what ranks of runs with other numbers of them stand together.\n" + matched);
}

void ScopeBar::align() {
  scene_.setAlignment(static_cast<Alignment>(alignment_->currentIndex()), epoch_->value(), layer_->value());
}

/// The end that was not touched goes with the other where they would cross.
void ScopeBar::chooseEpochs() {
  Scope epochs{chosenIn(*first_), chosenIn(*last_)};
  if (epochs.first && epochs.last && *epochs.first > *epochs.last)
    (sender() == first_ ? epochs.last : epochs.first) = sender() == first_ ? epochs.first : epochs.last;
  scene_.setEpochs(epochs);
}

}  // namespace halo
