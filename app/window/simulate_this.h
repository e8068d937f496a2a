#pragma once

#include <QString>

#include "views/recording/run_data.h"

namespace halo {

/// Why a run cannot be simulated as it trained; empty: it can.
QString simulateRefusal(const RunData& run);

/// An experiment that simulates an epoch of what the run trained: its data, model, partition, seed, method
/// and workers. On its emulated link where it had one, else on 10 Gbit/s Ethernet.
QString simulateText(const RunData& run);

}  // namespace halo
