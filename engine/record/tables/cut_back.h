#pragma once

#include "engine/record/database/database.h"

namespace halo {

/// Takes away what a run recorded of an epoch and all after it, and decisions from this number on, so that it
/// can go on with that epoch. Returns where its clock goes on. In the caller's transaction.
std::int64_t cutBack(Database& database, std::int64_t run, std::int64_t epoch, std::int64_t decision);

}  // namespace halo
