#pragma once

#include "engine/methods/contract/predictions.h"

namespace halo {

/// An epoch of vertex sets that all ranks draw alike, beside training. Of each iteration the sources of a
/// rank's block are its own members and those of others that these read. Every rank draws the arcs of its own
/// members. `decided`: rows sent, messages of a pass, whether there was a sum of gradients. An iteration
/// without a training vertex passes nothing, and has no numbers.
///
/// Cost: of `request.most` iterations O(Σ degrees of the members). Throws InputError where no set has a
/// training vertex.
DrawnEpoch drawSets(const DrawRequest& request);

}  // namespace halo
