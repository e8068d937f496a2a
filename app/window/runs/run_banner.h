#pragma once

#include <QLabel>

#include "views/look/palette.h"
#include "views/session/session.h"

namespace halo {

/// A strip above the views. It tells why the shown run ended, where it did not end well, or why a newer start
/// came to nothing. It also tells that a pause holds back what is drawn. Of a run nothing but what it says
/// itself: that also tells what is kept. Its links are kLogLink and kResumeLink.
class RunBanner : public QLabel {
  Q_OBJECT
 public:
  static constexpr const char* kLogLink = "log";
  static constexpr const char* kResumeLink = "resume";

  /// The session outlives what the banner does.
  explicit RunBanner(Session& session);

  /// Until another run is shown, or one is started; hidden where `elsewhere` is said why.
  void showFailedStart(const QString& why, bool elsewhere);
  void forgetFailedStart();
  void showPaused(bool paused);
  void setTheme(Theme theme);

 private:
  enum class Tells { nothing, failedStart, failedRun, pause };
  void showRun(const RunRow& run);
  void tell(Tells what, const QString& words, const char* link, const QString& linkWords);
  void tellNothing();
  void dress();

  const Session& session_;
  Tells tells_ = Tells::nothing;
  Theme theme_ = Theme::light;
  QString words_, link_;  // %3 in a link: its colour
};

/// What is written on such a strip stands out from it by this contrast at least.
inline constexpr double kBannerContrast = 4.5;
/// The colours of a strip: red of what failed, else amber.
struct BannerColors {
  QRgb strip, edge, text, link;
};
BannerColors bannerColors(Theme theme, bool failed);

}  // namespace halo
