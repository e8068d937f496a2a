#pragma once

#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"

namespace halo {

inline QString svgOf(const Figure& figure, QSizeF size = {760, 420}) {
  FigureStyle style;
  style.size = size;
  return QString::fromUtf8(toSvg(figure, style));
}

/// Where each worker's time went in 9 s, and what was hidden.
inline Figure breakdownOf(int workers) {
  RunData run;
  run.run.workers = workers;
  run.breakdown.range = {0, 9'000'000'000};
  run.breakdown.measured = true;
  for (int rank = 0; rank < workers; ++rank) {
    Breakdown part;
    part.computeNs = 5'000'000'000 - rank * 1'000'000;
    part.exchangeWaitNs = 3'000'000'000;
    part.synchroniseNs = 400'000'000;
    part.idleNs = run.breakdown.range.lengthNs() - part.totalNs();
    part.hiddenNs = 4'000'000'000;
    run.breakdown.ranks.push_back(part);
  }
  return makeFigure("breakdown", {RunsData{}, {&run, 1}});
}

}  // namespace halo
