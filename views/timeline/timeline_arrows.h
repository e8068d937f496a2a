#pragma once

#include <QString>
#include <map>
#include <vector>

#include "views/spans/message_arrows.h"
#include "views/spans/wait_chain.h"
#include "views/timeline/timeline_selection.h"
#include "views/timeline/timeline_style.h"

class QPainter;

namespace halo {

/// What the timeline draws of messages.
struct TimelineArrows {
  bool shown = false;
  std::vector<MessageArrow> arrows;
  bool tooMany = false;  // to be read at this width
  bool read = false;     // else they are on their way
};

/// Of these, the ones that are drawn: all in view, or where they are too many those of the rank that keys go
/// from. Places in `arrows`.
std::vector<std::size_t> drawnArrows(const TimelineArrows& arrows, const TimelineLayout& layout,
                                     std::optional<RowId> current);

/// The drawn one that is nearest to a place, where a pointer means it; else null.
const MessageArrow* arrowAt(const TimelineArrows& arrows, const TimelineLayout& layout,
                            std::optional<RowId> current, QPoint place);

/// Whether a message was sent, arrived or was used within a span of its sender or receiver.
bool concerns(const MessageArrow& arrow, const RowId& row, const Span& span);

/// From the main lane of the sender, when it sent, to that of the receiver, when it begins to use what came.
/// Dashed where that is a later epoch. Dotted of a collective: from the lane of the rank that came last to
/// those that waited for it. Those of the selected span stand out. What is not drawn is said.
void paintArrows(QPainter& painter, const TimelineLayout& layout, const TimelineArrows& arrows,
                 const TimelineSelection& selection, const TimelineStyle& style);

/// A frame around each wait and work of a chain in the main lane of its rank, and its messages as arrows.
void paintChain(QPainter& painter, const TimelineLayout& layout, const WaitChain& chain,
                const TimelineStyle& style);

}  // namespace halo
