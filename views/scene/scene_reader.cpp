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
  const quint64 question = ++asked_;
  SceneState current = scene_.state();
  if (current.scope != FigureScope::epochs) current.epochs = stretch_;
  QMetaObject::invokeMethod(background_, [this, again, question, state = std::move(current)] {
    if (again) last_.reset();  // also for the question that overtakes this one
    if (question != asked_) return;
    if (last_ && comesToTheSame(last_->state, state))
      last_->state = state;
    else
      last_ = readSceneData(state);
    const auto data = std::make_shared<SceneData>(*last_);
    QMetaObject::invokeMethod(this, [this, question, data] {
      answered_ = std::max(answered_, question);
      if (question == asked_) emit sceneRead(*data);
    });
  });
}

void SceneReader::add(const QString& recording, const std::vector<std::int64_t>& runs) {
  add(recording, [file = recording.toStdString(), runs] { return chipsOf(file, runs); });
}

void SceneReader::addRun(const QString& recording, std::int64_t run) {
  add(recording, [recording, run, chips = scene_.state().chips] {
    for (const Chip& chip : chips) {
      if (chip.recording != recording) continue;
      std::vector<std::int64_t> runs = chip.runs;
      runs.push_back(run);
      std::ranges::sort(runs);
      const Chips alike = chipsOf(recording.toStdString(), runs);
      if (alike.size() == 1 && alike.front().size() == runs.size()) return alike;
    }
    return Chips{{run}};
  });
}

void SceneReader::addLast(const QString& recording) {
  add(recording, [file = recording.toStdString()] { return Chips{lastChipOf(file)}; });
}

void SceneReader::add(const QString& recording, const std::function<Chips()>& read) {
  const quint64 question = ++asked_;
  QMetaObject::invokeMethod(background_, [this, question, recording, read] {
    Chips chips;
    QString problem;
    try {
      chips = read();
    } catch (const std::exception& error) {
      problem = QString::fromUtf8(error.what());
    }
    QMetaObject::invokeMethod(this, [this, question, recording, chips, problem] {
      answered_ = std::max(answered_, question);
      if (!problem.isEmpty()) emit failed(problem);
      for (const std::vector<std::int64_t>& chip : chips)
        if (!scene_.add(recording, chip))
          return emit failed(
              QString("A scene holds %1 configurations; take one away first.").arg(kMostChips));
    });
  });
}

}  // namespace halo
