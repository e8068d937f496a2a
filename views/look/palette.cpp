#include "views/look/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr Palette kLight = {
    Theme::light,
    {0xFF072F8C, 0xFFEBA90B, 0xFFB350FA, 0xFF590C00, 0xFF4C8C74, 0xFFE1E1E1},
    /*background*/ 0xFFFFFFFF,
    /*lane, alternate*/ 0xFFFFFFFF,
    0xFFF6F7F9,
    /*header*/ 0xFFF0F1F4,
    /*grid*/ 0xFFE3E5EA,
    /*frame*/ 0xFFC3C7CF,
    /*text, weak*/ 0xFF1B1E24,
    0xFF5B6270,
    /*outline*/ 0xFF3C4150,
    /*accent*/ 0xFF0B6BCB,
    /*warning*/ 0xFFB25E00,
    /*failure*/ 0xFFB3261E,
};

constexpr Palette kDark = {
    Theme::dark,
    {0xFF99D4FF, 0xFFFFCE0B, 0xFFAF28B2, 0xFFED1900, 0xFF498E76, 0xFF3E3E3E},
    /*background*/ 0xFF17191D,
    /*lane, alternate*/ 0xFF17191D,
    0xFF1D2025,
    /*header*/ 0xFF23262C,
    /*grid*/ 0xFF2D3138,
    /*frame*/ 0xFF454B56,
    /*text, weak*/ 0xFFE8EAEE,
    0xFFA2A9B6,
    /*outline*/ 0xFF0B0C0E,
    /*accent*/ 0xFF5AB0FF,
    /*warning*/ 0xFFFFB454,
    /*failure*/ 0xFFFF8A80,
};

// Chosen for the largest smallest distance, CIEDE2000 among them and CIE76 from the kinds.
constexpr std::array<QRgb, 8> kSeriesLight = {0xFF0F87FF, 0xFFE14BA5, 0xFF0F5A00, 0xFF96785A,
                                              0xFF699600, 0xFF96005A, 0xFF0F0FFF, 0xFF6B7280};
constexpr std::array<QRgb, 8> kSeriesDark = {0xFF4B78F0, 0xFFE13C96, 0xFF69D20F, 0xFFE19696,
                                             0xFFA58700, 0xFFE1D296, 0xFF1EF0FF, 0xFFC4C0BA};

constexpr std::array<QRgb, 8> kCausesLight = {0xFF072F8C, 0xFFC77800, 0xFF2E7D5B, 0xFFB350FA,
                                              0xFF590C00, 0xFF0097A7, 0xFFD81B60, 0xFF6B7280};
constexpr std::array<QRgb, 8> kCausesDark = {0xFF99D4FF, 0xFFFFCE0B, 0xFF6FD3A8, 0xFFCF8BFF,
                                             0xFFFF7A66, 0xFF4DD0E1, 0xFFFF80AB, 0xFFB0B7C3};

/// Of a channel of sRGB; asked for every label of a frame.
double linear(int channel) {
  static const std::array<double, 256> kLinear = [] {
    std::array<double, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double c = static_cast<double>(i) / 255.0;
      table[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return table;
  }();
  return kLinear[at(channel)];
}

double luminance(QRgb color) {
  return 0.2126 * linear(qRed(color)) + 0.7152 * linear(qGreen(color)) + 0.0722 * linear(qBlue(color));
}

/// Among the colours of causes.
int causePlace(Name cause) {
  switch (cause) {
    case Name::awaitRows:
    case Name::awaitDependency:
      return 6;
    case Name::awaitIndex:
    case Name::awaitBuffer:
      return 2;
    case Name::awaitWrites:
    case Name::awaitLink:
      return 5;
    case Name::awaitDecoder:
      return 3;
    case Name::awaitFill:
      return 4;
    case Name::awaitAdders:
      return 7;
    case Name::awaitBanks:
      return 1;
    // of kinds that have a colour of their own, the nearest to it
    case Name::waitsWire:
      return 1;
    case Name::waitsQueue:
      return 5;
    case Name::waitsLateSender:
      return 6;
    case Name::waitsLateReceiver:
    case Name::waitsMemory:
      return 2;
    case Name::waitsPeerComputes:
      return 0;
    case Name::waitsBarrierOrSum:
      return 4;
    case Name::waitsQuantiser:
      return 3;
    case Name::waitsUnknown:
      return 7;
    default:
      return 0;
  }
}

}  // namespace

const Palette& palette(Theme theme) { return theme == Theme::light ? kLight : kDark; }

