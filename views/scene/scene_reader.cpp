#include "views/scene/scene_reader.h"

#include <algorithm>
#include <memory>

#include "engine/base/give_way.h"

namespace halo {

SceneReader::SceneReader(Scene& scene, QObject* parent)
    : QObject(parent), scene_(scene), background_(new QObject) {
  qRegisterMetaType<SceneData>();
  background_->moveToThread(&thread_);
  connect(&thread_, &QThread::started, background_, &giveWay);
  connect(&thread_, &QThread::finished, background_, &QObject::deleteLater);
  thread_.start();
  connect(&scene_, &Scene::changed, this, [this] { read(/*again=*/false); });
}

SceneReader::~SceneReader() {
  thread_.quit();
  thread_.wait();
}

void SceneReader::setStretch(const Scope& epochs) {
  if (epochs == stretch_) return;
  stretch_ = epochs;
  if (scene_.state().scope != FigureScope::epochs) read(/*again=*/false);
}

void SceneReader::readAgain() { read(/*again=*/true); }

void SceneReader::read(bool again) {
  const quint64 question = ++questions_;
  SceneState current = scene_.state();
  if (current.scope != FigureScope::epochs) current.epochs = stretch_;
  QMetaObject::invokeMethod(background_, [this, again, question, state = std::move(current)] {
    if (again) last_.reset();  // also for the question that overtakes this one
    if (question != questions_) return;
    if (last_ && comesToTheSame(last_->state, state))
      last_->state = state;
    else
      last_ = readSceneData(state);
    const auto data = std::make_shared<SceneData>(*last_);
    QMetaObject::invokeMethod(this, [this, question, data] {
      answers_ = std::max(answers_, question);
      if (question == questions_) emit sceneRead(*data);
    });
  });
}

void SceneReader::add(const QString& recording, const std::vector<std::int64_t>& runs) {
  ask([file = recording.toStdString(), runs] { return chipsOf(file, runs); },
      [this, recording](const Chips& chips) { put(recording, chips); });
}

void SceneReader::addLast(const QString& recording) {
  ask([file = recording.toStdString()] { return Chips{lastChipOf(file)}; },
      [this, recording](const Chips& chips) { put(recording, chips); });
}

void SceneReader::addRun(const QString& recording, std::int64_t run) {
  if (chipsOfRuns(scene_.state(), recording).contains(run)) return;
  addedRuns_.emplace(recording, run);
  askForRun(recording, run);
}

void SceneReader::removeRun(const QString& recording, std::int64_t run) {
  addedRuns_.erase({recording, run});
  scene_.removeRun(recording, run);
}

/// Which chip a run belongs to depends on the chips there are. Where they changed meanwhile, as by a run
/// that was asked for just before, the answer holds no more.
void SceneReader::askForRun(const QString& recording, std::int64_t run) {
  const std::vector<Chip> before = scene_.state().chips;
  const auto read = [recording, run, before] {
    for (const Chip& chip : before) {
      if (chip.recording != recording) continue;
      std::vector<std::int64_t> runs = chip.runs;
      runs.push_back(run);
      std::ranges::sort(runs);
      const Chips alike = chipsOf(recording.toStdString(), runs);
      if (alike.size() == 1 && alike.front().size() == runs.size()) return alike;
    }
    return Chips{{run}};
  };
  ask(read, [this, recording, run, before](const Chips& chips) {
    if (!addedRuns_.contains({recording, run})) return;
    const bool isThere = chipsOfRuns(scene_.state(), recording).contains(run);
    if (!isThere && scene_.state().chips != before) return askForRun(recording, run);
    addedRuns_.erase({recording, run});
    if (!isThere) put(recording, chips);
  });
}

/// Does not overtake what is being read of the scene: it may come to nothing.
void SceneReader::ask(const std::function<Chips()>& read, const std::function<void(const Chips&)>& take) {
  ++adding_;
  QMetaObject::invokeMethod(background_, [this, read, take] {
    Chips chips;
    QString problem;
    try {
      chips = read();
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(this, [this, take, chips, problem] {
      --adding_;
      if (problem.isEmpty())
        take(chips);
      else
        emit failed(problem);
    });
  });
}

void SceneReader::put(const QString& recording, const Chips& chips) {
  for (const std::vector<std::int64_t>& chip : chips)
    if (!scene_.add(recording, chip))
      return emit failed(QString("A scene holds %1 configurations; take one away first.").arg(kMostChips));
}

}  // namespace halo
