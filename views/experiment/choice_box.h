#pragma once

#include <QComboBox>

namespace halo {

/// A list to choose from, or with setEditable(true) to write a word beside. What keys and the wheel do is
/// meant once Enter is pressed or the box is left. What is picked in the open list is meant at once. Nothing
/// completes or changes a word, and letters choose nothing in the closed list.
class ChoiceBox : public QComboBox {
  Q_OBJECT
 public:
  explicit ChoiceBox(bool takesWords);

 signals:
  void meant();   // by Enter or by leaving
  void picked();  // in the open list

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  bool tried_ = false;  // by a key or the wheel, just now
};

}  // namespace halo
