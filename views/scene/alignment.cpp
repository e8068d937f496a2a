#include "views/scene/alignment.h"

#include <algorithm>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/spans.h"

namespace halo {

namespace {

/// The end of the epoch in which the run first had the score that the scene asks for.
std::optional<Anchor> whereReached(const SceneData& data, const QString& recording, std::int64_t run) {
  const auto& reached = data.comparison.reached;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (data.chips[data.compared[i]].chip.recording != recording) continue;
    for (const ToAccuracy::Run& each : reached[i].runs)
      if (each.id == run && each.reached) return Anchor{Anchor::At::end, each.reached->epoch};
  }
  return std::nullopt;
}

/// None of a damaged block: whoever shows the spans says so.
std::vector<Span> readable(const Spans& spans, std::int64_t block) {
  try {
    return spans.load(block);
  } catch (const RecordDamaged&) {
    return {};
  }
}

std::optional<std::int64_t> firstOfLayer(Database& recording, std::int64_t run, const EpochRow& epoch,
                                         int layer) {
  const Spans spans(recording);
  const std::int64_t end = epoch.beginNs + epoch.wallNs;
  std::optional<std::int64_t> first;
  for (const SpanBlockInfo& block : spans.blocks(run)) {
    if (block.lane != Lane::main || block.firstNs >= end || block.lastNs < epoch.beginNs) continue;
    for (const Span& span : readable(spans, block.id))
      if (span.epoch == epoch.epoch && span.layer == layer && span.pass == Pass::forward)
        first = std::min(first.value_or(span.beginNs), span.beginNs);
  }
  return first;
}

}  // namespace

std::optional<Anchor> anchorOf(const SceneData& data, const QString& recording, std::int64_t run) {
  const SceneState& state = data.state;
  switch (state.alignment) {
    case Alignment::start:
      break;
    case Alignment::epoch:
      return Anchor{Anchor::At::begin, state.epoch};
    case Alignment::layer:
      return Anchor{Anchor::At::layer, state.epoch, state.layer};
    case Alignment::accuracy:
      return whereReached(data, recording, run);
  }
  return Anchor{};
}

std::optional<std::int64_t> momentOf(Database& recording, std::int64_t run, const Anchor& anchor) {
  const std::vector<EpochRow> epochs = Epochs(recording).epochs(run);
  const auto row = std::ranges::find_if(
      epochs, [&](const EpochRow& each) { return !anchor.epoch || each.epoch == *anchor.epoch; });
  if (row == epochs.end()) return std::nullopt;
  switch (anchor.at) {
    case Anchor::At::begin:
      return row->beginNs;
    case Anchor::At::end:
      return row->beginNs + row->wallNs;
    case Anchor::At::layer:
      return firstOfLayer(recording, run, *row, anchor.layer);
  }
  return std::nullopt;
}

QString anchorText(const SceneState& state) {
  switch (state.alignment) {
    case Alignment::start:
      break;
    case Alignment::epoch:
      return QString("begin of epoch %1").arg(state.epoch);
    case Alignment::layer:
      return QString("layer %1, forward, of epoch %2").arg(state.layer).arg(state.epoch);
    case Alignment::accuracy:
      return "score reached";
  }
  return "begin of the first epoch";
}

}  // namespace halo
