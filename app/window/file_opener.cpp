#include "app/window/file_opener.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "views/scene/scene_file.h"

namespace halo {

namespace {

bool isScene(const QString& file) { return file.endsWith(kSceneEnding); }
bool isRecording(const QString& file) { return !file.endsWith(".toml"); }
bool isExperiment(const QString& file) { return file.endsWith(".toml") && !isScene(file); }

}  // namespace

FileOpener::FileOpener(RecordingDesk& recordings, ExperimentDesk& experiments, SceneDesk& scenes,
                       RecentFiles& recent, Messages& messages, const WindowPlaces& places)
    : recordings_(recordings),
      experiments_(experiments),
      scenes_(scenes),
      recent_(recent),
      messages_(messages),
      places_(places) {
  connect(&scenes, &SceneDesk::recordingWanted, this, &FileOpener::openRecording);
}

void FileOpener::open(const QString& file) {
  if (isScene(file))
    scenes_.open(file) ? emit sceneOpened() : emit problemsWanted();
  else if (!isExperiment(file))
    openRecording(file);
  else if (experiments_.open(file))
    emit perspectiveWanted(Perspective::setUp);
}

void FileOpener::openSeveral(const QStringList& files) {
  QStringList opened, left;
  for (const QString& file : files) {
    const auto alike = [&](const QString& other) { return isExperiment(other) == isExperiment(file); };
    const auto before = std::ranges::find_if(opened, alike);
    if (before == opened.end())
      opened << file;
    else if (QFileInfo(file).absoluteFilePath() != QFileInfo(*before).absoluteFilePath() &&
             !left.contains(file))
      left << file;
  }
  for (const QString& file : opened) open(file);
  QStringList further;
  std::ranges::copy_if(left, std::back_inserter(further), isRecording);
  if (!further.isEmpty()) compareLastRuns(opened, further);
  left.removeIf(isRecording);
  for (const QString& file : left)
    messages_.sayProblem(
        file + (isExperiment(file)
                    ? ": not opened, as the form holds one experiment at a time; File ▸ Open… opens "
                      "it in place of the other."
                    : ": not opened, as the window compares one scene at a time; File ▸ Open… "
                      "opens it in place of the other."));
}

/// With the runs of a scene that was opened, else with the last one of the recording that was.
void FileOpener::compareLastRuns(const QStringList& opened, const QStringList& further) {
  for (const QString& file : opened + further)
    if (isRecording(file)) scenes_.compareLast(QFileInfo(file).absoluteFilePath());
}

void FileOpener::openRecording(const QString& file, std::int64_t run) {
  recordings_.open(QFileInfo(file).absoluteFilePath(), run);
  if (QFileInfo::exists(file)) recent_.remember(file);
}

void FileOpener::openSample() {
  if (!QFileInfo::exists(places_.sample))
    return recordings_.refuse(places_.sample +
                              ": the sample recording is not there; make one with `haloscope run " +
                              places_.experiments + "/sample.toml`.");
  const QString copy = QDir(places_.data).filePath("sample.db");
  if (!QFileInfo::exists(copy)) {
    QDir().mkpath(places_.data);
    if (!QFile::copy(places_.sample, copy)) {
      openRecording(places_.sample);
      return messages_.sayProblem(places_.data +
                                  ": cannot be written, so the sample is opened where it is, to read.");
    }
    QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
  }
  openRecording(copy);
}

void FileOpener::openLast() {
  const QStringList files = recent_.present();
  if (files.isEmpty()) return openSample();
  const auto recording = std::ranges::find_if_not(files, isExperiment);
  if (recording != files.end()) open(*recording);
  if (isExperiment(files.first())) open(files.first());
}

}  // namespace halo
