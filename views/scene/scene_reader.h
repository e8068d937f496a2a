#pragma once

#include <QObject>
#include <QThread>
#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "views/scene/scene_data.h"

namespace halo {

/// Reads what a scene comes to, on a thread of its own, and again after each change. Of several questions at
/// once only the last is answered.
class SceneReader : public QObject {
  Q_OBJECT
 public:
  /// `scene` outlives it.
  explicit SceneReader(Scene& scene, QObject* parent = nullptr);
  ~SceneReader() override;

  /// The epochs that a scene is of whose scope is a stretch of the timeline.
  void setStretch(const Scope& epochs);
  /// Once more, as after a recording has grown. Of a change of the scene only what it touches is read.
  void readAgain();
  /// Adds runs of a recording to the scene, those that differ in their seeds alone as one chip.
  void add(const QString& recording, const std::vector<std::int64_t>& runs);
  /// Adds a run: to the chip of its recording that differs from it in the seed alone, else as a chip of its
  /// own. One that is in a chip already stays there alone.
  void addRun(const QString& recording, std::int64_t run);
  /// Takes a run out of its chips, also one that is still being added.
  void removeRun(const QString& recording, std::int64_t run);
  /// Adds the last run of a recording, with those that differ from it in their seeds alone.
  void addLast(const QString& recording);
  /// Nothing asked for is still being read.
  bool settled() const { return questions_ == answers_ && adding_ == 0; }

 signals:
  void sceneRead(const halo::SceneData& data);
  void failed(const QString& problem);

 private:
  using Chips = std::vector<std::vector<std::int64_t>>;
  void read(bool again);
  void ask(const std::function<Chips()>& read, const std::function<void(const Chips&)>& take);
  void askForRun(const QString& recording, std::int64_t run);
  void put(const QString& recording, const Chips& chips);

  Scene& scene_;
  QThread thread_;
  Scope stretch_;
  QObject* background_;                 // lives on the thread
  std::optional<SceneData> last_;       // touched by the thread only
  std::atomic<quint64> questions_ = 0;  // looked at by the thread, which leaves out what is overtaken
  quint64 answers_ = 0;
  int adding_ = 0;                                        // chips that are still being read
  std::set<std::pair<QString, std::int64_t>> addedRuns_;  // by addRun(), not in the scene yet
};

}  // namespace halo
