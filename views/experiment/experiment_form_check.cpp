// Whether the experiment of the form can run: its text as soon as one pauses, then what it reads.
#include <QFileInfo>
#include <QLabel>
#include <algorithm>

#include "views/experiment/experiment_field.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"

namespace halo {

namespace {

/// "2 runs", "1 run and 3 simulations".
QString countText(int runs, int simulations) {
  QStringList parts;
  if (runs > 0 || simulations == 0) parts << QString("%1 run%2").arg(runs).arg(runs == 1 ? "" : "s");
  if (simulations > 0) parts << QString("%1 simulation%2").arg(simulations).arg(simulations == 1 ? "" : "s");
  return parts.join(" and ");
}

QString problemsText(std::size_t count) {
  return QString("%1 problem%2").arg(count).arg(count == 1 ? "" : "s");
}

bool readsElsewhere(const Experiment& experiment) {
  return std::ranges::any_of(experiment.runs,
                             [](const RunSettings& run) { return run.cluster.launcher != "local"; });
}

}  // namespace

void ExperimentForm::setLook(const QString& program, std::function<QString()> recording) {
  program_ = program;
  recording_ = std::move(recording);
}

std::vector<Problem> ExperimentForm::problems() {
  commitFields();
  if (checkSoon_.isActive()) check();
  return problems_;
}

void ExperimentForm::check() {
  forgetCheck();
  checkSoon_.stop();
  problems_.clear();
  int runs = 0, simulations = 0;
  bool elsewhere = false;
  const std::string name = file_.isEmpty() ? "experiment" : file_.toStdString();
  try {
    if (known_) {
      const Experiment read = parseExperiment(text().toStdString(), name, known_->known());
      runs = static_cast<int>(read.runs.size());
      simulations = static_cast<int>(read.simulations.size());
      elsewhere = readsElsewhere(read);
    }
  } catch (const InputError& error) {
    problems_ = error.problems();
  } catch (const std::exception& error) {
    problems_.push_back({.file = name, .message = error.what()});
  }
  list_->showProblems(problems_);
  list_->setVisible(!problems_.empty());
  counted_ = countText(runs, simulations);
  if (!known_)
    verdict_->setText("✗ Nothing is known of methods and models, so this cannot be checked.");
  else if (!problems_.empty())
    verdict_->setText("✗ " + problemsText(problems_.size()) + "; press Enter on one to go there.");
  else if (elsewhere)
    notLooked("another machine reads them when a run starts");
  else if (program_.isEmpty())
    notLooked("there is no program to ask");
  else
    lookAtFiles();
  emit checked(static_cast<int>(problems_.size()), runs + simulations);
}

/// What is shown of a check would be of another text, or of files that may have changed.
void ExperimentForm::forgetCheck() {
  lookSoon_.stop();
  look_.forget();
  verdict_->setToolTip({});
  verdict_->setText("Checking…");
  if (problems_.empty()) list_->hide();  // it has what is wrong with files
}

void ExperimentForm::lookAtFiles() {
  verdict_->setText("No problem in the text of " + counted_ + "; looking at its data files…");
  if (isVisible()) lookSoon_.start();
}

void ExperimentForm::askForFiles() {
  look_.ask({program_, recording_(), text(), file_.isEmpty() ? QString() : QFileInfo(file_).absolutePath()});
}

void ExperimentForm::notLooked(const QString& why) {
  verdict_->setText("No problem in the text of " + counted_ + ". Its data files were not looked at: " + why +
                    '.');
}

void ExperimentForm::takeLook(const FilesLook::Answer& answer) {
  const qsizetype count = answer.sentences.size();
  if (answer.verdict == FilesLook::Verdict::unknown) return notLooked(answer.sentences.join(' '));
  if (answer.verdict == FilesLook::Verdict::sound) {
    verdict_->setText("✓ Ready: " + counted_ + '.' +
                      (count == 0
                           ? QString()
                           : QString(" Point here for %1 remark%2.").arg(count).arg(count == 1 ? "" : "s")));
    return verdict_->setToolTip(answer.sentences.join('\n'));
  }
  std::vector<Problem> wrong;
  for (const QString& sentence : answer.sentences) wrong.push_back({.message = sentence.toStdString()});
  list_->showProblems(wrong);
  list_->show();
  verdict_->setText("✗ " + problemsText(wrong.size()) + " with what it reads.");
}

/// Files may have changed since it was seen.
void ExperimentForm::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  check();
}

}  // namespace halo
