#pragma once

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QObject>
#include <algorithm>
#include <ctime>

namespace halo {

/// How long the thread that it is made on kept its events waiting at most: from waking up to the next look
/// at its queue.
class LongestBlock {
 public:
  LongestBlock() {
    auto* dispatcher = QAbstractEventDispatcher::instance();
    QObject::connect(dispatcher, &QAbstractEventDispatcher::awake, &context_, [this] { begin(); });
    QObject::connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, &context_, [this] { rest(); });
  }
  /// What the thread does from here on keeps events waiting, though it looks at none.
  void begin() {
    rest();
    clock_.start();
    cpuNs_ = threadCpuNs();
  }
  /// The thread has nothing to do and sleeps now.
  void rest() {
    if (clock_.isValid()) {
      longestNs_ = std::max(longestNs_, clock_.nsecsElapsed());
      longestCpuNs_ = std::max(longestCpuNs_, threadCpuNs() - cpuNs_);
    }
    clock_.invalidate();
  }
  void restart() {
    rest();
    longestNs_ = longestCpuNs_ = 0;
  }
  double milliseconds() const { return static_cast<double>(longestNs_) * 1e-6; }
  /// The most that it computed itself between two looks: what remains where other programs leave it alone.
  double cpuMilliseconds() const { return static_cast<double>(longestCpuNs_) * 1e-6; }

 private:
  static qint64 threadCpuNs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }

  QObject context_;
  QElapsedTimer clock_;
  qint64 longestNs_ = 0, longestCpuNs_ = 0, cpuNs_ = 0;
};

}  // namespace halo
