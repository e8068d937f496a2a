#pragma once

#include <QLabel>

#include "views/look/palette.h"
#include "views/session/session.h"

namespace halo {

/// Above the views: why the shown run ended, where it did not end well, or why a start came to nothing, which
/// is newer. Of a run nothing but what it says itself: that also tells what is kept.
class RunBanner : public QLabel {
  Q_OBJECT
 public:
  /// The session outlives what the banner does.
  explicit RunBanner(Session& session);

  /// Until another run is shown, or one is started; hidden where `elsewhere` is said why.
  void showFailedStart(const QString& why, bool elsewhere);
  void forgetFailedStart();
  void setTheme(Theme theme);

 private:
  void showRun(const RunRow& run);

  bool ofStart_ = false;  // it tells of a failed start
};

}  // namespace halo
