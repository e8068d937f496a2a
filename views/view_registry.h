#pragma once

#include <initializer_list>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/registry.h"
#include "views/session/session.h"

class QWidget;

namespace halo {

/// The window's three arrangements.
enum class Perspective { setUp, observe, decide };

/// Some of them.
struct Perspectives {
  unsigned bits = 0;

  constexpr Perspectives() = default;
  constexpr Perspectives(std::initializer_list<Perspective> perspectives) {
    for (const Perspective each : perspectives) bits |= 1U << static_cast<unsigned>(each);
  }
  constexpr bool has(Perspective perspective) const {
    return (bits >> static_cast<unsigned>(perspective) & 1U) != 0;
  }
};
inline constexpr Perspectives kEveryPerspective{Perspective::setUp, Perspective::observe,
                                                Perspective::decide};

/// The centre's views are tabs and always there; the others are docks.
enum class ViewArea { centre, left, right, bottom };

/// A view of the window. Its file in views/panes has no header: nobody includes it, and nothing else changes
/// when one is added. `declaration.name` is the dock's object name, by which layouts are kept. A change of
/// the widget's window title becomes the title of its dock; its actions() become a menu of the window.
struct ViewEntry {
  Declaration declaration;
  const char* title;
  ViewArea area;
  int order;                           // among those of its area
  Perspectives shownIn;                // by default; a person may show and hide it anywhere
  Perspectives frontIn;                // in front of the others of its area
  QWidget* (*make)(Session& session);  // the session outlives what the view does
};

/// All of them, area by area, each in its order.
std::vector<const ViewEntry*> viewsInOrder();

}  // namespace halo
