#pragma once

#include <QString>

#include "views/figure/figure_style.h"

namespace halo {

/// haloscope-desktop --render: figures of a recording as files, without a display.
struct RenderRequest {
  QString figure;  // a name of the registry, or "all"
  QString recording;
  std::vector<std::int64_t>
      runs;           // empty: the last one that has what is drawn, or all for a figure of several
  QString output;     // a file; for "all" a folder
  QString parameter;  // KEY=VALUE of the figure, several with commas; may be empty
  FigureStyle style;
  double scale = 1;
  bool sized = false;  // else a figure may be higher than its style says
  bool force = false;
  CsvFor reader = CsvFor::program;
};

/// Says on standard error which run is drawn where none is named. Throws as failureOf expects.
void render(const RenderRequest& request);

/// "name  what it shows", a line a figure.
QString figureList();

}  // namespace halo
