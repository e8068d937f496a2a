#pragma once

#include <QObject>
#include <QStringList>

#include "app/window/experiment_desk.h"
#include "app/window/runs/recording_desk.h"
#include "app/window/scene_desk.h"
#include "views/view_registry.h"

namespace halo {

/// Opens recordings, experiments and scenes, which it tells apart by their endings, on the desk of each.
class FileOpener : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the opener does.
  FileOpener(RecordingDesk& recordings, ExperimentDesk& experiments, SceneDesk& scenes, RecentFiles& recent,
             Messages& messages, const WindowPlaces& places);

  void open(const QString& file);
  /// The first recording or scene and the first experiment of them. The last runs of further recordings are
  /// compared with that of the first; of the others it is said how to open them.
  void openSeveral(const QStringList& files);
  /// The bundled recording is copied first: runs may then be added to it. Where nothing can be kept it is
  /// only read.
  void openSample();
  /// Opens the recording or scene that was open last, as far as it is still there. The experiment is opened
  /// too, if that was opened or saved after it. Where nothing is left, the sample is opened.
  void openLast();

 signals:
  /// Where what was opened is looked at.
  void perspectiveWanted(halo::Perspective perspective);
  /// The figures of its runs are looked at.
  void sceneOpened();
  void problemsWanted();

 private:
  void openRecording(const QString& file, std::int64_t run = 0);
  void compareLastRuns(const QStringList& opened, const QStringList& further);

  RecordingDesk& recordings_;
  ExperimentDesk& experiments_;
  SceneDesk& scenes_;
  RecentFiles& recent_;
  Messages& messages_;
  const WindowPlaces& places_;
};

}  // namespace halo
