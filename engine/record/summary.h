#pragma once

#include <map>
#include <span>
#include <string>

#include "engine/record/rows.h"

namespace halo {

/// The metrics of table `latest`, from what a run has recorded so far. A metric that nothing says anything
/// about is left out; so an empty run has none.
///
/// epochs   in order      layers   of all or the last epochs      workers  may be empty      count  number of
/// workers
///
/// loss, train, valid, test   the last epoch's; scores: the last that were measured
/// best_valid, test_at_best_valid, best_epoch   of the first epoch with the highest validation score
/// epochs                     how many are recorded
/// epoch_seconds              median over the epochs after the first (of one epoch: its own)
/// epochs_per_second          its inverse
/// total_seconds              sum of the epochs
/// bytes_per_epoch, messages_per_epoch, predicted_bytes_per_epoch, flop_per_epoch   sums over ranks, mean
/// over epochs exposed_share, synchronise_share, quantise_share, compute_share
///                            time in that kind ÷ (wall time × workers), over the epochs that `layers` covers
/// idle_share                 what is left of it, never below 0
/// balance                    largest over mean FLOP of the workers
/// peak_rss_bytes             of the largest worker; feature_bytes: of all together; dropped_spans: of all
/// together
std::map<std::string, double> summarise(std::span<const EpochRow> epochs, std::span<const LayerRow> layers,
                                        std::span<const WorkerRow> workers, std::int64_t count);

}  // namespace halo
