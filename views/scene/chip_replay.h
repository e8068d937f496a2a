#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// A recorded run that was simulated again from its own work and messages, perhaps on another link or with
/// other workers. Times are of an epoch.
struct ChipReplay {
  std::int64_t run = 0;  // that is replayed
  bool changed = false;
  double seconds = 0, measuredSeconds = 0;
  std::optional<double> unchangedSeconds = {};  // of that run replayed as it was; none: nobody did

  /// By which share an unchanged replay differs from what was measured; none: nobody replayed it so.
  std::optional<double> error() const;
};

/// None where the run is no replay. `parameters` and `latest`: those of the run. Cost: looks at the other
/// simulations of the recording, for the newest unchanged one. Throws as Database.
std::optional<ChipReplay> replayOf(Database& recording, const RunRow& run,
                                   const std::map<std::string, std::string>& parameters,
                                   const std::map<std::string, double>& latest);

/// "+20.0 %", of what `part` is more than `base`.
QString changeText(double part, double base);
/// "an epoch of 60 ms, +20.0 % of 50 ms replayed; the replay itself is −20.0 % of the 62 ms measured". 0: it
/// is not known.
QString replayText(double changed, double unchanged, double measured);
QString replayText(const ChipReplay& replay);

}  // namespace halo
