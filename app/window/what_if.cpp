#include "app/window/what_if.h"

#include <cmath>

#include "views/look/units.h"

namespace halo {

namespace {

QString number(double value) { return QString::number(value, 'g', 12); }

QString changedKeys(const WhatIf& question) {
  QString text;
  if (!question.preset.isEmpty())
    text += "link = \"" + question.preset + "\"\n";
  else if (question.gbit > 0)
    text += QString("link = { bandwidth_gbit = %1, latency_us = %2 }\n")
                .arg(number(question.gbit), number(question.latencyUs));
  if (question.rank >= 0 && question.speed != 1)
    text += QString("rank_speed = \"%1:%2\"\n").arg(question.rank).arg(number(question.speed));
  if (question.cores > 0) text += QString("cores = %1\n").arg(question.cores);
  return text;
}

QString percent(double part, double base) {
  const double change = 100 * (part / base - 1);
  return QString("%1%2 %").arg(change >= 0 ? "+" : "−").arg(std::abs(change), 0, 'f', 1);
}

}  // namespace

QString whatIfText(const WhatIf& question) {
  const QString replay = QString("[[simulate]]\nreplay = %1\n").arg(question.run);
  QString text =
      QString("schema = 1\nname = \"What if: run %1\"\ntags = [\"what-if\"]\n\n").arg(question.run);
  if (question.asItWas)
    text += "# As it was recorded: how far replays of this run are from what was measured.\n" + replay + "\n";
  if (question.changes() || !question.asItWas) text += replay + changedKeys(question);
  return text;
}

QString whatIfAnswer(double changed, double asItWas, double measured) {
  const double base = asItWas > 0 ? asItWas : measured;
  QString answer = "What if: an epoch of " + formatSeconds(changed);
  if (base > 0)
    answer += QString(", %1 of %2 %3")
                  .arg(percent(changed, base), formatSeconds(base), asItWas > 0 ? "replayed" : "measured");
  if (asItWas > 0 && measured > 0)
    answer += QString("; the replay itself is %1 of the %2 measured")
                  .arg(percent(asItWas, measured), formatSeconds(measured));
  return answer + ".";
}

}  // namespace halo
