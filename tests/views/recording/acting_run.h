#pragma once

#include "tests/engine/record/acting_rows.h"
#include "views/recording/run_data.h"

namespace halo::acting {

/// Four decisions of a node and two iterations an epoch, 4 ms of the wall each; B 100, 16 threads, dilation
/// 2 (acting_rows.h).
inline RunData run() {
  RunData data;
  data.run.kind = "training";
  data.run.status = "completed";
  data.run.workers = 1;
  data.latest["iterations_per_epoch"] = 2;
  data.parameters["result.batch"] = "100";
  data.parameters["result.dilation"] = "2.0";
  data.actors = kActors;
  data.batches.decisions = decisions();
  for (const std::int64_t step : {0, 1, 2, 3}) {
    const IterationRow row{
        .epoch = step / 2, .iteration = step % 2, .beginNs = step * 4'000'000, .seeds = 100};
    data.batches.iterations.push_back(row);
    for (const StageRow& stage : stagesOf(row)) data.batches.stages.push_back(stage);
  }
  return data;
}

}  // namespace halo::acting
