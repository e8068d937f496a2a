#pragma once

#include <QString>

#include "views/timeline_navigation.h"

namespace halo {

/// One span: name, kind, how long, when, where (rowText), and what it carried. `zeroNs`: begin of the run.
/// Rich text.
QString spanTooltip(const QString& where, const Span& span, std::int64_t zeroNs);
/// The same facts as plain text, a line each, to be copied.
QString spanText(const QString& where, const Span& span, std::int64_t zeroNs);
/// A pixel of several spans: how many, share per kind, the longest and its name; never one span as if it were
/// alone.
QString pixelTooltip(const QString& where, const SpanRow& spans, const PixelFacts& facts,
                     std::int64_t zeroNs);

QString kindText(Kind kind);
/// "rank 3, link 2", "3 hbm, main"; `rank`: TimelineModel::rankName.
QString rowText(const RowId& row, const QString& rank);

}  // namespace halo
