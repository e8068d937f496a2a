// Figures of `latest` that come with the last word of a run's workers, from the tables again. Those of one
// method go by their names, as the manual defines them: recordings know nothing of methods.
#include <algorithm>

#include "engine/record/analysis/rest_share.h"
#include "engine/record/check/figures.h"

namespace halo {
namespace {

/// Seconds of all workers; 0 where there is nothing of them.
double aggregationPerEpoch(Database& database, std::int64_t run) {
  Statement sum(database,
                "SELECT 1e-9 * sum(aggregate_ns) / count(DISTINCT epoch) FROM layer WHERE run_id = ?");
  return sum.bind(run).step() && !sum.isNull(0) ? sum.real(0) : 0;
}

void addWorkers(const std::vector<WorkerRow>& workers, const Figures& latest, Figures& expected) {
  double own = 0, replicas = 0, arcs = 0, most = 0;
  for (const WorkerRow& worker : workers) {
    own += static_cast<double>(worker.vertices);
    replicas += static_cast<double>(worker.vertices + worker.remote);
    arcs += static_cast<double>(worker.nonzeros);
    most = std::max(most, static_cast<double>(worker.nonzeros));
  }
  if (own > 0) expected["replication_factor"] = replicas / own;
  if (latest.contains("arc_imbalance"))  // distgnn
    expected["arc_imbalance"] = arcs > 0 ? most * static_cast<double>(workers.size()) / arcs - 1 : 0;
}

/// Blocks of rows, one a layer, pass, owner and epoch, that are sent to everyone else or not at all.
struct Blocks {
  double blocks = 0, sent = 0, bytes = 0, sentBytes = 0;
};

Blocks blocksOf(Database& database, const CheckedRun& run) {
  Blocks all;
  const auto others = static_cast<double>(run.row.workers - 1);
  // layer 0 that is aggregated once is no training of any epoch
  Statement owners(database, R"sql(
SELECT sum(messages), sum(bytes), (SELECT count(*) FROM epoch WHERE run_id = ?1) FROM message
WHERE run_id = ?1 AND target >= 0 AND layer >= 0 AND NOT (?2 AND layer = 0 AND pass = 'forward')
GROUP BY layer, pass, source HAVING sum(messages) > 0)sql");
  owners.bind(run.row.id).bind(std::int64_t{run.word("run.layer0_cache") == "true"});
  while (owners.step()) {
    const double epochs = owners.real(2), times = owners.real(0) / others;
    all.blocks += epochs;
    all.sent += times;
    all.bytes += owners.real(1) / times * epochs;
    all.sentBytes += owners.real(1);
  }
  return all;
}

/// sancus: every block is sent in the first epoch, and in each later one or not.
void addBroadcasts(Database& database, const CheckedRun& run, const Figures& latest, Figures& expected) {
  if (!latest.contains("broadcasts") || run.row.workers < 2) return;
  const Blocks all = blocksOf(database, run);
  expected["broadcasts"] = all.sent;
  expected["skipped_broadcasts"] = all.blocks - all.sent;
  if (all.bytes > 0) expected["skipped_share"] = (all.bytes - all.sentBytes) / all.bytes;
}

/// adaqp: widths are chosen before an epoch and are those of its messages.
void addAssigned(Database& database, const CheckedRun& run, const Figures& latest, Figures& expected) {
  if (!latest.contains("assigned_bytes")) return;
  Statement sum(database,
                "SELECT sum(bytes) FROM message WHERE run_id = ?1 AND layer >= 0 AND epoch = (SELECT "
                "max(epoch) FROM epoch WHERE run_id = ?1)");
  if (sum.bind(run.row.id).step()) expected["assigned_bytes"] = sum.isNull(0) ? 0 : sum.real(0);
}

/// Nothing travels, so nothing travels hidden.
void addHidden(Database& database, const CheckedRun& run, Figures& expected) {
  Statement any(database, "SELECT 1 FROM message WHERE run_id = ? AND messages > 0 LIMIT 1");
  if (!any.bind(run.row.id).step()) expected["hidden_share"] = 0;
}

}  // namespace

Figures closingFigures(Database& database, const CheckedRun& run, const std::vector<WorkerRow>& workers,
                       const Figures& latest) {
  Figures expected;
  addWorkers(workers, latest, expected);
  double parts = 0;
  for (const auto& [name, value] : latest)
    if (name.starts_with("memory_") && name.ends_with("_bytes")) parts += value;
  if (parts > 0) expected["feature_bytes"] = parts;
  if (latest.contains("aggregation_seconds_per_epoch"))  // not of all kinds of layers
    expected["aggregation_seconds_per_epoch"] = aggregationPerEpoch(database, run.row.id);
  addBroadcasts(database, run, latest, expected);
  addAssigned(database, run, latest, expected);
  if (latest.contains("hidden_share")) addHidden(database, run, expected);
  if (latest.contains(kRestShare) && latest.contains(kOtherShare)) {
    expected[kIdleShare] = latest.at(kRestShare) - latest.at(kOtherShare);
    expected[kIdleShare] = std::max(0.0, expected[kIdleShare]);
  }
  return expected;
}

}  // namespace halo
