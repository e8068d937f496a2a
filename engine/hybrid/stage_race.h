#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/index.h"
#include "engine/hybrid/platform.h"

namespace halo {

enum class HybridStage : std::uint8_t {
  sampleCpu,
  sampleCard,
  load,
  transfer,
  trainCpu,
  trainCard,
  sync,
  count
};
inline constexpr std::array<std::string_view, 7> kHybridStages = {
    "sample", "sample on cards", "load", "transfer", "train on processors", "train on cards", "synchronise"};
static_assert(kHybridStages.size() == at(HybridStage::count));

/// Work at a steady pace, unless others slow it down.
struct RacePart {
  double amount = 0;       // bytes, multiply-adds, neighbours, or seconds
  double most = 1;         // of it a second
  double hostPerUnit = 0;  // bytes of host memory traffic a unit
  int card = -1;           // over the link of this card, which `most` is the bandwidth of; −1: over none
};
/// Parts one after the other.
struct RaceTask {
  HybridStage stage = HybridStage::sampleCpu;
  std::vector<RacePart> parts;
  int card = -1;  // whose it is; −1: no card's
};
/// Tasks at the same time, done when all are; and such steps one after the other.
using RaceStep = std::vector<RaceTask>;
using RaceLane = std::vector<RaceStep>;

struct RaceTimes {
  double seconds = 0;  // until all lanes are done
  /// Of each stage, from the begin of its first task to the end of its last; 0 if it has none.
  std::array<double, kHybridStages.size()> stageSeconds{};
  double hostBytes = 0, pcieBytes = 0;
  /// When each task that has anything to do runs.
  struct Span {
    HybridStage stage = HybridStage::sampleCpu;
    int card = -1;
    double begin = 0, end = 0;
  };
  std::vector<Span> spans;  // in the order of their ends
};

/// What happens when lanes run side by side. Host memory is shared max-min fairly by what asks for it. A
/// card's link is shared evenly by what a stage has under way on it. Where cards share a root port, it is
/// shared by what the stage has under way on all of them. Every other resource belongs to its task. Features
/// and gradients do not slow each other down: the model has a link for either (5.4). Event by event: rates
/// change when a part ends.
RaceTimes race(const std::vector<RaceLane>& lanes, const HybridPlatform& platform);

}  // namespace halo
