#pragma once

#include "simulator/cluster/plans/scaling.h"

namespace halo::cluster {

/// Consumers of a graph of which only figures are known. Degrees fall as k^−exponent up to the largest. The
/// least degree is the one that gives so many arcs. Arcs come out within a per cent, unless no least degree
/// gives them (then all have the mean).
ConsumerHistogram powerLawConsumers(std::int64_t vertices, std::int64_t arcs, double exponent,
                                    std::int64_t largest);

}  // namespace halo::cluster
