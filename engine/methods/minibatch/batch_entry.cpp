#include "engine/methods/minibatch/batch_entry.h"

#include <utility>

#include "engine/methods/minibatch/batch_trainer.h"
#include "engine/methods/minibatch/drawn_epoch.h"

namespace halo {
MethodStyle batchStyle(const RunSettings& run, int) {
  const Values& values = run.parameters;
  MethodStyle style{.order = ExchangeOrder::pulls};
  if (values.contains("sampler") && values.text("sampler") != kSamplers.front())
    style.unknown = "its batches are laid out in steps with sampler = \"neighbour\" alone";
  if (values.contains("ahead")) style.ahead = static_cast<int>(values.integer("ahead"));
  return style;
}

MethodEntry batchEntry(Declaration declaration, const std::vector<Metric>& figures) {
  MethodEntry entry{
      .declaration = std::move(declaration),
      .probed = false,
      .make = [](WorkerParts& parts, const Values&) -> std::unique_ptr<Method> {
        return std::make_unique<BatchTrainer>(parts);
      },
      .predict = predictPulls,
      .style = batchStyle,
      .sampled = true,
      .reductions = [](const VolumeRequest& request) -> std::int64_t {
        return request.decided.empty() ? 0 : PullTables(request.decided).iterations();
      },
      .draw = [](const DrawRequest& request) { return drawEpoch(request, decidePulls); },
      .exact = false,
      .attends = true,
      .refuse = refuseKeys,
      .autoOrder = "aggregate-first",
      .refuseData = refuseBatches,
      .figures = {{"iterations_per_epoch", "batches of an epoch", Metric::Unit::plain},
                  {"effective_batch", "seeds of all workers in a full iteration", Metric::Unit::plain},
                  {"sampled_arcs_per_epoch", "arcs drawn in an epoch, all workers", Metric::Unit::plain},
                  {"seed_imbalance", "training vertices, largest share / mean", Metric::Unit::plain}}};
  entry.figures.insert(entry.figures.end(), figures.begin(), figures.end());
  return entry;
}

}  // namespace halo
