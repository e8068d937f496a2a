#include "engine/record/rows/hybrid_rows.h"

#include <algorithm>
#include <array>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 6> kKinds = {"runtime", "sampler", "loader",
                                                    "link",    "trainer", "synchroniser"};
constexpr std::array<std::string_view, 3> kDevices = {"host", "modelled", "opencl"};
constexpr std::array<std::string_view, kBatchStages> kStages = {"sample", "load", "transfer", "propagate",
                                                                "synchronise"};
constexpr std::array<std::string_view, 6> kActions = {"start", "work", "step", "threads", "sampling", "rest"};
constexpr std::array<std::string_view, 6> kParts = {"", "cpu", "cards", "sample", "load", "train"};
constexpr std::array<std::string_view, 4> kOutcomes = {"open", "kept", "undone", "rest"};

template <class Value, std::size_t N>
std::optional<Value> valueOf(const std::array<std::string_view, N>& words, std::string_view word) {
  const auto place = std::ranges::find(words, word);
  if (place == words.end()) return std::nullopt;
  return static_cast<Value>(place - words.begin());
}

}  // namespace

std::string_view text(ActorKind kind) { return kKinds[at(kind)]; }
std::string_view text(ActorDevice device) { return kDevices[at(device)]; }
std::string_view text(BatchStage stage) { return kStages[at(stage)]; }
std::string_view text(MappingAction action) { return kActions[at(action)]; }
std::string_view text(MappingPart part) { return kParts[at(part)]; }
std::string_view text(DecisionOutcome outcome) { return kOutcomes[at(outcome)]; }

std::optional<ActorKind> actorKindOf(std::string_view word) { return valueOf<ActorKind>(kKinds, word); }
std::optional<ActorDevice> actorDeviceOf(std::string_view word) {
  return valueOf<ActorDevice>(kDevices, word);
}
std::optional<BatchStage> batchStageOf(std::string_view word) { return valueOf<BatchStage>(kStages, word); }
std::optional<MappingAction> mappingActionOf(std::string_view word) {
  return valueOf<MappingAction>(kActions, word);
}
std::optional<MappingPart> mappingPartOf(std::string_view word) { return valueOf<MappingPart>(kParts, word); }
std::optional<DecisionOutcome> decisionOutcomeOf(std::string_view word) {
  return valueOf<DecisionOutcome>(kOutcomes, word);
}

}  // namespace halo
