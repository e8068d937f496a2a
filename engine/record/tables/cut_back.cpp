#include "engine/record/tables/cut_back.h"

#include <algorithm>

#include "engine/record/tables/spans.h"

namespace halo {

std::int64_t cutBack(Database& database, std::int64_t run, const CutAt& at) {
  for (const char* table : {"epoch", "layer", "message", "waiting", "block", "cache"}) {
    Statement remove(database, std::string("DELETE FROM ") + table + " WHERE run_id = ? AND epoch >= ?");
    remove.bind(run).bind(at.epoch).step();
  }
  for (const char* table : {"iteration", "stage"}) {
    Statement remove(database, std::string("DELETE FROM ") + table +
                                   " WHERE run_id = ? AND (epoch > ? OR (epoch = ? AND iteration >= ?))");
    remove.bind(run).bind(at.epoch).bind(at.epoch).bind(at.iteration).step();
  }
  Statement decisions(database, "DELETE FROM decision WHERE run_id = ? AND decision >= ?");
  decisions.bind(run).bind(at.decision).step();
  Spans(database).dropFrom(run, at.epoch, at.clockNs);
  std::int64_t end = at.clockNs;
  for (const char* last : {"SELECT coalesce(max(begin_ns + wall_ns), 0) FROM epoch WHERE run_id = ?",
                           "SELECT coalesce(max(begin_ns + wall_ns), 0) FROM iteration WHERE run_id = ?",
                           "SELECT coalesce(max(last_ns), 0) FROM span_block WHERE run_id = ?"}) {
    Statement select(database, last);
    select.bind(run).step();
    end = std::max(end, select.integer(0));
  }
  return end;
}

}  // namespace halo
