#pragma once

#include <QTimer>
#include <QWidget>

#include "views/scene/scene_data.h"

class QLabel;
class QSlider;

namespace halo {

/// The score to which a scene counts, as a slider from the lowest score of its curves to the best of any
/// chip. Beside it stand the time and bytes that each chip took. The scene changes once the slider rests.
class ScoreSlider : public QWidget {
  Q_OBJECT
 public:
  /// `scene` outlives it.
  explicit ScoreSlider(Scene& scene);

  void show(const SceneData& scene);
  /// Whether the chips have scores to choose among.
  bool hasScores() const { return high_ > low_; }
  QString words() const;

 private:
  double scoreAt(int place) const;
  void choose();

  Scene& scene_;
  double low_ = 0, high_ = 0;
  QSlider* slider_;
  QLabel* words_;
  QTimer pause_;
};

/// "to 0.8123: A 1.23 s, 4.50 MiB · B –", of means over runs; the time as the scene counts it.
QString reachedText(const SceneData& data);

}  // namespace halo
