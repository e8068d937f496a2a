#pragma once

#include "engine/record/rows/rows.h"

namespace halo {

/// Adds a span's time to the column of its row in `layer`. Only what the worker itself did has one there: how
/// long transfers took, their flow tells. Inline: ranks, which do not link the recording, sum up with it too.
inline void addTime(LayerRow& row, const Span& span) {
  if (span.lane == Lane::link || span.lane == Lane::wait || span.lane == Lane::message) return;
  switch (span.name) {
    case Name::aggregate:
      row.aggregateNs += span.durationNs;
      return;
    case Name::update:
      row.updateNs += span.durationNs;
      return;
    case Name::activation:
      row.activationNs += span.durationNs;
      return;
    case Name::loss:
      row.lossNs += span.durationNs;
      return;
    case Name::optimizer:
      row.optimizerNs += span.durationNs;
      return;
    case Name::sample:
      row.sampleNs += span.durationNs;
      return;
    case Name::gather:
      row.gatherNs += span.durationNs;
      return;
    default:
      break;
  }
  if (span.kind == Kind::communication) row.exchangeWaitNs += span.durationNs;
  if (span.kind == Kind::synchronise) row.synchroniseNs += span.durationNs;
  if (span.kind == Kind::quantise) row.quantiseNs += span.durationNs;
}

}  // namespace halo
