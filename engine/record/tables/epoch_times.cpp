#include "engine/record/tables/epoch_times.h"

#include "engine/base/plain_text.h"
#include "engine/record/database/database.h"

namespace halo {

void requireTimes(Database& recording, std::int64_t run) {
  for (const std::string column : {"begin_ns", "wall_ns"}) {
    const std::string least = column == "wall_ns" ? " OR wall_ns < 0" : "";
    Statement wrong(recording, "SELECT epoch, substr(quote(" + column +
                                   "), 1, 40) FROM epoch WHERE run_id = ? AND (typeof(" + column +
                                   ") <> 'integer'" + least + ") ORDER BY epoch LIMIT 1");
    if (!wrong.bind(run).step()) continue;
    throw RecordDamaged(onOneLine(recording.file().string()) + ": table epoch, run " + std::to_string(run) +
                        ", epoch " + std::to_string(wrong.integer(0)) + ": " + column + " is " +
                        onOneLine(wrong.text(1)) + "; a time is a whole number of nanoseconds" +
                        (least.empty() ? "" : ", 0 or more"));
  }
}

}  // namespace halo
