#include "views/recording/decision_text.h"

#include "views/look/units.h"

namespace halo {

QString decisionText(const MappingChange& change) {
  const auto time = [](std::int64_t ns) { return formatSeconds(static_cast<double>(ns) * 1e-9); };
  QString words = QString::fromStdString(movedText(change));
  const DecisionRow& decision = change.decision;
  if (decision.beforeNs && decision.afterNs)
    words += QString(": %1 → %2").arg(time(*decision.beforeNs), time(*decision.afterNs));
  return words + ", " + QString::fromUtf8(text(decision.outcome).data());
}

}  // namespace halo
