#pragma once

#include <cstdint>
#include <optional>

#include "engine/record/database/database.h"
#include "views/scene/scene_data.h"

namespace halo {

/// A moment of a run that a scene puts at one place of the axis with those of the other runs.
struct Anchor {
  enum class At { begin, end, layer };
  At at = At::begin;
  std::optional<std::int64_t> epoch = {};  // none: the first
  int layer = 0;                           // of At::layer

  bool operator==(const Anchor&) const = default;
};

/// What the alignment of `data` asks for of a run. Where accuracy is asked for: none if the run never reached
/// it, or nobody knows.
std::optional<Anchor> anchorOf(const SceneData& data, const QString& recording, std::int64_t run);

/// ns on the run's clock. At::layer is the first span of the forward pass of that layer in a main lane. None:
/// the run has no such epoch, or no span of that layer in it. Throws as Database. Cost: that of the epochs,
/// and of reading the spans of one epoch.
std::optional<std::int64_t> momentOf(Database& recording, std::int64_t run, const Anchor& anchor);

/// In words, for a heading: "begin of epoch 3".
QString anchorText(const SceneState& state);

}  // namespace halo
