#pragma once

#include <string>
#include <vector>

#include "engine/record/comparison/span_damage.h"
#include "views/scene/scene_data.h"

namespace halo {

/// Which compared runs have spans that cannot be read, a sentence a run.
inline std::vector<std::string> damagedSpans(const SceneData& scene) { return spanDamages(scene.comparison); }

}  // namespace halo
