#pragma once

#include <filesystem>
#include <vector>

#include "engine/record/database.h"
#include "engine/record/runs.h"

namespace halo {

/// Was cut or written over in its place while it was written: what was lost is nowhere else.
class RecordCut : public RecordUnusable {
  using RecordUnusable::RecordUnusable;
};

/// Reads the file anew and looks whether these rows of runs stand there with all that belongs to them:
/// whoever cuts or writes over a recording while it is written leaves the writer's own view of it whole.
/// Walks over the runs' pages. Throws RecordCut.
void requireReadBack(const std::filesystem::path& file, const std::vector<RunRow>& runs);

}  // namespace halo
