#pragma once

#include <cstdint>
#include <string>

#include "app/commands/command.h"
#include "engine/run/supervisor.h"

namespace halo {

/// Shows how a batch goes: on a terminal a bar (epoch, loss, score, epochs/s, time left), else a plain line
/// when an epoch ends and ten seconds have passed since the last; with --json every event as an object on
/// standard output.
class ProgressView final : public RunObserver {
 public:
  ProgressView(const Common& common, std::size_t runs, bool terminal);

  void onProgress(const RunRow& run, const std::string& what, double share) override;
  void onStart(const RunRow& run) override;
  void onEpoch(const RunRow& run, const EpochRow& epoch, std::int64_t epochsTotal) override;
  void onLog(const RunRow& run, const std::string& line) override;
  void onFinish(const RunRow& run, const RunOutcome& outcome) override;

 private:
  void redraw(const std::string& line);
  void clear();

  const Common& common_;
  std::size_t runs_, finished_ = 0;
  bool terminal_, drawn_ = false;
  std::int64_t beganNs_ = 0, lastLineNs_ = 0, epochs_ = 0;
};

/// "[#####.....]" of ten cells.
std::string bar(double share);
/// Loss, scores, speed and time left after an epoch.
std::string epochText(const EpochRow& epoch, std::int64_t epochsTotal, double epochsPerSecond);

}  // namespace halo
