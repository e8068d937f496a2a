#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/export/csv_text.h"

namespace halo {

/// Writes one CSV file a table (experiment.csv, run.csv, parameter.csv, …) and spans.csv, one row a span,
/// into `folder` (made if absent). The first row names the columns, units included. Text is quoted where it
/// must be (RFC 4180, csv_text.h). No value, and what is not a number, is an empty field; numbers read back
/// exactly. Same recording, same bytes. `force` overwrites; otherwise throws InputError naming every file
/// that is in the way, before anything is written. Throws RecordError if there is no such run or the system
/// says no; DiskFull. Returns a sentence for every damaged block of spans, which is left out.
std::vector<std::string> exportCsv(Database& database, std::int64_t run, const std::filesystem::path& folder,
                                   bool force = false, CsvFor reader = CsvFor::program);

/// Writes the spans of a run as Chrome trace JSON for Perfetto or chrome://tracing; gzip when `file` ends in
/// .gz. Process = rank; thread = lane. What overlaps without nesting goes to further threads of its lane, so
/// every span is one X event and none is lost. Each receive has an arrow, which begins and ends within
/// slices. Times in µs with three decimals, on the run's clock. Streamed: memory grows with the receives
/// alone. `force`, throws, returns: as above.
std::vector<std::string> exportChromeTrace(Database& database, std::int64_t run,
                                           const std::filesystem::path& file, bool force = false);

}  // namespace halo
