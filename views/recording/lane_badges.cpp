#include "views/recording/lane_badges.h"

#include <QRegularExpression>

namespace halo {

LaneBadges badgesOf(const RunRow& run) {
  LaneBadges badges;
  if (run.status != "failed" && run.status != "interrupted") return badges;
  const QString status = QString::fromStdString(run.status), error = QString::fromStdString(run.error);
  badges.why = QString("Run %1 %2").arg(run.id).arg(status) + (error.isEmpty() ? "" : ": " + error);
  static const QRegularExpression kLost("^rank ([0-9]{1,9})\\b");
  const QRegularExpressionMatch lost = kLost.match(error);
  badges.everyRank = !lost.hasMatch();
  if (lost.hasMatch()) badges.ranks = {lost.captured(1).toLongLong()};
  return badges;
}

}  // namespace halo
