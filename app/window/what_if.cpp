#include "app/window/what_if.h"

#include "views/scene/chip_replay.h"

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
  if (question.bits > 0) text += QString("bits = %1\n").arg(question.bits);
  if (!question.overlap.isEmpty()) text += "overlap = \"" + question.overlap + "\"\n";
  return text;
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
  return "What if: " + replayText(changed, asItWas, measured) + ".";
}

}  // namespace halo
