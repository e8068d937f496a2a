#pragma once

#include "engine/methods/contract/placement.h"

namespace halo {

/// Who owns which vertex where every part samples by itself (PaGraph, Lin et al., SoCC 2020, section 3.3).
/// Training vertices by number, each to the part p with the largest
///
///   (1 + c_p) (t − TV_p) / (PV_p + 1)        t = training vertices / parts, or score_share × vertices /
///   parts
///
/// c_p: training vertices of p among the in-neighbours within L hops. TV_p: training vertices of p. PV_p:
/// vertices that p holds, which are those and all in-neighbours within L hops of them. Ties go to fewer
/// training vertices, then to the lower part. L is the number of `fanouts`.
///
/// Other vertices are owned for evaluations alone: by the first part that holds them, or else by hash. Cost:
/// the arcs within L hops of each training vertex; a bit a vertex and part.
Owners placeByTraining(const PlacementRequest& request);

}  // namespace halo
