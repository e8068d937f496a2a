#pragma once

#include <QWidget>

#include "views/scene/scene.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace halo {

/// What holds for every view of a scene. It sets what of the runs stands at one place of the time axis and
/// the epochs whose time is compared. It also sets how the time up to an epoch is counted, and the score to
/// which it is. Each choice is a step that the scene can undo.
class ScopeBar : public QWidget {
  Q_OBJECT
 public:
  /// `scene` outlives it.
  explicit ScopeBar(Scene& scene, QWidget* parent = nullptr);
  /// Whether chips have unlike numbers of ranks, and how these stand together: a sentence a chip.
  void showRanks(bool unlike, const QString& matched);

 private:
  class Groups;
  void addAlignment(Groups& groups);
  void addEpochs(Groups& groups);
  void addTime(Groups& groups);
  void addLanes(Groups& groups);
  void show(const SceneState& state);
  void chooseEpochs();
  void align();

  Scene& scene_;
  QComboBox* alignment_;
  QSpinBox *epoch_, *layer_;  // of the alignment; shown where it has them
  QSpinBox *first_, *last_;
  QComboBox *scope_, *base_;
  QDoubleSpinBox* score_;
  QComboBox* lanes_;
  QComboBox* ranks_;
  QWidget* ranksGroup_ = nullptr;  // with its label
};

}  // namespace halo
