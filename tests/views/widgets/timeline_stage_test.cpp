// What the timeline and its session tell each other.
#include "views/widgets/timeline_stage.h"

#include <QSignalSpy>
#include <catch2/catch.hpp>

#include "views/timeline/timeline_view.h"

using namespace halo;

TEST_CASE("what if is asked of the session by the timeline", "[views][timeline]") {
  Session session;
  TimelineStage stage(session);
  QSignalSpy asked(&session, &Session::whatIfWanted);
  emit stage.findChild<TimelineView*>()->canvas().whatIfWanted();
  CHECK(asked.count() == 1);
}
