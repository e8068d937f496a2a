#include "engine/record/tables/hybrid.h"

namespace halo {
namespace {

void bind(Statement& statement, const std::optional<std::int64_t>& value) {
  value ? statement.bind(*value) : statement.bindNull();
}

std::optional<std::int64_t> optionalOf(const Statement& row, int column) {
  if (row.isNull(column)) return std::nullopt;
  return row.integer(column);
}

/// The table's CHECK constraints admit no other word; a damaged file may hold one.
template <class Value>
Value wordOf(std::optional<Value> (*valueOf)(std::string_view), const Statement& row, int column,
             const char* where) {
  if (const auto value = valueOf(row.blob(column))) return *value;
  throw RecordDamaged(std::string(where) + " is '" + row.text(column) +
                      "', which is none of its words; see with `haloscope check` what else is damaged");
}

}  // namespace

void Hybrid::setActors(std::int64_t run, std::span<const ActorRow> rows) {
  if (rows.empty()) return;
  Statement insert(db_,
                   "INSERT OR REPLACE INTO actor(run_id, actor, rank, name, kind, device) "
                   "VALUES(?, ?, ?, ?, ?, ?)");
  for (const ActorRow& row : rows) {
    insert.bind(run).bind(row.actor).bind(row.rank).bind(row.name).bind(text(row.kind));
    insert.bind(text(row.device)).step();
    insert.reset();
  }
}

void Hybrid::append(std::int64_t run, const BatchRows& rows) {
  write(run, rows.stages);
  write(run, rows.decisions);
}

void Hybrid::write(std::int64_t run, const std::vector<StageRow>& rows) {
  if (rows.empty()) return;
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO stage(run_id, epoch, iteration, stage, actor, begin_ns, busy_ns, wait_ns, "
      "modelled_ns, planned_ns, planned_end_ns, predicted_ns, bytes, queued) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const StageRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.iteration).bind(text(row.stage)).bind(row.actor);
    insert.bind(row.beginNs).bind(row.busyNs).bind(row.waitNs);
    for (const auto& ns : {row.modelledNs, row.plannedNs, row.plannedEndNs, row.predictedNs})
      bind(insert, ns);
    insert.bind(row.bytes).bind(row.queued).step();
    insert.reset();
  }
}

void Hybrid::write(std::int64_t run, const std::vector<DecisionRow>& rows) {
  if (rows.empty()) return;
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO decision(run_id, decision, epoch, iteration, action, taken_from, given_to, "
      "cpu_seeds, card_seeds, sample_threads, load_threads, train_threads, card_sample_share, before_ns, "
      "after_ns, outcome) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const DecisionRow& row : rows) {
    insert.bind(run).bind(row.decision).bind(row.epoch).bind(row.iteration).bind(text(row.action));
    insert.bind(text(row.takenFrom)).bind(text(row.givenTo)).bind(row.cpuSeeds).bind(row.cardSeeds);
    insert.bind(row.sampleThreads).bind(row.loadThreads).bind(row.trainThreads).bind(row.cardSampleShare);
    bind(insert, row.beforeNs);
    bind(insert, row.afterNs);
    insert.bind(text(row.outcome)).step();
    insert.reset();
  }
}

std::vector<ActorRow> Hybrid::actors(std::int64_t run) const {
  Statement select(db_, "SELECT actor, rank, name, kind, device FROM actor WHERE run_id = ? ORDER BY actor");
  select.bind(run);
  std::vector<ActorRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), select.text(2),
                    wordOf(actorKindOf, select, 3, "actor.kind"),
                    wordOf(actorDeviceOf, select, 4, "actor.device")});
  return rows;
}

std::vector<StageRow> Hybrid::stages(std::int64_t run, std::int64_t fromEpoch) const {
  Statement select(
      db_,
      "SELECT epoch, iteration, stage, actor, begin_ns, busy_ns, wait_ns, modelled_ns, planned_ns, "
      "planned_end_ns, predicted_ns, bytes, queued FROM stage WHERE run_id = ? AND epoch >= ? "
      "ORDER BY epoch, iteration, CASE stage WHEN 'sample' THEN 0 WHEN 'load' THEN 1 WHEN 'transfer' THEN 2 "
      "WHEN 'propagate' THEN 3 ELSE 4 END, actor");
  select.bind(run).bind(fromEpoch);
  std::vector<StageRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), wordOf(batchStageOf, select, 2, "stage.stage"),
                    select.integer(3), select.integer(4), select.integer(5), select.integer(6),
                    optionalOf(select, 7), optionalOf(select, 8), optionalOf(select, 9),
                    optionalOf(select, 10), select.integer(11), select.integer(12)});
  return rows;
}

std::vector<DecisionRow> Hybrid::decisions(std::int64_t run) const {
  Statement select(
      db_,
      "SELECT decision, epoch, iteration, action, taken_from, given_to, cpu_seeds, card_seeds, "
      "sample_threads, load_threads, train_threads, card_sample_share, before_ns, after_ns, outcome "
      "FROM decision WHERE run_id = ? ORDER BY decision");
  select.bind(run);
  std::vector<DecisionRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), select.integer(2),
                    wordOf(mappingActionOf, select, 3, "decision.action"),
                    wordOf(mappingPartOf, select, 4, "decision.taken_from"),
                    wordOf(mappingPartOf, select, 5, "decision.given_to"), select.integer(6),
                    select.integer(7), select.integer(8), select.integer(9), select.integer(10),
                    select.real(11), optionalOf(select, 12), optionalOf(select, 13),
                    wordOf(decisionOutcomeOf, select, 14, "decision.outcome")});
  return rows;
}

}  // namespace halo
