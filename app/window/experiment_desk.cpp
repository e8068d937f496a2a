#include "app/window/experiment_desk.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>

#include "app/window/declared_names.h"
#include "views/experiment/experiment_form.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"

namespace halo {

namespace {

constexpr const char* kNewExperiment =
    "schema = 1\nname = \"My experiment\"\n\n[dataset]\nname = \"karate\"\n\n[model]\nkind = \"gcn\"\n\n"
    "[training]\nepochs = 50\n\n[cluster]\nworkers = 2\n\n[[run]]\nmethod = \"vanilla\"\n";

}  // namespace

ExperimentDesk::ExperimentDesk(ExperimentForm& form, const Session& session, RecentFiles& recent,
                               Messages& messages, const WindowPlaces& places)
    : form_(form), session_(session), recent_(recent), messages_(messages), places_(places) {}

void ExperimentDesk::teach() {
  if (form_.hasKnown()) return;
  try {
    form_.setKnown(declaredNames(places_.resources));
  } catch (const std::exception& error) {
    messages_.addProblem("Experiments cannot be checked: " + QString::fromUtf8(error.what()));
  }
}

void ExperimentDesk::offer() {
  const bool untouched = form_.file().isEmpty() && !form_.changed() && form_.text() == offered_;
  if (!untouched || session_.state().opening || session_.state().reading) return;
  const std::string& ofRun = session_.run().experimentText;
  offered_ = ofRun.empty() ? QString(kNewExperiment) : QString::fromStdString(ofRun);
  if (form_.text() == offered_) return;
  form_.loadText(offered_);
  if (!ofRun.empty())
    messages_.say(QString("A copy of the experiment of run %1, not saved yet.").arg(session_.run().run.id));
}

bool ExperimentDesk::begin() {
  if (!mayLoseChanges()) return false;
  form_.loadText(kNewExperiment);
  offered_.clear();
  return true;
}

bool ExperimentDesk::open(const QString& file) {
  if (!mayLoseChanges()) return false;
  try {
    form_.load(file);
    recent_.remember(file);
    return true;
  } catch (const std::exception& error) {
    messages_.addProblem(QString::fromUtf8(error.what()));
    return false;
  }
}

bool ExperimentDesk::mayLoseChanges() {
  if (!form_.changed()) return true;
  const auto answer =
      QMessageBox::question(form_.window(), "Haloscope", "The experiment was changed. Save it first?",
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Save) save(false);
  return answer == QMessageBox::Discard || (answer == QMessageBox::Save && !form_.changed());
}

void ExperimentDesk::save(bool ask) {
  QString file = form_.file();
  if (ask || file.isEmpty())
    file = askForFile(form_.window(), {"Save experiment", file.isEmpty() ? "experiment.toml" : file,
                                       "Experiments (*.toml)", true});
  if (file.isEmpty()) return;
  try {
    form_.saveAs(file);
    recent_.remember(file);
  } catch (const std::exception& error) {
    QMessageBox::warning(form_.window(), "Save experiment", plainRich(QString::fromUtf8(error.what())));
  }
}

bool ExperimentDesk::saveForRun() {
  if (!form_.file().isEmpty()) {
    if (form_.changed()) save(false);
    return !form_.changed();
  }
  const QDir folder(QDir(places_.data).filePath("experiments"));
  QString file = folder.filePath("experiment.toml");
  for (int i = 2; QFileInfo::exists(file); ++i) file = folder.filePath(QString("experiment-%1.toml").arg(i));
  QDir().mkpath(folder.path());
  if (!keepAs(file)) save(true);  // elsewhere, then
  return !form_.file().isEmpty() && !form_.changed();
}

bool ExperimentDesk::keepAs(const QString& file) {
  try {
    form_.saveAs(file);
    recent_.remember(file);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace halo
