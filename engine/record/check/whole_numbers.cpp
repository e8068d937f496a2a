#include <cstdint>
#include <span>
#include <string>

#include "engine/record/check/checks.h"
#include "engine/record/check/rules.h"

namespace halo {
namespace {

constexpr std::int64_t kAny = INT64_MIN;

/// A column of whole numbers (NULL where the schema admits it) and the least that can stand there.
struct Column {
  const char* name;
  std::int64_t least = 0;
};

constexpr Column kRun[] = {{"workers", 1}, {"seed", kAny}, {"supervisor_pid"}};
constexpr Column kWorker[] = {{"rank"},
                              {"threads", 1},
                              {"vertices"},
                              {"boundary"},
                              {"remote"},
                              {"nonzeros"},
                              {"feature_bytes"},
                              {"peak_rss_bytes"},
                              {"clock_offset_ns", kAny},
                              {"clock_uncertainty_ns"},
                              {"dropped_spans"}};
constexpr Column kEpoch[] = {{"epoch"}, {"begin_ns", kAny}, {"wall_ns"}, {"filling"}};
constexpr Column kLayer[] = {{"epoch"},
                             {"rank"},
                             {"layer", -1},
                             {"aggregate_ns"},
                             {"update_ns"},
                             {"activation_ns"},
                             {"loss_ns"},
                             {"optimizer_ns"},
                             {"sample_ns"},
                             {"gather_ns"},
                             {"cpu_ns"},
                             {"communication_ns"},
                             {"exchange_wait_ns"},
                             {"synchronise_ns"},
                             {"quantise_ns"},
                             {"bytes_sent"},
                             {"quantise_bytes"},
                             {"messages"},
                             {"predicted_bytes"},
                             {"flop"},
                             {"predicted_messages"}};
constexpr Column kWaiting[] = {
    {"epoch"},     {"rank"},      {"layer", -1},        {"late_sender_ns"},    {"late_receiver_ns"},
    {"wire_ns"},   {"queue_ns"},  {"peer_computes_ns"}, {"barrier_or_sum_ns"}, {"quantiser_ns"},
    {"memory_ns"}, {"unknown_ns"}};
constexpr Column kMessage[] = {{"epoch"},    {"layer", -1}, {"source"},          {"target", -1},
                               {"messages"}, {"bytes"},     {"predicted_bytes"}, {"predicted_messages"}};
constexpr Column kIteration[] = {{"epoch"}, {"iteration"}, {"begin_ns", kAny}, {"wall_ns"}, {"modelled_ns"},
                                 {"seeds"}, {"arcs"},      {"bytes_sent"},     {"messages"}};
constexpr Column kBlock[] = {{"epoch"},       {"rank"},           {"layer"},        {"targets"},
                             {"sources"},     {"arcs"},           {"nonzeros"},     {"remote_targets"},
                             {"remote_arcs"}, {"remote_sources"}, {"sample_cpu_ns"}};
constexpr Column kCache[] = {{"epoch"}, {"rank"}, {"capacity_rows"}, {"hits"}, {"misses"}, {"missed_bytes"}};
constexpr Column kActor[] = {{"actor"}, {"rank"}};
constexpr Column kStage[] = {{"epoch"},          {"iteration"},  {"actor"},
                             {"begin_ns", kAny}, {"busy_ns"},    {"wait_ns"},
                             {"modelled_ns"},    {"planned_ns"}, {"planned_end_ns", kAny},
                             {"predicted_ns"},   {"bytes"},      {"queued"}};
constexpr Column kDecision[] = {{"decision"},   {"epoch"},          {"iteration"},    {"cpu_seeds"},
                                {"card_seeds"}, {"sample_threads"}, {"load_threads"}, {"train_threads"},
                                {"before_ns"},  {"after_ns"}};
constexpr Column kSpanBlock[] = {{"rank"}, {"first_ns", kAny}, {"last_ns", kAny}, {"count", 1}, {"actor"}};
constexpr Column kComponent[] = {{"busy_cycles"}, {"stall_cycles"}, {"bytes"}};

/// A table, SQL for where a row of it stands, and its columns of whole numbers.
struct Table {
  const char* name;
  const char* place;
  std::span<const Column> columns;
};
constexpr Table kTables[] = {
    {"(SELECT id AS run_id, workers, seed, supervisor_pid FROM run)", "''", kRun},
    {"worker", "printf('worker %s', rank)", kWorker},
    {"epoch", "printf('epoch %s', epoch)", kEpoch},
    {"layer", "printf('epoch %s, layer %s, pass %s, worker %s', epoch, layer, pass, rank)", kLayer},
    {"waiting", "printf('epoch %s, layer %s, pass %s, worker %s', epoch, layer, pass, rank)", kWaiting},
    {"message",
     "printf('epoch %s, layer %s, pass %s, from worker %s to %s', epoch, layer, pass, source, target)",
     kMessage},
    {"iteration", "printf('epoch %s, iteration %s', epoch, iteration)", kIteration},
    {"block", "printf('epoch %s, layer %s, worker %s', epoch, layer, rank)", kBlock},
    {"cache", "printf('epoch %s, worker %s', epoch, rank)", kCache},
    {"actor", "printf('actor %s', actor)", kActor},
    {"stage", "printf('epoch %s, iteration %s, %s of actor %s', epoch, iteration, stage, actor)", kStage},
    {"decision", "printf('decision %s', decision)", kDecision},
    {"span_block", "printf('row %s of span_block', id)", kSpanBlock},
    {"component", "printf('%s, %s', device, component)", kComponent}};

/// One pass over the table; of a row that is wrong the first wrong column is named.
std::string statementOf(const Table& table) {
  std::string cases;
  for (const auto& [name, least] : table.columns) {
    const std::string column = name, bound = std::to_string(least);
    cases += " WHEN typeof(" + column + ") NOT IN ('integer', 'null')" +
             (least == kAny ? "" : " OR " + column + " < " + bound) + " THEN '" + column +
             " is ' || substr(quote(" + column + "), 1, 40) || '; a whole number" +
             (least == kAny ? "'" : " of " + bound + " or more'");
  }
  return std::string("SELECT run_id, place, said FROM (SELECT run_id, ") + table.place + " AS place, CASE" +
         cases + " END AS said FROM " + table.name + ") WHERE said IS NOT NULL";
}

}  // namespace

void checkWholeNumbers(Database& database, Findings& findings) {
  for (const Table& table : kTables) {
    const std::string sql = statementOf(table), kind = std::string("whole numbers of ") + table.name;
    const Rule rule{kind.c_str(), sql.c_str()};
    applyRules(database, std::span(&rule, 1), findings);
  }
}

}  // namespace halo
