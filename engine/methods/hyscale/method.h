#pragma once

#include <memory>

#include "engine/methods/worker/worker_parts.h"

namespace halo::hyscale {

/// Throws InputError for what cannot be of the keys and the training vertices.
std::unique_ptr<Method> makeMethod(WorkerParts& parts, const Values& values);

}  // namespace halo::hyscale
