#pragma once

#include <QColor>
#include <QPalette>
#include <array>

#include "engine/record/trace/span.h"

namespace halo {

enum class Theme { light, dark };

/// How a kind is told from the others without its colour (grey print, colour-blind readers).
enum class Cue {
  solid,     // compute; exposed communication
  hatch,     // communication hidden under compute: 45° lines
  dots,      // quantise
  stripes,   // synchronise: vertical, two thirds of the height
  baseline,  // other: a thin line at the bottom
  hollow,    // idle: an outline of one third of the height
};

/// Every colour the window uses besides those of its widgets. The six kinds were chosen for the largest
/// smallest CIEDE2000 distance over normal, protan, deutan and tritan vision; text never takes a kind's
/// colour.
struct Palette {
  Theme theme;
  std::array<QRgb, kKinds> kind;
  QRgb background;  // of pictures
  QRgb lane, laneAlternate;
  QRgb header;  // lane names, ruler
  QRgb grid;    // lines that help the eye
  QRgb frame;   // lines that separate
  QRgb text, textWeak;
  QRgb outline;  // round spans wide enough to have one
  QRgb accent;   // selection, visible window, focus
  QRgb warning;  // marks: emulated, simulated, view not comparable
  QRgb failure;

  QColor color(Kind k) const { return QColor::fromRgb(kind[static_cast<std::size_t>(k)]); }
};

const Palette& palette(Theme theme);
/// By the lightness of the window's own colour: Qt 6.4 cannot say which scheme the desktop uses.
Theme themeOf(const QPalette& widgets);
/// For the Fusion style.
QPalette widgetPalette(Theme theme);

/// The line around a mark of a kind, where such a line is drawn. With it every kind stands out 3:1 from
/// whatever lies behind marks, though its fill may not.
QRgb edgeOf(const Palette& colors, Kind kind);

Cue cueOf(Kind kind, bool hidden = false);
/// Share of the lane's height that the cue fills, from the bottom; (0, 1].
double cueHeight(Cue cue);
/// True where the cue leaves a gap in its fill: pixel x, y of the picture, in device-independent pixels.
bool cueGap(Cue cue, int x, int y);

/// Black or white, whichever stands out more from `background`.
QRgb textOn(QRgb background);
/// share 0: `under`, 1: `over`.
QRgb mix(QRgb under, QRgb over, double share);
/// Of a change from −1 to 1: blue where it is less, amber where it is more, `under` at 0.
QRgb changeColor(const Palette& colors, double change, QRgb under);
/// WCAG contrast ratio, 1 to 21.
double contrast(QRgb a, QRgb b);

/// The place, for seriesColor(), of the colour of what is waited for. No two causes of a device
/// share a place, and no two of a pipeline. Always with the hatch of waiting, which tells it from what is at
/// work.
int causeColor(Name cause);
inline constexpr int kCauseColors = 1000;
/// True where that hatch leaves a gap; the other way than transfers hidden under computing.
bool waitGap(int x, int y);

/// Distinct colours for lines of a chart (runs, ranks), in a fixed order; repeats after eight. Each is apart
/// from the colours of kinds. From kCauseColors on those of causes of waiting.
QRgb seriesColor(Theme theme, int index);

}  // namespace halo
