#pragma once

#include <QListWidget>

#include "engine/base/problem.h"

namespace halo {

/// What is wrong, one line each; activating one that has a line in a text goes there.
class ProblemsView : public QListWidget {
  Q_OBJECT
 public:
  explicit ProblemsView(QWidget* parent = nullptr);

  void showProblems(const std::vector<Problem>& problems);
  int problemCount() const { return count_; }

 signals:
  void placeChosen(int line, int column);  // from 1

 private:
  int count_ = 0;
};

}  // namespace halo
