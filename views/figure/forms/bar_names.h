#pragma once

#include <vector>

#include "views/figure/forms/plot.h"

namespace halo {

/// The names of the categories below bars. A name may have two lines; where bars are too narrow for theirs it
/// stands in two lines, or else upright.
class BarNames {
 public:
  enum class Below { stacks, groups };
  BarNames(FigureSheet& sheet, Below below) : sheet_(sheet), below_(below) {}

  /// Chooses how they stand below a plot of this width, and returns how high that is.
  double layOut(double plotWidth);
  void paint(const Plot& plot);

 private:
  /// Categories that follow each other with the same second line.
  struct Shared {
    qsizetype first = 0, count = 0;
    QStringList lines;  // of what they share
  };

  bool allNumbers() const;
  QString inTwoLines(const QString& name, double room) const;
  std::vector<Shared> sharedLines(double step) const;
  double widestFirstLine() const;
  double sharedHeight() const;
  void paintShared(const Plot& plot, double step);
  void paintUpright(const Plot& plot, double step);
  void paintLevel(const Plot& plot, double step);

  FigureSheet& sheet_;
  Below below_;
  bool upright_ = false, twoLines_ = false;
  std::vector<Shared> shared_;  // below the names of their parts; empty: names stand alone
  double height_ = 0;
};

}  // namespace halo
