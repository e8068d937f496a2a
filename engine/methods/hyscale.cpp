// HyScale's hybrid training (Lin and Prasanna, IPDPS 2023): processors and cards of one node train on one
// mini-batch, each on a part of its seeds. Meanwhile later batches are sampled, loaded and transferred.
// Synchronous.
//
//   iteration t:  sample t;  load t − a;  transfer t − b;  propagate t − c, then sum gradients and step
//                 (a, b, c): none (0, 0, 0), one (1, 1, 2), two (1, 2, 3)
//   trainer i:    its B_i seeds, blocks of their own;  g_i of the mean loss;   g = Σ_i (B_i / B) g_i
//
// So the batch, and its gradient, are those of minibatch on one worker with as many seeds.
// A resource manager moves seeds and threads to the longest stage, window by window.
//
// Departures: listings of the mapping and of the resource manager are lost in all copies, and rebuilt from
// the words. Cards are modelled, or stand for threads of this machine. Weights step once, in the host's
// memory, and trainers copy them. On modelled devices in real time a batch is drawn an iteration before its
// sampling, so that its times are known.
#include "engine/hybrid/node_metrics.h"
#include "engine/methods/hyscale/method.h"
#include "engine/methods/hyscale/settings.h"
#include "engine/methods/minibatch/batch_entry.h"

namespace halo {
namespace {

std::vector<Metric> figures() {
  std::vector<Metric> figures = {
      cpuShareMetric(),
      decisionsMetric(),
      windowsToRestMetric(),
      {"late_share", "tasks later than modelled, share", Metric::Unit::plain,
       "tasks that ended more than 200 µs and 2 % of their dilated time after they were planned to", true},
      {"card_memory_bytes", "memory allocated on cards", Metric::Unit::bytes,
       "buffers of cards of OpenCL, all cards together"},
      {"card_bytes_up_per_epoch", "bytes to cards in an epoch", Metric::Unit::bytes,
       "features, weights and blocks that went to cards of OpenCL, mean of the epochs"},
      {"card_bytes_down_per_epoch", "bytes from cards in an epoch", Metric::Unit::bytes,
       "outputs and gradients that came from cards of OpenCL, mean of the epochs"},
      prefetchHiddenShareMetric()};
  for (Metric& error :
       predictionErrorMetrics("predicted ÷ measured", "with modelled devices one model against another"))
    figures.push_back(std::move(error));
  return figures;
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"hyscale", "processors and cards of one node train on parts of a mini-batch",
                  "HyScale, IPDPS 2023", hyscale::kParameters},
                 figures());
  std::erase_if(entry.figures, [](const Metric& figure) { return figure.key == "seed_imbalance"; });
  entry.distributed = false;
  entry.make = hyscale::makeMethod;
  entry.predict = [](const VolumeRequest&) -> std::vector<PredictedVolume> { return {}; };
  entry.style = [](const RunSettings&, int) -> MethodStyle {
    return {.unknown = "its stages are of one node; [[simulate]] with `platform` lays them out"};
  };
  entry.reductions = nullptr;
  entry.draw = nullptr;
  entry.attends = false;
  entry.refuse = hyscale::refuseRun;
  entry.refuseData = hyscale::refuseDataset;
  return entry;
}

const Registered<MethodEntry> self{entry()};

}  // namespace
}  // namespace halo
