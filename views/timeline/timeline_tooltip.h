#pragma once

#include <QString>
#include <vector>

#include "views/spans/message_arrows.h"
#include "views/spans/timeline_blocks.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_navigation.h"

namespace halo {

/// Where a span stands: its row (rowText), the begin of the run, and the clock that counts its cycles.
struct SpanPlace {
  QString row;
  std::int64_t zeroNs = 0;
  std::optional<double> mhz = {};
  std::int64_t transfers = 1;  // that the span stands for
  /// Why a wait of lane main lasted, the longest first.
  struct Reason {
    Name cause = Name::waitsUnknown;
    std::int32_t peer = -1;
    std::int64_t ns = 0;
  };
  std::vector<Reason> reasons = {};
  QString time = {};       // ShownTime::title
  QString lastThere = {};  // lastThereText()
};
/// Of a span of a row of the model.
SpanPlace spanPlaceOf(const TimelineModel& model, const RowId& row, const Span& span);
/// One span: name, kind, how long, when, where, and what it carried. Rich text.
QString spanTooltip(const SpanPlace& place, const Span& span);
/// The same facts as plain text, a line each, to be copied.
QString spanText(const SpanPlace& place, const Span& span);
/// A pixel of several spans: how many, share per kind, the longest and its name; never one span as if it were
/// alone.
QString pixelTooltip(const QString& where, const SpanRow& spans, const PixelFacts& facts,
                     std::int64_t zeroNs);

/// A message: who sent it to whom, what it carries, how long it was under way and lay ready. A collective:
/// who waited for whom and how long.
QString arrowTooltip(const TimelineModel& model, const MessageArrow& arrow);

/// A lane's name: its times of each kind in view; or the name of a run, whole, and what it says.
QString headingTooltip(const TimelineLayout& layout, const TimelineBlocks& blocks, QPoint place);

/// What a pointer is told at a place of the lanes, of the span there. Where a pixel stands for several spans
/// it is told of the pixel. Empty where there is nothing.
QString timelineTooltip(const TimelineLayout& layout, QPoint place);

QString kindText(Kind kind);
/// "waits for rows".
QString waitText(Name cause);
/// "rank 3, link 2", "3 hbm, main"; `rank`: TimelineModel::rankName.
QString rowText(const RowId& row, const QString& rank);

}  // namespace halo
