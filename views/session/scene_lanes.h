#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "views/scene/alignment.h"
#include "views/session/feed.h"
#include "views/spans/timeline_blocks.h"

namespace halo {

/// The spans of the runs that are compared with the shown one, moved on its axis of time as the scene aligns
/// them. Of a chip with several seeds its first run. Nothing while the shown run is in no chip.
class SceneLanes : public QObject {
  Q_OBJECT
 public:
  explicit SceneLanes(QObject* parent = nullptr) : QObject(parent) {}

  /// The shown run, and what is compared; runs that stay where they are aren't read again.
  void show(const QString& recording, std::int64_t run, const SceneData& scene);

  /// The heading of the shown run; it has no model here.
  const TimelineBlock& first() const { return first_; }
  std::vector<TimelineBlock> others() const;
  /// What the timeline has at a place below the shown run, from 1; null where there is none.
  const TimelineBlock* at(std::int32_t block) const;
  /// The place among the chips of the run at a place of the timeline, 0 being the shown run, and the reverse.
  /// None where that run is in no chip, or the chip's runs are not in the timeline.
  std::optional<std::size_t> chipOf(std::int32_t block) const;
  std::optional<std::int32_t> blockOf(std::size_t chip) const;
  /// Of the shown run.
  const QString& recording() const { return recording_; }
  /// Recording and run at a place below the shown one, from 1; none where there is none.
  std::optional<std::pair<QString, std::int64_t>> runAt(std::int32_t block) const;
  /// Nothing more of the runs is shown until they go on; of one that is only just opened, what it had then.
  void setPaused(bool paused);
  /// Some of them may still record.
  bool grows() const;
  /// All that stood in the recordings is shown.
  bool settled() const;
  /// Runs that are shown no more and still being read.
  std::size_t leaving() const { return leaving_.size(); }

 signals:
  void changed();  // which runs there are, or what is said of one

 private:
  struct Wanted {
    QString recording;
    std::int64_t run = 0;
    QString beside;  // the recording of the shown run
    std::int64_t shown = 0;
    std::optional<Anchor> anchor, shownAnchor;  // none: it never reached the score
    TimeClock clock = TimeClock::modelled;
    bool operator==(const Wanted&) const = default;
  };
  struct Other {
    Wanted what;
    TimelineBlock block;
    bool grows = false;
    bool complete = false;
    TimelineModel model;
    Feed feed{model};
  };

  std::unique_ptr<Other> keep(const Wanted& request, bool grows);
  std::unique_ptr<Other> open(const Wanted& request);
  void leave(std::unique_ptr<Other> other);
  static Shifted shifted(const Wanted& request, Database& recording);

  QString recording_;
  std::vector<std::size_t> chips_;  // of each block from the top; empty: the shown run is in none
  TimelineBlock first_;
  std::vector<std::unique_ptr<Other>> otherBlocks_;
  bool paused_ = false;
  std::vector<std::unique_ptr<Other>> leaving_;  // shown no more; their threads have not rested
};

}  // namespace halo
