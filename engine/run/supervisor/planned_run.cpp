// The row of a run about to start.
#include <unistd.h>

#include "datasets/locate.h"
#include "engine/base/host_name.h"
#include "engine/run/supervisor/supervisor.h"

namespace halo {

RunRow plannedRun(std::int64_t experimentId, const RunSettings& run) {
  RunRow row;
  row.experimentId = experimentId;
  row.name = run.name;
  row.method = run.method;
  row.dataset = calledName(run.dataset.name);  // as once it is read: a run that fails before is named alike
  row.model = run.model.kind;
  row.workers = run.cluster.workers;
  row.seed = static_cast<std::int64_t>(run.training.seed);
  row.host = hostName();
  row.version = HALO_VERSION;
  row.supervisorPid = ::getpid();
  row.fingerprint = run.fingerprint();
  return row;
}

}  // namespace halo
