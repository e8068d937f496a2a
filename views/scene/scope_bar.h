#pragma once

#include <QWidget>

#include "views/scene/scene.h"

class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace halo {

/// What holds for every figure of a scene: the epochs whose time is compared, how the time up to an epoch is
/// counted, and the score to which it is. Each choice is a step that the scene can undo.
class ScopeBar : public QWidget {
  Q_OBJECT
 public:
  /// `scene` outlives it.
  explicit ScopeBar(Scene& scene, QWidget* parent = nullptr);

 private:
  void show(const SceneState& state);
  void chooseEpochs();

  Scene& scene_;
  QSpinBox *first_, *last_;
  QComboBox* base_;
  QDoubleSpinBox* score_;
};

}  // namespace halo
