#include "engine/record/tables/cut_back.h"

#include <algorithm>

#include "engine/record/tables/spans.h"

namespace halo {

std::int64_t cutBack(Database& database, std::int64_t run, std::int64_t epoch, std::int64_t decision) {
  for (const char* table : {"epoch", "layer", "message", "waiting", "iteration", "block", "cache", "stage"}) {
    Statement remove(database, std::string("DELETE FROM ") + table + " WHERE run_id = ? AND epoch >= ?");
    remove.bind(run).bind(epoch).step();
  }
  Statement decisions(database, "DELETE FROM decision WHERE run_id = ? AND decision >= ?");
  decisions.bind(run).bind(decision).step();
  // what was done for later batches before that epoch is counted in the one before it
  Statement ended(database, "SELECT coalesce(max(begin_ns + wall_ns), 0) FROM epoch WHERE run_id = ?");
  ended.bind(run).step();
  const std::int64_t end = ended.integer(0);
  Spans(database).dropFrom(run, epoch, end);
  Statement last(database, "SELECT coalesce(max(last_ns), 0) FROM span_block WHERE run_id = ?");
  last.bind(run).step();
  return std::max(end, last.integer(0));
}

}  // namespace halo
