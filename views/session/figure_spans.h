#pragma once

#include <optional>

#include "views/figures/figure_registry.h"
#include "views/spans/span_choice.h"

namespace halo {

/// The spans that a number of a figure of chips is of.
struct FigureSpans {
  std::size_t chip = 0;  // place in the scene
  SpanChoice choice;
};

/// Of a cell of the figures `staleness` (a map) and `traffic`, or a row of `traffic` (layers) and
/// `quantisation`, as FigureView::pointChosen() tells them. `values`: that the figure was made with. None: it
/// is of no spans.
std::optional<FigureSpans> spansOf(const Figure& figure, const SceneData& scene, const Values& values,
                                   std::size_t matrix, std::size_t place);

}  // namespace halo
