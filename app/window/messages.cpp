#include "app/window/messages.h"

#include <QStatusBar>
#include <algorithm>

namespace halo {

void Messages::say(const QString& sentence) {
  constexpr int kShownMs = 15'000;
  bar_.showMessage(sentence, kShownMs);
}

void Messages::addProblem(const QString& problem) {
  if (std::ranges::find(kept_, problem.toStdString(), &Problem::message) != kept_.end()) return;
  kept_.push_back({.message = problem.toStdString()});
  setOfExperiment({});
}

void Messages::sayProblem(const QString& problem) {
  addProblem(problem);
  say(problem);
}

void Messages::setOfExperiment(const std::vector<Problem>& problems) {
  std::vector<Problem> all = problems;
  all.insert(all.end(), kept_.begin(), kept_.end());
  emit session_.problemsFound(all);
}

}  // namespace halo
