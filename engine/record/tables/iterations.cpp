#include "engine/record/tables/iterations.h"

namespace halo {

void Iterations::append(std::int64_t run, const BatchRows& rows) {
  write(run, rows.iterations);
  write(run, rows.blocks);
  write(run, rows.caches);
}

void Iterations::write(std::int64_t run, const std::vector<IterationRow>& rows) {
  if (rows.empty()) return;
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO iteration(run_id, epoch, iteration, begin_ns, wall_ns, modelled_ns, "
      "loss, seeds, arcs, bytes_sent, messages) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const IterationRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.iteration).bind(row.beginNs).bind(row.wallNs);
    row.modelledNs ? insert.bind(*row.modelledNs) : insert.bindNull();
    row.loss ? insert.bind(*row.loss) : insert.bindNull();
    insert.bind(row.seeds).bind(row.arcs).bind(row.bytesSent).bind(row.messages).step();
    insert.reset();
  }
}

void Iterations::write(std::int64_t run, const std::vector<BlockRow>& rows) {
  if (rows.empty()) return;
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO block(run_id, epoch, rank, layer, targets, sources, arcs, nonzeros, "
      "remote_targets, remote_arcs, remote_sources, sample_cpu_ns) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const BlockRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.rank).bind(row.layer);
    for (const std::int64_t value : {row.targets, row.sources, row.arcs, row.nonzeros, row.remoteTargets,
                                     row.remoteArcs, row.remoteSources, row.sampleCpuNs})
      insert.bind(value);
    insert.step();
    insert.reset();
  }
}

void Iterations::write(std::int64_t run, const std::vector<CacheRow>& rows) {
  if (rows.empty()) return;
  Statement insert(db_,
                   "INSERT OR REPLACE INTO cache(run_id, epoch, rank, capacity_rows, hits, misses, "
                   "missed_bytes, expected_hits) VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  for (const CacheRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.rank).bind(row.capacityRows).bind(row.hits).bind(row.misses);
    insert.bind(row.missedBytes).bind(row.expectedHits).step();
    insert.reset();
  }
}

std::vector<IterationRow> Iterations::iterations(std::int64_t run, std::int64_t fromEpoch) const {
  Statement select(db_,
                   "SELECT epoch, iteration, begin_ns, wall_ns, modelled_ns, loss, seeds, arcs, bytes_sent, "
                   "messages FROM iteration WHERE run_id = ? AND epoch >= ? ORDER BY epoch, iteration");
  select.bind(run).bind(fromEpoch);
  std::vector<IterationRow> rows;
  while (select.step()) {
    IterationRow row{.epoch = select.integer(0),
                     .iteration = select.integer(1),
                     .beginNs = select.integer(2),
                     .wallNs = select.integer(3),
                     .modelledNs = {},
                     .loss = {},
                     .seeds = select.integer(6),
                     .arcs = select.integer(7),
                     .bytesSent = select.integer(8),
                     .messages = select.integer(9)};
    if (!select.isNull(4)) row.modelledNs = select.integer(4);
    if (!select.isNull(5)) row.loss = select.real(5);
    rows.push_back(row);
  }
  return rows;
}

std::vector<BlockRow> Iterations::blocks(std::int64_t run, std::int64_t fromEpoch) const {
  Statement select(
      db_,
      "SELECT epoch, rank, layer, targets, sources, arcs, nonzeros, remote_targets, remote_arcs, "
      "remote_sources, sample_cpu_ns FROM block WHERE run_id = ? AND epoch >= ? "
      "ORDER BY epoch, rank, layer");
  select.bind(run).bind(fromEpoch);
  std::vector<BlockRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), select.integer(2), select.integer(3),
                    select.integer(4), select.integer(5), select.integer(6), select.integer(7),
                    select.integer(8), select.integer(9), select.integer(10)});
  return rows;
}

std::vector<CacheRow> Iterations::caches(std::int64_t run, std::int64_t fromEpoch) const {
  Statement select(db_,
                   "SELECT epoch, rank, capacity_rows, hits, misses, missed_bytes, expected_hits FROM cache "
                   "WHERE run_id = ? AND epoch >= ? ORDER BY epoch, rank");
  select.bind(run).bind(fromEpoch);
  std::vector<CacheRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), select.integer(2), select.integer(3),
                    select.integer(4), select.integer(5), select.real(6)});
  return rows;
}

}  // namespace halo
