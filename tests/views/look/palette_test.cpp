#include "views/look/palette.h"

#include <QImage>
#include <QPainter>
#include <QStyleOption>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <tuple>

#include "views/look/widget_style.h"

using halo::Kind;
using halo::Theme;

namespace {

using Lab = std::array<double, 3>;

/// Machado, Oliveira, Fernandes 2009, severity 1: what linear red, green and blue become.
struct Vision {
  const char* name;
  double rgb[3][3];
};
constexpr Vision kVisions[] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protan",
     {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {"deutan",
     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {"tritan",
     {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
};

/// CIE L*a*b* (D65) of an sRGB colour as somebody sees it.
Lab seen(QRgb color, const Vision& vision) {
  const auto linear = [](int channel) {
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double in[3] = {linear(qRed(color)), linear(qGreen(color)), linear(qBlue(color))};
  double rgb[3];
  for (int i = 0; i < 3; ++i)
    rgb[i] =
        std::clamp(vision.rgb[i][0] * in[0] + vision.rgb[i][1] * in[1] + vision.rgb[i][2] * in[2], 0.0, 1.0);
  constexpr double kXyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                 {0.2126729, 0.7151522, 0.0721750},
                                 {0.0193339, 0.1191920, 0.9503041}};
  constexpr double kWhite[3] = {0.95047, 1, 1.08883};
  double f[3];
  for (int i = 0; i < 3; ++i) {
    const double t = (kXyz[i][0] * rgb[0] + kXyz[i][1] * rgb[1] + kXyz[i][2] * rgb[2]) / kWhite[i];
    f[i] = t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/// The colour distance CIEDE2000 (Sharma, Wu, Dalal 2005).
double ciede2000(const Lab& x, const Lab& y) {
  constexpr double kDegree = 3.14159265358979323846 / 180;
  const auto seventh = [](double c) {
    return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25, 7)));
  };
  const double grey = 1.5 - 0.5 * seventh((std::hypot(x[1], x[2]) + std::hypot(y[1], y[2])) / 2);
  const double a1 = x[1] * grey, a2 = y[1] * grey;
  const double c1 = std::hypot(a1, x[2]), c2 = std::hypot(a2, y[2]);
  const auto hue = [](double b, double a) {
    const double h = b == 0 && a == 0 ? 0 : std::atan2(b, a) / kDegree;
    return h < 0 ? h + 360 : h;
  };
  const double h1 = hue(x[2], a1), h2 = hue(y[2], a2);
  const bool grey12 = c1 * c2 == 0;
  double dh = grey12 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  const double dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * kDegree);
  double h = h1 + h2;
  if (!grey12) h = std::abs(h1 - h2) <= 180 ? h / 2 : (h < 360 ? h + 360 : h - 360) / 2;
  const double L = (x[0] + y[0]) / 2, C = (c1 + c2) / 2;
  const double T = 1 - 0.17 * std::cos((h - 30) * kDegree) + 0.24 * std::cos(2 * h * kDegree) +
                   0.32 * std::cos((3 * h + 6) * kDegree) - 0.20 * std::cos((4 * h - 63) * kDegree);
  const double sL = 1 + 0.015 * (L - 50) * (L - 50) / std::sqrt(20 + (L - 50) * (L - 50));
  const double sC = 1 + 0.045 * C, sH = 1 + 0.015 * C * T;
  const double turn = -2 * seventh(C) * std::sin(60 * std::exp(-std::pow((h - 275) / 25, 2)) * kDegree);
  const double l = (y[0] - x[0]) / sL, c = (c2 - c1) / sC, d = dH / sH;
  return std::sqrt(l * l + c * c + d * d + turn * c * d);
}

}  // namespace

TEST_CASE("text stands out from whatever it is written on", "[views][palette]") {
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  const halo::Palette& p = halo::palette(theme);
  for (const QRgb background : {p.background, p.lane, p.laneAlternate, p.header}) {
    CHECK(halo::contrast(p.text, background) >= 7.0);
    CHECK(halo::contrast(p.textWeak, background) >= 4.5);
  }
  for (const QRgb kind : p.kind) CHECK(halo::contrast(halo::textOn(kind), kind) >= 4.5);
  CHECK(halo::contrast(p.warning, p.background) >= 4.5);
  CHECK(halo::contrast(p.failure, p.background) >= 4.5);
}

TEST_CASE("every kind is told from the others without its colour", "[views][palette]") {
  std::set<halo::Cue> cues;
  for (int kind = 0; kind < halo::kKinds; ++kind) cues.insert(halo::cueOf(static_cast<Kind>(kind), true));
  CHECK(cues.size() == halo::kKinds);
}

TEST_CASE("the mark of every kind, or the line around it, stands out from what lies behind",
          "[views][palette]") {
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  const halo::Palette& p = halo::palette(theme);
  for (int k = 0; k < halo::kKinds; ++k)
    for (const QRgb behind : {p.background, p.lane, p.laneAlternate, p.header}) {
      CAPTURE(k);
      const QRgb edge = halo::edgeOf(p, static_cast<Kind>(k));
      CHECK(std::max(halo::contrast(p.kind[static_cast<std::size_t>(k)], behind),
                     halo::contrast(edge, behind)) >= 3.0);
    }
}

TEST_CASE("the kinds stay apart for every kind of colour vision", "[views][palette]") {
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  for (const Vision& vision : kVisions)
    for (std::size_t a = 0; a < halo::kKinds; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        CAPTURE(vision.name, a, b);
        CHECK(ciede2000(seen(halo::palette(theme).kind[a], vision),
                        seen(halo::palette(theme).kind[b], vision)) >= 23.0);
      }
}

TEST_CASE("the colour distance of the tests has the values of its authors", "[views][palette]") {
  // Sharma, Wu, Dalal 2005, table 1: pairs 1, 7, 17, 25
  CHECK(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == Approx(2.0425).margin(1e-4));
  CHECK(ciede2000({50, 0, 0}, {50, -1, 2}) == Approx(2.3669).margin(1e-4));
  CHECK(ciede2000({50, 2.5, 0}, {73, 25, -18}) == Approx(27.1492).margin(1e-4));
  CHECK(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) == Approx(1.2644).margin(1e-4));
}

