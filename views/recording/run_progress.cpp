#include "views/recording/run_progress.h"

#include <algorithm>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::size_t kLately = 20;  // epochs

std::optional<std::int64_t> plannedEpochs(const RunData& run) {
  const auto planned = run.parameters.find("training.epochs");
  if (planned == run.parameters.end()) return std::nullopt;
  bool isNumber = false;
  const qlonglong epochs = QString::fromStdString(planned->second).toLongLong(&isNumber);
  return isNumber && epochs > 0 ? std::optional<std::int64_t>(epochs) : std::nullopt;
}

}  // namespace

RunProgress progressOf(const RunData& run) {
  RunProgress progress;
  progress.planned = plannedEpochs(run);
  if (run.epochs.empty()) return progress;
  const EpochRow& last = run.epochs.back();
  progress.epochs = last.epoch + 1;
  const std::size_t lately = std::min(kLately, run.epochs.size());
  const EpochRow& first = run.epochs[run.epochs.size() - lately];
  const std::int64_t ns = last.beginNs + last.wallNs - first.beginNs;
  if (ns <= 0) return progress;
  progress.perSecond = static_cast<double>(lately) / (static_cast<double>(ns) * 1e-9);
  if (progress.planned)
    progress.secondsLeft =
        static_cast<double>(std::max<std::int64_t>(0, *progress.planned - progress.epochs)) /
        progress.perSecond;
  return progress;
}

QString progressText(const RunProgress& progress) {
  if (progress.epochs == 0) return {};
  constexpr int kDigits = 3;
  QString text = "epoch " + formatCount(progress.epochs);
  if (progress.planned) text += " of " + formatCount(*progress.planned);
  if (progress.perSecond > 0) text += ", " + formatNumber(progress.perSecond, kDigits) + " epochs/s";
  if (progress.secondsLeft) text += ", time left " + formatSeconds(*progress.secondsLeft, kDigits);
  return text;
}

}  // namespace halo
