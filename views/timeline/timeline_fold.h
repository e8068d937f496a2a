#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

#include "views/spans/timeline_blocks.h"
#include "views/timeline/epoch_fold.h"
#include "views/timeline/timeline_style.h"

class QLabel;
class QScrollArea;

namespace halo {

/// One run of a fold, as far as it is computed.
struct FoldedBlock {
  QString name;  // empty where there is no other
  int color = 0;
  std::int32_t number = 0;  // RowId::block
  FoldedEpochs epochs;
  struct Lane {
    RowId row;
    QString name;
    FoldedLane shares;  // empty: not computed yet
  };
  std::vector<Lane> lanes;
};

/// Paints folded runs below each other on one axis of time since the begin of an epoch. Each shows how long
/// every epoch lasts, and below that a lane a rank.
class FoldLanes : public QWidget {
 public:
  /// Told of an epoch that was clicked.
  using Chosen = std::function<void(std::size_t block, std::int64_t epoch)>;
  FoldLanes(const std::vector<FoldedBlock>& blocks, Chosen chosen);

  std::int64_t lengthNs() const;  // of the axis
  /// Where the end of an epoch stands; beyond the axis at its end.
  QPoint dotOf(std::size_t block, const EpochRow& epoch) const;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Hit {
    std::size_t block = 0;
    const EpochRow* epoch = nullptr;
  };
  Hit at(QPoint place) const;
  double xOf(std::int64_t ns) const;
  int stripTop(std::size_t block) const;
  int stripHeight() const { return fontMetrics().height() + 8; }
  int laneHeight() const;
  void paintAxis(QPainter& painter, const Palette& colors) const;
  void paintEpochs(QPainter& painter, const Palette& colors, std::size_t block) const;
  void paintLane(QPainter& painter, const Palette& colors, const FoldedBlock::Lane& lane, int top) const;
  void paintName(QPainter& painter, const Palette& colors, const QString& name, int top, int height) const;

  const std::vector<FoldedBlock>& blocks_;
  Chosen chosen_;
  int left_ = 0;  // of the lanes
};

/// The epochs of each run laid over each other. Every main lane has the share of time at work since an
/// epoch's begin, as median and quartiles. Epochs that last unlike the others are shown too. `blocks` outlive
/// it.
class TimelineFold : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineFold(const TimelineBlocks& blocks, QWidget* parent = nullptr);
  /// All that it shows is computed: a lane at a time, between events.
  bool settled() const { return !next_.isActive(); }
  const std::vector<FoldedBlock>& folded() const { return folded_; }
  FoldLanes& lanes() { return *lanes_; }
  QString text() const;  // what stands below

 signals:
  void epochChosen(qint32 block, qint64 epoch);
  void left();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void begin();
  void foldNext();
  QString sentenceOf(const FoldedBlock& block) const;

  const TimelineBlocks& blocks_;
  std::vector<FoldedBlock> folded_;
  QTimer next_;
  FoldLanes* lanes_;
  QScrollArea* area_;
  QLabel* words_;
};

}  // namespace halo
