#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "app/commands/command.h"
#include "datasets/graph/dataset.h"
#include "engine/run/supervisor/supervisor.h"

namespace halo {

/// Shows how a batch goes. A terminal gets a bar with epoch, loss, score, epochs/s and time left. Elsewhere a
/// plain line comes when an epoch ends and ten seconds have passed since the last line. With --json every
/// event is an object on standard output.
class ProgressView final : public RunObserver {
 public:
  /// `remarked`: lines on data sets that were said already; none is said twice.
  ProgressView(const Common& common, std::size_t runs, bool terminal, std::set<std::string> remarked);

  void onProgress(const RunRow& run, const std::string& step, double share) override;
  void onRemark(const RunRow& run, const std::string& remark) override;
  void onStart(const RunRow& run) override;
  void onEpoch(const RunRow& run, const EpochRow& epoch, std::int64_t epochsTotal) override;
  void onLog(const RunRow& run, const std::string& line) override;
  void onFinish(const RunRow& run, const RunOutcome& outcome) override;

 private:
  void redraw(const std::string& line);
  void clear();

  const Common& common_;
  std::size_t runs_, finished_ = 0;
  std::set<std::string> remarked_;
  bool terminal_, drawn_ = false;
  std::int64_t beganNs_ = 0, lastLineNs_ = 0, epochs_ = 0;
};

/// A bar on standard error for one long step, where that is a terminal and progress is wished; cleared at the
/// end, whatever that is.
class ProgressBar {
 public:
  explicit ProgressBar(const Common& common);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Draws; empty where nothing is drawn. Refers to this.
  Progress progress();

 private:
  bool drawing_, drawn_ = false;
};

/// With --json a batch that ends outside of a run ends with an event all the same. Such a batch cannot start
/// its workers or open its recording, or misses what was recorded in its place.
void tellUnrecorded(const Common& common, const std::exception& error);

/// "[#####.....]" of ten cells.
std::string bar(double share);
/// Loss, scores, speed and time left after an epoch.
std::string epochText(const EpochRow& epoch, std::int64_t epochsTotal, double epochsPerSecond);

}  // namespace halo
