#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"

namespace halo {

/// Was cut or written over in its place while it was written: what was lost is nowhere else.
class RecordCut : public RecordUnusable {
  using RecordUnusable::RecordUnusable;
};

/// `fault`: what shows it.
RecordCut recordCut(const std::filesystem::path& file, const std::string& fault);

/// What has to hold before anybody says that a run is recorded: its file is in its place, and holds it. Not
/// of a run that somebody deleted. Throws RecordMoved, RecordCut.
void requireRecorded(Database& database, const RunRow& run);

/// Reads the file anew and looks whether these rows of runs stand there with all that belongs to them.
/// Whoever cuts or writes over a recording while it is written leaves the writer's own view of it whole.
/// Walks over the runs' pages. Throws RecordCut.
void requireReadBack(const std::filesystem::path& file, const std::vector<RunRow>& runs);

}  // namespace halo
