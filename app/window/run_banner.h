#pragma once

#include <QLabel>

#include "views/look/palette.h"
#include "views/session/session.h"

namespace halo {

/// Above the views: why the shown run ended, where it did not end well. Nothing but what the run itself says:
/// that also tells what is kept.
class RunBanner : public QLabel {
  Q_OBJECT
 public:
  explicit RunBanner(Session& session);

  void setTheme(Theme theme);

 private:
  void showRun(const RunRow& run);
};

}  // namespace halo
