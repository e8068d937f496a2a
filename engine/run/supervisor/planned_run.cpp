// The row of a run about to start.
#include <unistd.h>

#include "datasets/locate.h"
#include "engine/base/host_name.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/partition/contract/balance_of.h"
#include "engine/record/rows/resolved_keys.h"
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

std::map<std::string, std::string> plannedKeys(const RunSettings& run) {
  std::map<std::string, std::string> keys = run.flat();
  keys[kElementBytes] = std::to_string(sizeof(Scalar));
  if (const MethodEntry* method = find<MethodEntry>(run.method))
    keys[kKeepsLayer0] = cachesLayer0(*method, run.parameters) ? "true" : "false";
  const std::string balance = balanceOf(run.partition.method, run.partition.parameters);
  if (!balance.empty()) keys[kPartsBalance] = balance;
  return keys;
}

}  // namespace halo
