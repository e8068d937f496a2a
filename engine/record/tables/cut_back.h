#pragma once

#include "engine/record/database/database.h"

namespace halo {

/// What a run goes on with: an iteration of an epoch, a decision, and when that was, on its clock.
struct CutAt {
  std::int64_t epoch = 0, iteration = 0, decision = 0, clockNs = 0;
};

/// Takes away what a run recorded of that and all after it, so that the run can go on with it. Also takes
/// away why it waited in that epoch, which is found again. Returns where its clock goes on. In the caller's
/// transaction.
std::int64_t cutBack(Database& database, std::int64_t run, const CutAt& at);

}  // namespace halo
