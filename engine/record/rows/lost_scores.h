#pragma once

#include <string>

namespace halo {

/// The parameter of a run in how many of its epochs a score was measured and is no number, where any was.
inline constexpr const char* kLostScoreEpochs = "result.lost_score_epochs";

/// SQL for the columns loss, train, valid and test of table epoch, in this order and under these names.
/// SQLite keeps NaN as NULL. A NULL that was measured becomes 'NaN' again. That is any loss, and a score that
/// was due in its epoch, of a split that table latest knows. A score that nobody measured stays NULL.
std::string lossAndScoresSql();

}  // namespace halo
