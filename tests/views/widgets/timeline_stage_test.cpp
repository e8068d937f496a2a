// What the timeline and its session tell each other.
#include "views/widgets/timeline_stage.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/support/small_recording.h"
#include "tests/views/timeline/two_ranks.h"
#include "views/look/notice.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

TEST_CASE("what if is asked of the session by the timeline", "[views][timeline]") {
  Session session;
  TimelineStage stage(session);
  QSignalSpy whatIfs(&session, &Session::whatIfWanted);
  emit stage.findChild<TimelineView*>()->canvas().whatIfWanted(0);
  CHECK(whatIfs.count() == 1);
}

TEST_CASE("what if of a run below the shown one is asked as soon as that is shown and read",
          "[views][timeline]") {
  const SmallRecording recording(2, 4, 2);
  SceneState state;
  state.chips = {{recording.path(), {1}, 0}, {recording.path(), {2}, 1}};
  Session session;
  TimelineStage stage(session);
  TimelineCanvas& canvas = stage.findChild<TimelineView*>()->canvas();
  session.sceneLanes().show(recording.path(), 2, readSceneData(state));  // which has no epochs
  REQUIRE(QTest::qWaitFor([&] { return session.sceneLanes().settled(); }, 20'000));
  REQUIRE(session.sceneLanes().others().size() == 1);
  const TimelineBlock below = session.sceneLanes().others().front();
  CHECK(below.replays);
  REQUIRE(below.model->epochs().size() == 4);
  std::vector<std::int64_t> wanted;
  QObject::connect(&session, &Session::runWanted, [&](std::int64_t run) { wanted.push_back(run); });
  QSignalSpy whatIfs(&session, &Session::whatIfWanted);
  RunData shown, other;
  shown.run.id = 2;
  other.run.id = 1;
  other.epochs.resize(1);
  other.epochs.front().beginNs = 1000;
  Span span;
  span.beginNs = below.model->epochs().front().beginNs + 500;
  span.durationNs = 20;
  session.window().selectSpan(1, span, 1);
  emit canvas.whatIfWanted(1);
  CHECK(wanted == std::vector<std::int64_t>{1});
  session.chooseRun(other.run);
  QApplication::processEvents();
  CHECK(whatIfs.count() == 0);
  session.setRun(other);
  QApplication::processEvents();
  CHECK(whatIfs.count() == 1);
  REQUIRE(session.window().selectedSpan().has_value());
  CHECK(session.window().selectedSpan()->beginNs == 1500);  // in the run's own time
  CHECK(session.window().selectedRank() == 1);
  CHECK(session.window().selectedBlock() == 0);
  session.setRun(other);  // as it goes on
  QApplication::processEvents();
  CHECK(whatIfs.count() == 1);

  emit canvas.whatIfWanted(1);
  for (const RunData& read : {shown, other}) {  // somebody chose another run meanwhile
    session.chooseRun(read.run);
    session.setRun(read);
    QApplication::processEvents();
  }
  CHECK(whatIfs.count() == 1);
}

TEST_CASE("what if of a run of another recording is asked of that recording, and the shown run stays",
          "[views][timeline]") {
  const SmallRecording first(2, 4), other(4, 4);
  SceneState state;
  state.chips = {{first.path(), {1}, 0}, {other.path(), {1}, 1}};
  Session session;
  TimelineStage stage(session);
  session.sceneLanes().show(first.path(), 1, readSceneData(state));
  REQUIRE(QTest::qWaitFor([&] { return session.sceneLanes().settled(); }, 20'000));
  REQUIRE(session.sceneLanes().others().size() == 1);
  CHECK(session.sceneLanes().others().front().replays);  // so that its menu has the entry
  QSignalSpy runs(&session, &Session::runWanted), here(&session, &Session::whatIfWanted);
  std::vector<std::pair<QString, qint64>> asked;
  std::vector<std::optional<Span>> spans;
  QObject::connect(&session, &Session::otherWhatIfWanted,
                   [&](const QString& recording, qint64 run, const std::optional<Span>& span, qint64) {
                     asked.emplace_back(recording, run);
                     spans.push_back(span);
                   });
  Span span;
  span.kind = Kind::communication;
  session.window().selectSpan(3, span, 1);
  emit stage.findChild<TimelineView*>()->canvas().whatIfWanted(1);
  CHECK(asked == std::vector<std::pair<QString, qint64>>{{other.path(), 1}});
  REQUIRE(spans.at(0).has_value());
  CHECK(spans[0]->kind == Kind::communication);
  CHECK(runs.count() == 0);
  CHECK(here.count() == 0);
}

TEST_CASE("spans of the shown run are selected in the lanes where it is in no chip", "[views][timeline]") {
  Session session;
  TimelineStage stage(session);
  fillTwoRanks(session.lanes());
  std::vector<QWidget*> raised;
  QObject::connect(&session, &Session::frontWanted, [&](QWidget* view) { raised.push_back(view); });
  SpanChoice choice;
  choice.rank = 1;
  choice.epoch = 3;
  emit session.shownSpansWanted(choice);
  CHECK(raised == std::vector<QWidget*>{&stage});
  CHECK(session.window().selectedRank() == 1);
  choice.epoch = 77;
  emit session.shownSpansWanted(choice);
  CHECK(raised.size() == 1);
}

TEST_CASE("a run that records no spans says so and where its epochs are, while it goes on and after",
          "[views][timeline]") {
  Session session;
  TimelineStage stage(session);
  RunsData runs;
  RunData data;
  data.run.id = 1;
  data.run.kind = "training";
  data.run.workers = 2;
  runs.runs = {data.run};
  session.setRuns(std::make_shared<const RunsData>(runs));
  const auto told = [&](const char* status, std::size_t epochs, const char* spans) {
    data.run.status = status;
    data.epochs.resize(epochs);
    data.parameters["record.spans"] = spans;
    session.chooseRun(data.run);
    session.setRun(data);
    OpenState state;
    state.file = true;
    session.setState(state);
    return stage.findChild<Notice*>()->sentence();
  };
  CHECK(told("running", 0, "none").contains("is starting"));
  for (const char* status : {"running", "completed"}) {
    const QString words = told(status, 1176, "none");
    CAPTURE(status, words.toStdString());
    CHECK_FALSE(words.contains("starting"));
    CHECK(words.contains("no spans: record.spans is \"none\""));
    CHECK(words.contains("Set record.spans to \"all\""));
    CHECK(words.contains("Convergence and Ledger"));
  }
  const QString later = told("running", 3, "every 100 epochs");
  CHECK(later.contains("3 epochs have finished, and no spans of them have come yet"));
  CHECK(later.contains("every 100 epochs"));
}
