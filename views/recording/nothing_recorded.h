#pragma once

#include <QString>

#include "views/recording/run_data.h"

namespace halo {

/// Why a run has none of something: `yet` while it may still come, `ended` with how it did.
inline QString nothingOf(const RunRow& run, const char* yet, const char* ended) {
  return run.status == "queued" || run.status == "running"
             ? QString(yet)
             : QString(ended).arg(QString::fromStdString(run.status));
}

/// The same of epochs.
inline QString noEpochs(const RunRow& run) {
  return nothingOf(run, "No epoch has finished yet.", "This run is %1, and no epoch of it had finished.");
}

/// Why a run has no spans: no epoch of it was recorded, it ended early, or it was not to record any.
inline QString noSpans(const RunData& data) {
  if (data.run.kind == "training" && data.epochs.empty()) return noEpochs(data.run);
  if (data.run.kind == "simulation" && data.run.status != "completed")
    return nothingOf(data.run, "This simulation has written no lanes yet.",
                     "This simulation is %1, and wrote no lanes.");
  return "This run recorded no spans: [record] spans says which epochs have them.";
}

}  // namespace halo
