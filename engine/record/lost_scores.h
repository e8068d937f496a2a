#pragma once

#include <string>

namespace halo {

/// SQL for the columns loss, train, valid and test of table epoch, in this order and under these names.
/// SQLite keeps NaN as NULL. A NULL that was measured becomes 'NaN' again: any loss, and a score that was due
/// in its epoch, of a split that table latest knows. A score that nobody measured stays NULL.
std::string lossAndScoresSql();

}  // namespace halo
