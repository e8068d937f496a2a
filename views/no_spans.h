#pragma once

#include <QString>

#include "views/run_data.h"

namespace halo {

/// Why a run has no spans: no epoch of it was recorded, or it was not to record any.
inline QString noSpans(const RunData& data) {
  const QString status = QString::fromStdString(data.run.status);
  if (data.run.kind != "training" || !data.epochs.empty())
    return "This run recorded no spans (record.spans).";
  return status == "queued" || status == "running"
             ? QString("No epoch has finished yet.")
             : QString("This run is %1, and no epoch of it had finished.").arg(status);
}

}  // namespace halo
