#include "app/window/runs/run_banner.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("what a strip says stands out from it in both themes, and red from amber", "[window][palette]") {
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  for (const bool failed : {true, false}) {
    const BannerColors colors = bannerColors(theme, failed);
    CHECK(contrast(colors.text, colors.strip) >= kBannerContrast);
    CHECK(contrast(colors.link, colors.strip) >= kBannerContrast);
    CHECK(contrast(colors.edge, colors.strip) >= 3);
  }
  CHECK(bannerColors(theme, true).strip != bannerColors(theme, false).strip);
}

TEST_CASE("a strip tells of a failed run or of a pause, and a failed start stays in front", "[window]") {
  Session session;
  RunBanner banner(session);
  RunData run;
  run.run.id = 3;
  run.run.status = "running";
  session.setRun(run);
  CHECK(banner.isHidden());
  banner.showPaused(true);
  CHECK_FALSE(banner.isHidden());
  CHECK(banner.text().contains(RunBanner::kResumeLink));
  banner.showPaused(false);
  CHECK(banner.isHidden());
  run.run.status = "failed";
  run.run.error = "rank 1 was ended by signal 9";
  session.setRun(run);
  CHECK(banner.text().startsWith("✗ Run 3 failed: rank 1 was ended by signal 9. <a"));
  CHECK_FALSE(banner.isHidden());
  for (const Theme theme : {Theme::dark, Theme::light}) {  // while it is shown
    banner.setTheme(theme);
    CHECK(banner.text().contains("color: " + QColor(bannerColors(theme, true).link).name()));
  }
  run.run.error = "the card does not build:\nline <1>\x1b[2J";
  session.setRun(run);
  CHECK(banner.text().startsWith("✗ Run 3 failed: the card does not build:<br>line &lt;1&gt;␛[2J. <a"));
  banner.showPaused(true);  // of a run beside it
  CHECK(banner.text().contains("paused"));
  banner.showPaused(false);
  CHECK(banner.text().startsWith("✗ Run 3 failed"));
  banner.showFailedStart("no room", /*elsewhere=*/false);
  session.setRun(run);
  banner.showPaused(true);
  CHECK(banner.text().startsWith("✗ Not started: no room"));
  banner.forgetFailedStart();
  CHECK(banner.isHidden());
}
