#pragma once

#include "views/recording/run_data.h"

namespace halo {

/// A simulated run of one device: two engines as ranks.
inline RunData simulatedEngines() {
  RunData run;
  run.run.kind = "simulation";
  run.run.workers = 2;
  run.workers.resize(2);
  run.workers[0].role = "spu: hbm";
  run.workers[1].rank = 1;
  run.workers[1].role = "spu: adders";
  return run;
}

}  // namespace halo
