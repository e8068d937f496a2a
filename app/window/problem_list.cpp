#include "app/window/problem_list.h"

#include <algorithm>

namespace halo {

void ProblemList::add(const QString& message) {
  if (std::ranges::find(kept_, message.toStdString(), &Problem::message) != kept_.end()) return;
  kept_.push_back({"", 0, 0, "", message.toStdString()});
  setOfExperiment({});
}

void ProblemList::setOfExperiment(const std::vector<Problem>& problems) {
  std::vector<Problem> all = problems;
  all.insert(all.end(), kept_.begin(), kept_.end());
  emit session_.problemsFound(all);
}

}  // namespace halo
