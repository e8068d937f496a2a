#pragma once

#include "tests/views/timeline/two_ranks.h"
#include "views/timeline/timeline_input.h"

namespace halo {

/// fillTwoRanks in a layout of 1100 × 140 pixels, of which names take 100 and the ruler 40: 200 ns a pixel,
/// rows of 20 and 12 pixels. No widget.
struct LayoutFixture {
  TimelineModel model;
  TimeWindow window;
  TimelineLayout layout;
  TimelineBlocks blocks{model};
  TimelineSelection selection{blocks, window};
  TimelineMotion motion{layout};
  TimelineInput input{blocks, window, layout, selection, motion};

  LayoutFixture() {
    fillTwoRanks(model);
    window.setExtent(model.extent());
    layout.setFrame({{1100, 140}, 100, 40, 1});
    layout.setShown(model.extent());
    layout.setBlocks({&model});
    QObject::connect(&model, &TimelineModel::rowsChanged, &layout, &TimelineLayout::placeAgain);
    QObject::connect(&window, &TimeWindow::visibleChanged, &layout, &TimelineLayout::setShown);
  }
};

inline constexpr RowId kFirstMain{0, Lane::main, 0}, kFirstPhase{0, Lane::phase, 0};
inline constexpr RowId kSecondMain{1, Lane::main, 0}, kSecondPhase{1, Lane::phase, 0};

}  // namespace halo
