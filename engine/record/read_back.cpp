#include "engine/record/read_back.h"

#include "engine/record/database.h"

namespace halo {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& found) {
  throw RecordUnusable(file.string() +
                       ": was cut or written over by another program while it was being written: " + found +
                       "; see with `haloscope check` what is left of it");
}

/// Throws RecordDamaged where they cannot be read.
void readEpochs(Database& database, std::int64_t run) {
  Statement count(database, "SELECT count(*) FROM epoch WHERE run_id = ?");
  count.bind(run).step();
}

}  // namespace

void requireReadBack(const std::filesystem::path& file, const std::vector<RunRow>& runs) try {
  Database database(file, Access::readOnly);
  for (const RunRow& told : runs) {
    const auto found = Runs(database).find(told.id);
    if (!found || found->status != told.status)
      fail(file, "run " + std::to_string(told.id) + " is not in it as it was recorded");
    readEpochs(database, told.id);
  }
} catch (const RecordUnusable&) {
  throw;
} catch (const RecordLocked&) {  // says nothing of what is in it
  throw;
} catch (const DiskFull&) {
  throw;
} catch (const RecordError& error) {
  fail(file, error.what());
}

}  // namespace halo