Theme themeOf(const QPalette& widgets) {
  return widgets.color(QPalette::Window).lightness() < 128 ? Theme::dark : Theme::light;
}

QPalette widgetPalette(Theme theme) {
  const Palette& p = palette(theme);
  const auto color = [](QRgb rgb) { return QColor::fromRgb(rgb); };
  QPalette widgets(color(p.text), color(p.header), color(p.background), color(p.frame), color(p.grid),
                   color(p.text), color(p.text), color(p.background), color(p.header));
  widgets.setColor(QPalette::AlternateBase, color(p.laneAlternate));
  widgets.setColor(QPalette::Highlight, color(p.accent));
  widgets.setColor(QPalette::HighlightedText, color(textOn(p.accent)));
  widgets.setColor(QPalette::Link, color(p.accent));
  widgets.setColor(QPalette::ToolTipBase, color(p.header));
  widgets.setColor(QPalette::ToolTipText, color(p.text));
  widgets.setColor(QPalette::PlaceholderText, color(p.textWeak));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    widgets.setColor(QPalette::Disabled, role, color(mix(p.header, p.textWeak, 0.6)));
  widgets.setColor(QPalette::Disabled, QPalette::Highlight, color(p.frame));
  return widgets;
}

QRgb edgeOf(const Palette& colors, Kind kind) {
  const QRgb fill = colors.kind[at(kind)];
  const auto leastContrast = [&colors](QRgb color) {
    double least = 21;
    for (const QRgb behind : {colors.background, colors.lane, colors.laneAlternate, colors.header})
      least = std::min(least, contrast(color, behind));
    return least;
  };
  QRgb edge = mix(fill, colors.outline, 0.5);
  if (leastContrast(fill) >= 3 || leastContrast(edge) >= 3) return edge;
  for (double share = 0.1; leastContrast(edge) < 3 && share < 1; share += 0.1)
    edge = mix(fill, colors.text, share);
  return edge;
}

Cue cueOf(Kind kind, bool hidden) {
  switch (kind) {
    case Kind::compute:
      return Cue::solid;
    case Kind::communication:
      return hidden ? Cue::hatch : Cue::solid;
    case Kind::quantise:
      return Cue::dots;
    case Kind::synchronise:
      return Cue::stripes;
    case Kind::other:
      return Cue::baseline;
    case Kind::idle:
      return Cue::hollow;
  }
  return Cue::solid;
}

double cueHeight(Cue cue) {
  switch (cue) {
    case Cue::stripes:
      return 2.0 / 3.0;
    case Cue::baseline:
      return 1.0 / 4.0;
    case Cue::hollow:
      return 1.0 / 3.0;
    case Cue::solid:
    case Cue::hatch:
    case Cue::dots:
      break;
  }
  return 1.0;
}

bool cueGap(Cue cue, int x, int y) {
  switch (cue) {
    case Cue::hatch:
      return ((x + y) % 6 + 6) % 6 < 2;
    case Cue::dots:
      return (x % 4 + 4) % 4 == 1 && (y % 4 + 4) % 4 == 1;
    case Cue::stripes:
      return (x % 4 + 4) % 4 == 3;
    case Cue::hollow:
      return true;
    case Cue::solid:
    case Cue::baseline:
      break;
  }
  return false;
}

QRgb textOn(QRgb background) {
  constexpr QRgb black = 0xFF000000;
  constexpr QRgb white = 0xFFFFFFFF;
  return contrast(background, black) >= contrast(background, white) ? black : white;
}

QRgb mix(QRgb under, QRgb over, double share) {
  const auto channel = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  return qRgb(channel(qRed(under), qRed(over)), channel(qGreen(under), qGreen(over)),
              channel(qBlue(under), qBlue(over)));
}

QRgb changeColor(const Palette& colors, double change, QRgb under) {
  const Kind end = change < 0 ? Kind::compute : Kind::communication;
  return mix(under, colors.color(end).rgb(), std::min(1.0, std::abs(change)));
}

double contrast(QRgb a, QRgb b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

int causeColor(Name cause) { return kCauseColors + causePlace(cause); }

bool waitGap(int x, int y) { return ((x - y) % 6 + 6) % 6 >= 3; }

QRgb seriesColor(Theme theme, int index) {
  const bool light = theme == Theme::light, cause = index >= kCauseColors;
  const auto& colors = cause ? (light ? kCausesLight : kCausesDark) : (light ? kSeriesLight : kSeriesDark);
  return colors[at(std::max(0, index - (cause ? kCauseColors : 0))) % colors.size()];
}

}  // namespace halo
