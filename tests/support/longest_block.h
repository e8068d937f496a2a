#pragma once

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QObject>
#include <algorithm>

namespace halo {

/// How long the thread that it is made on kept its events waiting at most: from waking up to the next look
/// at its queue.
class LongestBlock {
 public:
  LongestBlock() {
    auto* dispatcher = QAbstractEventDispatcher::instance();
    QObject::connect(dispatcher, &QAbstractEventDispatcher::awake, &context_, [this] { begin(); });
    QObject::connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, &context_, [this] { end(); });
  }
  void restart() { longestNs_ = 0; }
  double milliseconds() const { return static_cast<double>(longestNs_) * 1e-6; }

 private:
  void begin() {
    end();
    clock_.start();
  }
  void end() {
    if (clock_.isValid()) longestNs_ = std::max(longestNs_, clock_.nsecsElapsed());
    clock_.invalidate();
  }

  QObject context_;
  QElapsedTimer clock_;
  qint64 longestNs_ = 0;
};

}  // namespace halo
