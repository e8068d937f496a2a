// What is recorded of any training run: the text of each metric's page of the manual stands here.
#include "app/report/metrics.h"
#include "engine/record/rows/iteration_metrics.h"

namespace halo {
namespace {

using Unit = Metric::Unit;

constexpr bool kTimed = true;

std::vector<RunMetric> timesAndScores() {
  return {
      {{"epochs", "epochs", Unit::plain, "epochs that are recorded"}, "learning"},
      {{"total_seconds", "training time", Unit::seconds, "sum of the epochs' times", kTimed}, "time"},
      {{"epoch_seconds", "epoch, median", Unit::seconds,
        "time of an epoch, median over those after the first that fill no pipeline; of a lone epoch its own",
        kTimed},
       "time"},
      {{"mean_epoch_seconds", "epoch, mean", Unit::seconds,
        "time of an epoch, mean over those after the first that fill no pipeline; of a lone epoch its own",
        kTimed},
       "time"},
      {{"epochs_per_second", "epochs/s", Unit::plain,
        "1 ÷ `mean_epoch_seconds`; of recordings of earlier versions 1 ÷ `epoch_seconds`", kTimed},
       "time"},
      {{"loss", "loss, last", Unit::plain,
        "loss of the last epoch that measured it, in nats; NULL where that is no number"},
       "learning"},
      {{"train", "train score, last", Unit::plain,
        "score of the training split in the last epoch that measured it: accuracy, or F1-micro for "
        "multi-label"},
       "learning"},
      {{"valid", "valid score, last", Unit::plain,
        "score of the validation split in the last epoch that measured it: accuracy, or F1-micro for "
        "multi-label"},
       "learning"},
      {{"test", "test score, last", Unit::plain,
        "score of the test split in the last epoch that measured it: accuracy, or F1-micro for multi-label"},
       "learning"},
      {{"best_valid", "valid score, best", Unit::plain, "best score of the validation split"}, "learning"},
      {{"test_at_best_valid", "test score there", Unit::plain,
        "score of the test split in epoch `best_epoch`"},
       "learning"},
      {{"best_epoch", "epoch of that", Unit::plain, "epoch with the best score of the validation split"},
       "learning"},
  };
}

std::vector<RunMetric> shares() {
  return {
      {{"compute_share", "computing, share of the epochs", Unit::plain,
        "time inside kernels ÷ (wall time of epochs that fill no pipeline × workers)", kTimed},
       "share"},
      {{"exchange_wait_share", "waiting in exchanges, share of the epochs", Unit::plain,
        "time of waiting in exchanges ÷ (wall time of epochs that fill no pipeline × workers)", kTimed},
       "share"},
      {{"hidden_share", "hidden under computing, share of the epochs", Unit::plain,
        "time in which a transfer was under way while the worker computed ÷ (wall time of epochs that fill "
        "no pipeline × workers); a "
        "part of `compute_share`",
        kTimed},
       "hiding"},
      {{"hidden_transfer_share", "  share of the time of transfers", Unit::plain,
        "the time of `hidden_share` ÷ the time in which a transfer was under way, whatever the worker did",
        kTimed},
       "hiding"},
      {{"unwaited_share", "on its way and not waited for (before schema 4), share of the epochs", Unit::plain,
        "what recordings before schema 4 call `hidden_share`; transfers also count while the worker sums "
        "weights, quantises or idles",
        kTimed},
       "hiding"},
      {{"synchronise_share", "synchronisation, share of the epochs", Unit::plain,
        "time of waiting for the slowest worker ÷ (wall time of epochs that fill no pipeline × workers)",
        kTimed},
       "share"},
      {{"wait_share", "waiting, share of the epochs", Unit::plain,
        "time of waiting in exchanges and where all meet ÷ (wall time of epochs that fill no pipeline × "
        "workers)",
        kTimed},
       "waiting"},
      {{"exposed_share", "  exposed: wire and queue", Unit::plain, "`wait_wire_share` + `wait_queue_share`",
        kTimed},
       "waiting"},
      {{"wait_wire_share", "  wire", Unit::plain, "part of `wait_share`: bytes were on the wire", kTimed},
       "waiting"},
      {{"wait_queue_share", "  queue: other bytes before it", Unit::plain,
        "part of `wait_share`: other bytes went first", kTimed},
       "waiting"},
      {{"wait_peer_computes_share", "  peer computes", Unit::plain,
        "part of `wait_share`: the sender still computed", kTimed},
       "waiting"},
      {{"wait_quantiser_share", "  peer codes", Unit::plain,
        "part of `wait_share`: the sender still coded rows", kTimed},
       "waiting"},
      {{"wait_late_sender_share", "  late sender", Unit::plain,
        "part of `wait_share`: the sender came late for another reason", kTimed},
       "waiting"},
      {{"wait_late_receiver_share", "  late receiver", Unit::plain,
        "part of `wait_share`: the receiver came late", kTimed},
       "waiting"},
      {{"wait_barrier_or_sum_share", "  barrier or sum", Unit::plain, "part of `wait_share`: where all meet",
        kTimed},
       "waiting"},
      {{"wait_memory_share", "  copies to and from devices", Unit::plain,
        "part of `wait_share`: emulated copies between a device and its host", kTimed},
       "waiting"},
      {{"wait_unknown_share", "  unknown", Unit::plain, "part of `wait_share` without a reason", kTimed},
       "waiting"},
      {{"quantise_share", "quantisation, share of the epochs", Unit::plain,
        "time of encoding and decoding ÷ (wall time of epochs that fill no pipeline × workers)", kTimed},
       "share"},
      {{"rest_share", "rest of the epochs", Unit::plain,
        "what computing, waiting and quantisation leave of 1: `other_share` + `idle_share`; recordings of "
        "before "
        "this metric called it `idle_share`",
        kTimed},
       "share"},
      {{"other_share", "  other, share of the epochs", Unit::plain,
        "time of recording between iterations ÷ (wall time of epochs that fill no pipeline × workers); a "
        "part of `rest_share`",
        kTimed},
       "share"},
      {{"idle_share", "  idle, share of the epochs", Unit::plain,
        "time in which a worker does nothing that is named ÷ (wall time of epochs that fill no pipeline × "
        "workers); a part of "
        "`rest_share`",
        kTimed},
       "share"},
  };
}

std::vector<RunMetric> volumes() {
  return {
      {{"bytes_per_epoch", "volume, mean of epochs", Unit::bytes,
        "bytes sent by all ranks, counted, mean of all epochs"},
       "communication"},
      {{"predicted_bytes_per_epoch", "volume, predicted", Unit::bytes,
        "bytes sent by all ranks by the method's closed form, mean of all epochs"},
       "communication"},
      {{"messages_per_epoch", "messages, mean of epochs", Unit::plain,
        "messages of all ranks, counted, mean of all epochs"},
       "communication"},
      {{"predicted_messages_per_epoch", "messages, predicted", Unit::plain,
        "messages of all ranks by the method's closed form, mean of all epochs"},
       "communication"},
      {{"layer_bytes_per_epoch", "volume in layers", Unit::bytes,
        "`bytes_per_epoch` without what belongs to no layer (the gradients' sum)"},
       "communication"},
      {{"max_layer_bytes_per_epoch", "volume in layers, largest worker", Unit::bytes,
        "`layer_bytes_per_epoch` of the largest worker alone"},
       "communication"},
      {{"layer_messages_per_epoch", "messages in layers", Unit::plain,
        "`messages_per_epoch` without what belongs to no layer (the gradients' sum)"},
       "communication"},
      {{"max_layer_messages_per_epoch", "messages in layers, largest worker", Unit::plain,
        "`layer_messages_per_epoch` of the largest worker alone"},
       "communication"},
      {{"wire_bytes_per_epoch", "volume of the busiest network card, one way", Unit::bytes,
        "what the busiest network card sends to other hosts, or gets from them, whichever is more"},
       "communication"},
      {{"staleness_features", "staleness of features", Unit::plain,
        "error of rows, mean over workers and layers from 1 on, over the last five epochs that measured it"},
       "staleness"},
      {{"staleness_gradients", "staleness of gradients", Unit::plain,
        "error of gradients, mean over workers and layers from 1 on, over the last five epochs that measured "
        "it"},
       "staleness"},
  };
}

std::vector<RunMetric> work() {
  return {
      {{"flop_per_epoch", "FLOP, mean of epochs", Unit::plain,
        "FLOP of all ranks, counted, mean of all epochs"},
       "memory"},
      {{"max_flop_per_epoch", "FLOP, largest worker", Unit::plain,
        "`flop_per_epoch` of the largest worker alone"},
       "memory"},
      {{"balance", "work, largest / mean", Unit::plain, "FLOP of the worker with most ÷ mean of the workers"},
       "memory"},
      {{"aggregation_seconds_per_epoch", "aggregations of all workers, mean of epochs", Unit::seconds,
        "time that all workers spend in aggregations, but for those of `gat`; mean of all epochs", kTimed},
       "aggregation"},
      {{"aggregation_flop_per_epoch", "  their FLOP", Unit::plain,
        "FLOP of the aggregations of all workers, counted: 2 · nonzeros · width of each"},
       "aggregation"},
      {{"aggregation_least_bytes_per_epoch", "  modelled bytes, each row read once", Unit::bytes,
        "bytes of the aggregations by closed form, not measured: the matrix as stored, each row read once, "
        "and "
        "rows written"},
       "aggregation"},
      {{"aggregation_most_bytes_per_epoch", "  modelled bytes, a row read an arc", Unit::bytes,
        "`aggregation_least_bytes_per_epoch` as it would be with a row read for every arc"},
       "aggregation"},
      {{"replication_factor", "workers that hold a vertex or get its rows, mean", Unit::plain,
        "Σ (`vertices` + `remote`) ÷ Σ `vertices` of table `worker`; 1 where columns of all rows travel"},
       "communication"},
      {{"adjacency_bytes", "propagation matrix, a worker", Unit::bytes,
        "bytes of the propagation matrix on the worker that holds most of it"},
       "memory"},
      {{"stages", "pipeline stages", Unit::plain, "how many batches a phase is cut into"}, "pipeline"},
      {{"bandwidth", "bandwidth of the graph, as ordered", Unit::plain,
        "largest distance of two neighbours in the order of the vertices"},
       "pipeline"},
  };
}

/// Of training in mini-batches.
std::vector<RunMetric> batches() {
  return {
      {iterationSecondsMetric("time of an iteration, median of the recorded ones after the first epoch",
                              kTimed),
       "time"},
      {{"modelled_iteration_seconds", "iteration, modelled", Unit::seconds,
        "modelled time of an iteration, median of the recorded ones after the first epoch"},
       "time"},
      {mtepsMetric("sampled arcs of an iteration ÷ its time ÷ 10^6, median of the recorded ones after the "
                   "first epoch",
                   kTimed),
       "time"},
      {{"sampled_arcs_per_second", "sampled arcs/s of CPU time", Unit::plain,
        "sampled arcs ÷ CPU time of drawing them, all workers", kTimed},
       "time"},
      {{"hit_ratio", "hits of the feature cache", Unit::plain,
        "input rows that a worker's cache had ÷ all that its batches read"},
       "memory"},
      {{"expected_hit_ratio", "  expected", Unit::plain,
        "the same, by the degrees of the vertices that the caches were filled with"},
       "memory"},
      {{"missed_bytes_per_epoch", "  bytes of misses", Unit::bytes,
        "bytes of input rows that no cache had, all workers, mean of all epochs"},
       "memory"},
  };
}

std::vector<RunMetric> memory() {
  return {
      {{"feature_bytes", "feature memory", Unit::bytes, "what buffers of rows hold, of all workers"},
       "memory"},
      {{"memory_features_bytes", "  input features", Unit::bytes, "part of `feature_bytes`: input features"},
       "memory"},
      {{"memory_activations_bytes", "  activations", Unit::bytes, "part of `feature_bytes`: activations"},
       "memory"},
      {{"memory_aggregated_bytes", "  aggregated rows kept for the backward pass", Unit::bytes,
        "part of `feature_bytes`: aggregated rows kept for the backward pass"},
       "memory"},
      {{"memory_gradients_bytes", "  gradients of rows", Unit::bytes,
        "part of `feature_bytes`: gradients of rows"},
       "memory"},
      {{"memory_exchange_bytes", "  rows on their way", Unit::bytes,
        "part of `feature_bytes`: rows on their way, and copies packed to leave"},
       "memory"},
      {{"memory_history_bytes", "  older copies of rows", Unit::bytes,
        "part of `feature_bytes`: older copies of rows"},
       "memory"},
      {{"peak_rss_bytes", "peak memory, a worker", Unit::bytes,
        "most memory that the largest worker's process had"},
       "memory"},
      {{"partition_seconds", "partitioning", Unit::seconds, "time that the partitioner took", kTimed},
       "time"},
      {{"partition_batches", "batches partitioned by", Unit::plain,
        "batches whose nets `stochastic-hypergraph` divided"},
       "time"},
      {{"partition_batches_by_nets", "  for the nets needed", Unit::plain,
        "batches that have the nets which bound the error of a volume, (14) of P2P-GCN"},
       "time"},
      {{"partition_batches_by_arcs", "  to meet arcs", Unit::plain,
        "batches that meet each arc 9 times on average"},
       "time"},
      {{"dropped_spans", "spans that did not fit", Unit::plain,
        "spans of all workers that did not fit the ring"},
       "memory"},
      {{"recorder_share", "recording, share of the epochs' time", Unit::plain,
        "time of recording ÷ the epochs' time", kTimed},
       "time"},
  };
}

}  // namespace

const std::vector<RunMetric>& metricsOfRuns() {
  static const std::vector<RunMetric> all = [] {
    std::vector<RunMetric> runMetrics;
    for (const auto& part : {timesAndScores(), shares(), volumes(), work(), batches(), memory()})
      runMetrics.insert(runMetrics.end(), part.begin(), part.end());
    return runMetrics;
  }();
  return all;
}

}  // namespace halo