TEST_CASE("a theme made of a palette is recognised by it", "[views][palette]") {
  CHECK(halo::themeOf(halo::widgetPalette(Theme::light)) == Theme::light);
  CHECK(halo::themeOf(halo::widgetPalette(Theme::dark)) == Theme::dark);
}

TEST_CASE("boxes that are not ticked can be seen in both themes", "[palette]") {
  using namespace halo;
  WidgetStyle style;
  for (const Theme theme : {Theme::light, Theme::dark})
    for (const auto element : {QStyle::PE_IndicatorCheckBox, QStyle::PE_IndicatorRadioButton}) {
      const QPalette colors = widgetPalette(theme);
      QStyleOptionButton option;
      option.palette = colors;
      option.rect = QRect(4, 4, 14, 14);
      option.state = QStyle::State_Enabled | QStyle::State_Off;
      QImage picture(22, 22, QImage::Format_RGB32);
      picture.fill(colors.color(QPalette::Window));
      QPainter painter(&picture);
      style.drawPrimitive(element, &option, &painter, nullptr);
      painter.end();
      double most = 0;  // along the middle, which crosses the frame
      for (int x = 0; x < picture.width(); ++x)
        most = std::max(most, contrast(picture.pixel(x, 11), colors.color(QPalette::Window).rgb()));
      CAPTURE(int(theme), int(element));
      CHECK(most >= 3);
    }
}

TEST_CASE("causes of waiting in one device or pipeline have colours of their own that stand out",
          "[views][palette]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  using halo::Name;
  for (const auto& causes :
       {std::vector{Name::awaitIndex, Name::awaitRows, Name::awaitWrites, Name::awaitDecoder,
                    Name::awaitBanks, Name::awaitAdders, Name::awaitFill},
        std::vector{Name::awaitDependency, Name::awaitBuffer, Name::awaitLink}}) {
    std::set<QRgb> colors;
    for (const Name cause : causes) {
      const QRgb color = halo::seriesColor(theme, halo::causeColor(cause));
      colors.insert(color);
      CHECK(halo::contrast(color, halo::palette(theme).lane) >= 3);
    }
    CHECK(colors.size() == causes.size());
  }
}

TEST_CASE("colours of chips are apart from those of kinds in both themes, and stand out",
          "[views][palette]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  const halo::Palette& p = halo::palette(theme);
  constexpr double kLeast = 30;  // CIE76: the distance in L*a*b*
  const auto cie76 = [](const Lab& a, const Lab& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  };
  CHECK(cie76({50, 0, 0}, {53, 4, 12}) == Approx(13));
  for (int chip = 0; chip < 8; ++chip) {
    const QRgb color = halo::seriesColor(theme, chip);
    for (std::size_t kind = 0; kind < halo::kKinds; ++kind) {
      CAPTURE(chip, kind);
      CHECK(cie76(seen(color, kVisions[0]), seen(p.kind[kind], kVisions[0])) >= kLeast);
    }
    for (const QRgb behind : {p.background, p.lane, p.laneAlternate, p.header}) {
      CAPTURE(chip);
      CHECK(halo::contrast(color, behind) >= 3);
    }
  }
  CHECK(halo::seriesColor(theme, 8) == halo::seriesColor(theme, 0));
}

TEST_CASE("colours of chips are apart from each other for every kind of colour vision", "[views][palette]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  for (const Vision& vision : kVisions) {
    const double least = vision.name == std::string_view("normal") ? 16 : 8;
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < a; ++b) {
        CAPTURE(vision.name, a, b);
        CHECK(ciede2000(seen(halo::seriesColor(theme, a), vision),
                        seen(halo::seriesColor(theme, b), vision)) >= least);
      }
  }
}
