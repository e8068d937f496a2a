// Runs of the karate club, small enough to be over in a moment.
#pragma once

#include <filesystem>
#include <string>

#include "engine/methods/contract/method_entry.h"
#include "engine/run/supervisor/supervisor.h"
#include "tests/support/places.h"

namespace halo::test {

inline RunSettings karate(const std::string& method, std::int64_t workers) {
  RunSettings run;
  run.name = "karate";
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.dataset.name = "karate";
  run.model.layers = 3;
  run.model.hidden = 8;
  run.training.epochs = 5;
  run.cluster.workers = workers;
  run.record.staleness = 0;
  return run;
}

inline const SuperviseOptions kWorker{std::filesystem::path(kBinDir) / "haloscope-worker", nullptr};

}  // namespace halo::test
