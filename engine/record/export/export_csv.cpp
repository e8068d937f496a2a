#include <deque>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/export/csv_text.h"
#include "engine/record/export/export.h"
#include "engine/record/export/output_file.h"
#include "engine/record/rows/lost_scores.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/span_stream.h"
#include "engine/record/trace/span_cycles.h"

namespace halo {
namespace {

struct Table {
  const char* file;
  std::string sql;  // one parameter: the run
};

/// A column of staleness. It was measured where the same exchange has it in another epoch. In an epoch that
/// lost its loss too, a NULL of such a column is no number.
std::string stalenessSql(const std::string& column) {
  return "CASE WHEN " + column +
         " IS NULL AND EXISTS(SELECT 1 FROM epoch AS e WHERE e.run_id = layer.run_id AND e.epoch = "
         "layer.epoch "
         "AND e.loss IS NULL) AND EXISTS(SELECT 1 FROM layer AS other WHERE other.run_id = layer.run_id AND "
         "other.rank = layer.rank AND other.layer = layer.layer AND other.pass = layer.pass AND other." +
         column + " IS NOT NULL) THEN 'NaN' ELSE " + column + " END AS " + column;
}

/// What was measured and is no number, NULL in the recording, is NaN here: an empty field was not measured.
const Table kTables[] = {
    {"experiment.csv", "SELECT e.* FROM experiment e JOIN run r ON r.experiment_id = e.id WHERE r.id = ?"},
    {"run.csv", "SELECT * FROM run WHERE id = ?"},
    {"parameter.csv", "SELECT * FROM parameter WHERE run_id = ? ORDER BY key"},
    {"worker.csv", "SELECT * FROM worker WHERE run_id = ? ORDER BY rank"},
    {"epoch.csv", "SELECT run_id, epoch, begin_ns, wall_ns, " + lossAndScoresSql() +
                      ", filling FROM epoch WHERE run_id = ? ORDER BY epoch"},
    {"layer.csv",
     "SELECT run_id, epoch, rank, layer, pass, aggregate_ns, update_ns, activation_ns, loss_ns, "
     "optimizer_ns, "
     "sample_ns, gather_ns, cpu_ns, communication_ns, exchange_wait_ns, synchronise_ns, quantise_ns, "
     "bytes_sent, quantise_bytes, messages, predicted_bytes, flop, " +
         stalenessSql("staleness_absolute") + ", " + stalenessSql("staleness_relative") +
         ", predicted_messages, staleness_cosine, staleness_age FROM layer WHERE run_id = ? ORDER BY epoch, "
         "rank, layer, pass"},
    {"waiting.csv", "SELECT * FROM waiting WHERE run_id = ? ORDER BY epoch, rank, layer, pass"},
    {"iteration.csv",
     "SELECT run_id, epoch, iteration, begin_ns, wall_ns, modelled_ns, CASE WHEN loss IS NULL AND seeds > 0 "
     "AND "
     "(SELECT kind FROM run WHERE id = run_id) = 'training' THEN 'NaN' ELSE loss END AS loss, seeds, arcs, "
     "bytes_sent, messages FROM iteration WHERE run_id = ? ORDER BY epoch, iteration"},
    {"block.csv", "SELECT * FROM block WHERE run_id = ? ORDER BY epoch, rank, layer"},
    {"cache.csv", "SELECT * FROM cache WHERE run_id = ? ORDER BY epoch, rank"},
    {"actor.csv", "SELECT * FROM actor WHERE run_id = ? ORDER BY actor"},
    {"stage.csv",
     "SELECT * FROM stage WHERE run_id = ? ORDER BY epoch, iteration, instr('samploadtranpropsync', "
     "substr(stage, 1, 4)), actor"},
    {"decision.csv", "SELECT * FROM decision WHERE run_id = ? ORDER BY decision"},
    {"message.csv", "SELECT * FROM message WHERE run_id = ? ORDER BY epoch, layer, pass, source, target"},
    {"latest.csv",
     "SELECT run_id, CASE WHEN metric = 'idle_share' AND NOT EXISTS(SELECT 1 FROM latest AS other WHERE "
     "other.run_id = latest.run_id AND other.metric = 'other_share') THEN 'rest_share' ELSE metric END AS "
     "metric, ifnull(value, 'NaN') AS value FROM latest WHERE run_id = ? ORDER BY metric"},
    {"component.csv", "SELECT * FROM component WHERE run_id = ? ORDER BY device, component"},
    {"artifact.csv",
     "SELECT run_id, name, media_type, length(bytes) AS size_bytes FROM artifact WHERE run_id = ? ORDER BY "
     "name"}};
constexpr const char* kSpansFile = "spans.csv";

void writeValue(OutputFile& out, const Statement& row, int column, CsvFor reader) {
  switch (row.type(column)) {
    case ValueType::none:
      return;
    case ValueType::integer:
      out << row.integer(column);
      return;
    case ValueType::real:
      out << row.real(column);
      return;
    case ValueType::text:
      if (row.isOfNumbers(column)) row.requireNumber(column);
      out << csvText(row.blob(column), reader);
      return;
  }
}

void writeTable(Database& database, std::int64_t run, const Table& table, CsvFor reader, OutputFile& out) {
  Statement select(database, table.sql);
  select.bind(run);
  for (int c = 0; c < select.columns(); ++c)
    out << (c > 0 ? "," : "") << csvText(select.columnName(c), reader);
  out << '\n';
  while (select.step()) {
    for (int c = 0; c < select.columns(); ++c) {
      if (c > 0) out << ',';
      writeValue(out, select, c, reader);
    }
    out << '\n';
  }
  out.flush();
}

std::vector<std::string> writeSpans(Database& database, std::int64_t run, OutputFile& out) {
  const auto artifact = Runs(database).artifact(run, kCyclesArtifact);
  const std::string cyclesText = artifact ? artifact->bytes : "";
  SpanCycles cycles(cyclesText);
  const bool acts = !Hybrid(database).actors(run).empty();
  out << "run_id,rank,lane,begin_ns,duration_ns,kind,name,layer,pass,epoch,peer,bytes"
      << (artifact ? ",begin_cycle,cycles" : "") << (acts ? ",actor\n" : "\n");
  const auto write = [&](const SpanOwner& owner, Lane lane, const Span& span) {
    const std::int64_t rank = owner.rank;
    out << run << ',' << rank << ',' << text(lane) << ',' << span.beginNs << ',' << span.durationNs << ',';
    out << text(span.kind) << ',' << text(span.name) << ',' << std::int64_t{span.layer} << ','
        << text(span.pass);
    out << ',' << std::int64_t{span.epoch} << ',' << std::int64_t{span.peer} << ',' << span.bytes;
    if (artifact) {
      out << ',';
      if (const auto place = cycles.cyclesOf(rank, span))
        out << place->begin << ',' << place->count;
      else
        out << ',';
    }
    if (acts) out << ',';
    if (acts && owner.actor) out << *owner.actor;
    out << '\n';
  };
  auto leftOut = forEachOwnedSpan(Spans(database), run, write);
  out.flush();
  return leftOut;
}

void refuseToOverwrite(const std::filesystem::path& folder) {
  std::vector<Problem> problems;
  const auto look = [&](const char* name) {
    if (isTaken(folder / name))
      problems.push_back(
          {.file = (folder / name).string(), .message = "exists already; give another folder, or --force"});
  };
  for (const Table& table : kTables) look(table.file);
  look(kSpansFile);
  if (!problems.empty()) throw InputError(problems);
}

}  // namespace

std::vector<std::string> exportCsv(Database& database, std::int64_t run, const std::filesystem::path& folder,
                                   bool force, CsvFor reader) {
  if (!Runs(database).find(run))
    throw RecordError(onOneLine(database.file().string()) + ": there is no run " + std::to_string(run));
  if (!force) refuseToOverwrite(folder);
  MadeFolders folders;  // goes after the files
  makeFolder(folders, folder);
  const Transaction oneState(database,
                             Hold::read);  // a run still going on is exported as it is now, all tables alike
  // all are written before the first is put in place: a full disk leaves none of them
  std::deque<OutputFile> files;
  for (const Table& table : kTables)
    writeTable(database, run, table, reader, files.emplace_back(folder / table.file));
  auto leftOut = writeSpans(database, run, files.emplace_back(folder / kSpansFile));
  for (OutputFile& file : files) file.close();
  return leftOut;
}

}  // namespace halo
