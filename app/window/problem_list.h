#pragma once

#include <QString>
#include <vector>

#include "views/session/session.h"

namespace halo {

/// What went wrong since the window opened, each thing once, and what is wrong with the experiment now.
class ProblemList {
 public:
  explicit ProblemList(Session& session) : session_(session) {}

  void add(const QString& message);
  /// Those of the experiment are told before the others, until they are set again.
  void setOfExperiment(const std::vector<Problem>& problems);

 private:
  Session& session_;
  std::vector<Problem> kept_;
};

}  // namespace halo
