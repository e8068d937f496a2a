#include "views/palette.h"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

using halo::Kind;
using halo::Theme;

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

TEST_CASE("a theme made of a palette is recognised by it", "[views][palette]") {
  CHECK(halo::themeOf(halo::widgetPalette(Theme::light)) == Theme::light);
  CHECK(halo::themeOf(halo::widgetPalette(Theme::dark)) == Theme::dark);
}
