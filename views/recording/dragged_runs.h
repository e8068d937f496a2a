#pragma once

#include <QMimeData>
#include <QStringList>
#include <cstdint>
#include <vector>

namespace halo {

/// Runs of the shown recording as they are dragged from a list; the caller's.
QMimeData* draggedRuns(const std::vector<std::int64_t>& runs);
/// Those that this program was given; empty of anything else. Another program shows another recording.
std::vector<std::int64_t> runsDragged(const QMimeData& data);
/// What a model of runs says of draggedRuns().
QStringList draggedRunTypes();

}  // namespace halo
