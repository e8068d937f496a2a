#include "views/timeline/timeline_fold.h"

#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "views/look/units.h"
#include "views/timeline/timeline_actions.h"

namespace halo {
namespace {

constexpr int kColumns = 240;
constexpr std::size_t kMostNamed = 12;  // outliers

QString laneName(const TimelineModel& model, const RowId& row) {
  const QString rank = model.rankName(row.rank);
  return row.layer == kEveryLayer ? rank : rank + QStringLiteral(", ") + layerText(row.layer);
}

}  // namespace

TimelineFold::TimelineFold(const TimelineBlocks& blocks, QWidget* parent)
    : QWidget(parent),
      blocks_(blocks),
      lanes_(new FoldLanes(
          folded_,
          [this](std::size_t block, std::int64_t epoch) { emit epochChosen(folded_[block].number, epoch); })),
      area_(new QScrollArea),
      words_(new QLabel) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Epochs laid over each other"));
  area_->setWidget(lanes_);
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  words_->setWordWrap(true);
  words_->setContentsMargins(8, 3, 8, 3);
  words_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(area_, 1);
  layout->addWidget(words_);
  next_.setInterval(0);
  connect(&next_, &QTimer::timeout, this, &TimelineFold::foldNext);
  connect(words_, &QLabel::linkActivated, this, [this](const QString& link) {
    emit epochChosen(link.section(' ', 0, 0).toInt(), link.section(' ', 1, 1).toLongLong());
  });
  const auto again = [this] {
    if (isVisible()) begin();
  };
  connect(&blocks, &TimelineBlocks::rowsChanged, this, again);
  connect(&blocks, &TimelineBlocks::epochsChanged, this, again);
}

void TimelineFold::begin() {
  folded_.clear();
  for (const std::size_t number : blocks_.fromTop()) {
    const TimelineBlock& block = blocks_.all()[number];
    FoldedBlock& folded = folded_.emplace_back();
    folded.number = static_cast<std::int32_t>(number);
    if (blocks_.several()) folded.name = block.name;
    folded.color = block.color;
    folded.epochs = foldedEpochs(block.model->epochs());
    for (const RowEntry& entry : block.model->rows())
      if (entry.row != nullptr && entry.id.lane == Lane::main && entry.id.sub == 0)
        folded.lanes.push_back({entry.id, laneName(*block.model, entry.id), {}});
  }
  lanes_->updateGeometry();
  lanes_->update();
  words_->setText(text());
  next_.start();
}

void TimelineFold::foldNext() {
  for (std::size_t place = 0; place < folded_.size(); ++place)
    for (FoldedBlock::Lane& lane : folded_[place].lanes) {
      if (!lane.shares.median.empty()) continue;
      lane.shares = foldedLane(blocks_.find(lane.row)->row->spans, folded_[place].epochs.epochs,
                               lanes_->lengthNs(), kColumns);
      return lanes_->update();
    }
  next_.stop();
}

QString TimelineFold::text() const {
  QStringList sentences;
  for (const FoldedBlock& block : folded_) sentences << sentenceOf(block);
  sentences << tr("Lanes: share of time computing or quantising, median and quartiles.");
  return sentences.join(' ');
}

QString TimelineFold::sentenceOf(const FoldedBlock& block) const {
  const FoldedEpochs& all = block.epochs;
  const QString name = block.name.isEmpty() ? QString() : block.name.toHtmlEscaped() + ": ";
  if (all.epochs.empty()) return name + tr("no epochs yet.");
  QStringList outliers;
  for (const std::int64_t number : all.outliers) {
    const auto epoch = std::ranges::find(all.epochs, number, &EpochRow::epoch);
    const double change =
        static_cast<double>(epoch->wallNs) / static_cast<double>(std::max<std::int64_t>(1, all.medianNs)) - 1;
    outliers << QStringLiteral("<a href=\"%1 %2\">%2</a> (%3%4)")
                    .arg(block.number)
                    .arg(number)
                    .arg(change < 0 ? "−" : "+", formatShare(std::abs(change)));
    if (outliers.size() == kMostNamed) break;
  }
  const auto more = std::ssize(all.outliers) - outliers.size();
  const QString unlike = outliers.isEmpty() ? tr("none lasts unlike the others")
                                            : tr("unlike the others last ") + outliers.join(", ") +
                                                  (more > 0 ? tr(" and %1 more").arg(more) : QString());
  return name + tr("%1 epochs, median %2; %3.").arg(all.epochs.size()).arg(formatNs(all.medianNs), unlike);
}

void TimelineFold::showEvent(QShowEvent*) { begin(); }

void TimelineFold::hideEvent(QHideEvent*) { next_.stop(); }

void TimelineFold::keyPressEvent(QKeyEvent* event) {
  const TimelineActionInfo* info = timelineActionOf(*event);
  if (info != nullptr &&
      (info->action == TimelineAction::foldEpochs || info->action == TimelineAction::clear))
    emit left();
  else
    QWidget::keyPressEvent(event);
}

}  // namespace halo
