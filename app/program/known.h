#pragma once

#include "app/program/places.h"
#include "engine/experiment/experiment.h"

namespace halo {

/// What experiment files may name: the registries of this program and the presets of resources/links.toml.
Known knownHere();

}  // namespace halo
