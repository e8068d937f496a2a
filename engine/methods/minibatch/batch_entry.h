#pragma once

#include <vector>

#include "engine/methods/contract/method_entry.h"

namespace halo {

/// How a batch's pulls and passes follow one another: MethodEntry::style of these methods.
MethodStyle batchStyle(const RunSettings& run, int ranks);

/// What all methods have in common that train on sampled mini-batches of drawn neighbours, by BatchTrainer
/// and with what it pulls. The method's own file says the rest. `figures`: beside those of every such method.
MethodEntry batchEntry(Declaration declaration, const std::vector<Metric>& figures = {});

}  // namespace halo
