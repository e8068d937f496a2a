#pragma once

#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// Fills a model with two ranks of 100 spans of 1 µs every 2 µs, names in turns; phases of 10 µs; ten epochs
/// of two layers.
inline void fillTwoRanks(TimelineModel& model) {
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    std::vector<Span> spans(100);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      spans[i].beginNs = static_cast<std::int64_t>(i) * 2000;
      spans[i].durationNs = 1000;
      spans[i].name = i % 2 ? Name::update : Name::aggregate;
      spans[i].epoch = static_cast<std::int32_t>(i / 10);
      spans[i].layer = static_cast<std::int16_t>(i / 5 % 2);
    }
    model.append(rank, Lane::main, spans);
    std::vector<Span> phases(20);
    for (std::size_t i = 0; i < phases.size(); ++i) {
      phases[i].beginNs = static_cast<std::int64_t>(i) * 10'000;
      phases[i].durationNs = 10'000;
      phases[i].lane = Lane::phase;
      phases[i].name = Name::layer;
      phases[i].kind = Kind::other;
    }
    model.append(rank, Lane::phase, phases);
  }
  std::vector<EpochRow> epochs(10);
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    epochs[e].epoch = static_cast<std::int64_t>(e);
    epochs[e].beginNs = static_cast<std::int64_t>(e) * 20'000;
    epochs[e].wallNs = 20'000;
  }
  model.addEpochs(epochs);
}

}  // namespace halo
