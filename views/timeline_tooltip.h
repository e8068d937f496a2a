#pragma once

#include <QString>

#include "views/timeline_navigation.h"

namespace halo {

/// One span: name, kind, how long, when, and what it carried. `zeroNs`: begin of the run. Rich text.
QString spanTooltip(const RowId& row, const Span& span, std::int64_t zeroNs);
/// The same facts as plain text, a line each, to be copied.
QString spanText(const RowId& row, const Span& span, std::int64_t zeroNs);
/// A pixel of several spans: how many, share per kind, the longest and its name; never one span as if it were
/// alone.
QString pixelTooltip(const RowId& row, const SpanRow& spans, const PixelFacts& facts, std::int64_t zeroNs);

QString kindText(Kind kind);
QString rowText(const RowId& row);

}  // namespace halo
