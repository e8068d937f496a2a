#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QString>
#include <vector>

#include "views/recording/time_window.h"
#include "views/spans/message_arrows.h"

namespace halo {

/// Reads the messages of the runs that the timeline shows, for the time that it shows and some more, on
/// another thread. A newer question wins.
class ArrowReader : public QObject {
  Q_OBJECT
 public:
  /// A run of the timeline, and where one of its epochs begins there: times are moved as its spans were.
  struct Source {
    QString recording;
    std::int64_t run = 0;
    std::int32_t block = 0;
    std::int64_t epoch = 0, epochNs = 0;
    bool operator==(const Source&) const = default;
  };

  explicit ArrowReader(QObject* parent = nullptr);
  ~ArrowReader() override;

  /// Answers arrowsRead, unless what was read last holds the answer.
  void ask(std::vector<Source> sources, TimeRange visible);
  /// What is read now counts no more.
  void forget();
  bool settled() const { return !isReading_; }

 signals:
  void arrowsRead(const std::vector<halo::MessageArrow>& arrows, bool tooMany);

 private:
  void read();

  std::vector<Source> sources_;
  TimeRange range_;  // that was asked for last
  QFutureWatcher<FoundArrows> watcher_;
  bool isReading_ = false, again_ = false;
};

}  // namespace halo
