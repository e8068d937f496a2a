#pragma once

#include <QWidget>

#include "views/scene/scene_data.h"

class QHBoxLayout;
class QPushButton;

namespace halo {

class FairnessNote;
class ScopeBar;

/// The chips of a scene in one row, with what is not alike though it is not compared; below them what holds
/// for all figures. A click on a chip makes it the baseline; its cross takes it away. A click on what is not
/// alike tells why it matters. Hidden while the scene is empty.
class ChipBar : public QWidget {
  Q_OBJECT
 public:
  /// `scene` outlives it.
  explicit ChipBar(Scene& scene, QWidget* parent = nullptr);

  void show(const SceneData& scene);
  /// Names give way before docks do.
  QSize minimumSizeHint() const override { return {0, QWidget::minimumSizeHint().height()}; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int nameWidth() const;
  void rebuild();
  void showRanks();
  QWidget* chipWidget(std::size_t place);
  void tellFairness();

  Scene& scene_;
  SceneData data_;
  QHBoxLayout* row_;
  ScopeBar* scope_;
  QPushButton* fairness_;
  FairnessNote* note_;
};

}  // namespace halo
