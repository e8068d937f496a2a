#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/analysis/median.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// The metrics of table `latest`, of the whole run so far. They are kept up to date epoch by epoch, at a cost
/// that does not grow with the run. A metric that nothing says anything about is left out; so an empty run
/// has none.
///
/// loss, train, valid, test   the last epoch's; scores: the last that were measured. NaN, which SQLite keeps
///                            as NULL: it was measured, and is no number
/// best_valid, test_at_best_valid, best_epoch   of the first epoch with the highest validation score
/// epochs                     how many are recorded
/// epoch_seconds              median over the epochs after the first that fill no pipeline (EpochRow); of one
///                            epoch its own
/// mean_epoch_seconds         mean over the same epochs: of methods whose epochs differ, what simulations are
///                            held against
/// epochs_per_second          its inverse: of epochs that differ the median says nothing of how many there
/// are total_seconds              sum of the epochs bytes_per_epoch, messages_per_epoch,
/// predicted_bytes_per_epoch, predicted_messages_per_epoch, flop_per_epoch             sums over ranks, mean
/// over the epochs that have rows by layer: all of a run, the
///                            first among them
/// layer_bytes_per_epoch, layer_messages_per_epoch   the same of the layers alone, without the gradients' sum
/// max_layer_bytes_per_epoch, max_layer_messages_per_epoch   of the worker that sends most; likewise
///                            max_flop_per_epoch
/// staleness_features, staleness_gradients   relative error of what stale exchanges brought, mean over
///                            workers and layers from 1 on (input features are never stale), over the last
///                            five epochs it was measured in
/// exchange_wait_share, synchronise_share, quantise_share, compute_share
///                            time in that kind ÷ (wall time × workers, or × actors where there are any),
///                            over the same epochs but those that fill one
/// rest_share                 what is left of it, never below 0: other_share and idle_share (rest_share.h)
/// balance                    largest over mean FLOP of the workers
/// peak_rss_bytes             of the largest worker; feature_bytes: of all together; dropped_spans: of all
/// together
class Summary {
 public:
  /// workers: how many there are.
  explicit Summary(std::int64_t workers) : workers_(workers < 1 ? 1 : workers), lanes_(workers_) {}
  /// A run whose workers have so many actors: shares are of the time of all of them.
  void actBy(std::int64_t actors) { lanes_ = actors; }

  /// Further epochs, in order, and what was spent and moved in them: the rows of one epoch come together.
  void add(std::span<const EpochRow> epochs, std::span<const LayerRow> layers);
  std::map<std::string, double> metrics(std::span<const WorkerRow> workers) const;
  /// Why there is no time of an epoch though there are epochs; else "".
  std::string untimed() const;
  /// The last epoch, if there is one.
  const std::optional<EpochRow>& last() const { return last_; }

 private:
  struct Sum {
    double sum = 0, count = 0;
  };
  struct Sent {
    double bytes = 0, messages = 0;
  };
  void addLayer(const LayerRow& row);
  void addTimes(const LayerRow& row);
  void addStaleness(const LayerRow& row);
  /// Whether some epoch tells the time: a first one only as long as it is alone.
  bool isTimed() const;
  void speed(std::map<std::string, double>& metrics) const;
  void scores(std::map<std::string, double>& metrics) const;
  void volumesAndShares(std::map<std::string, double>& metrics) const;
  void layerVolumes(std::map<std::string, double>& metrics) const;

  std::int64_t workers_, lanes_;  // lanes: who each does one thing at a time
  std::int64_t epochs_ = 0, timed_ = 0;
  std::optional<EpochRow> last_, best_;
  std::optional<double> train_, valid_, test_;
  double totalSeconds_ = 0, firstSeconds_ = 0, timedSeconds_ = 0;
  Median seconds_;  // of the epochs timed: not the first, which warms caches and connections
  // over the epochs that have rows by layer
  double covered_ = 0, wallNs_ = 0;
  double bytes_ = 0, messages_ = 0, predicted_ = 0, flop_ = 0;
  std::optional<double> predictedMessages_;
  double compute_ = 0, exchangeWait_ = 0, synchronise_ = 0, quantise_ = 0;
  std::map<std::int64_t, double> flopOfRank_;
  std::map<std::int64_t, Sent> sentOfRank_;                     // in layers
  std::map<std::int64_t, Sum> staleFeatures_, staleGradients_;  // by epoch, the last few
};

/// The same of rows that are all there already.
std::map<std::string, double> summarise(std::span<const EpochRow> epochs, std::span<const LayerRow> layers,
                                        std::span<const WorkerRow> workers, std::int64_t count);

}  // namespace halo
