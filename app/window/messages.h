#pragma once

#include <QString>
#include <vector>

#include "views/session/session.h"

class QStatusBar;

namespace halo {

/// What the window says: for a while in the status bar, and to stay in the list of problems. Each problem
/// since the window opened is listed once, behind those that the experiment has now.
class Messages {
 public:
  /// Both outlive what this says.
  Messages(Session& session, QStatusBar& bar) : session_(session), bar_(bar) {}

  void say(const QString& sentence);
  void addProblem(const QString& problem);
  /// Listed, and said at once.
  void sayProblem(const QString& problem);
  /// Instead of those that the experiment had.
  void setOfExperiment(const std::vector<Problem>& problems);

 private:
  Session& session_;
  QStatusBar& bar_;
  std::vector<Problem> kept_;
};

}  // namespace halo
