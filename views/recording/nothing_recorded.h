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

/// Why a run has no spans: no epoch of it was recorded, they are still to come, it ended early, or it was not
/// to record any.
inline QString noSpans(const RunData& data) {
  if (data.run.kind == "training" && data.epochs.empty()) return noEpochs(data.run);
  if (data.run.kind == "simulation" && data.run.status != "completed")
    return nothingOf(data.run, "This simulation has written no lanes yet.",
                     "This simulation is %1, and wrote no lanes.");
  const auto key = data.parameters.find("record.spans");
  const QString which =
      key == data.parameters.end() ? QString() : QString::fromStdString(key->second).remove('"');
  if (data.run.status == "running" && !which.isEmpty() && which != "none")
    return QString("%1 epochs have finished, and no spans of them have come yet. record.spans is \"%2\".")
        .arg(data.epochs.size())
        .arg(which);
  const QString records =
      data.run.status == "running" ? "This run records no spans" : "This run recorded no spans";
  return records + (which.isEmpty() ? QString() : QString(": record.spans is \"%1\"").arg(which)) +
         ". Set record.spans to \"all\" or \"every 10 epochs\" to have them of the next run.";
}

}  // namespace halo
