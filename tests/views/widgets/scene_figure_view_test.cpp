// The figure of the chips that a person chooses, and where clicks on it lead.
#include "views/widgets/scene_figure_view.h"

#include <QComboBox>
#include <QSignalSpy>
#include <catch2/catch.hpp>

#include "tests/support/small_recording.h"
#include "views/figure/figure_view.h"
#include "views/session/session.h"

using namespace halo;

TEST_CASE("a click on a cell of the figure of chips asks for its spans", "[views][scene]") {
  const SmallRecording recording(3, 4);
  SceneState state;
  state.chips = {{recording.path(), {1}, 0}};
  Session session;
  SceneFigureView view(session);
  session.setSceneData(readSceneData(state));
  for (QComboBox* choice : view.findChildren<QComboBox*>())
    if (choice->accessibleName() == "What is shown") choice->setCurrentText("traffic");
  FigureView* drawn = nullptr;
  for (FigureView* figure : view.findChildren<FigureView*>())
    if (figure->figure().name == "traffic") drawn = figure;
  REQUIRE(drawn != nullptr);
  std::vector<std::pair<std::size_t, SpanChoice>> wanted;
  QObject::connect(&session, &Session::spansWanted,
                   [&](std::size_t chip, const SpanChoice& choice) { wanted.emplace_back(chip, choice); });
  emit drawn->pointChosen(0, 1 * 3 + 2);
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].first == 0);
  CHECK(wanted[0].second.rank == 2);
  CHECK(wanted[0].second.peer == 1);
  CHECK_FALSE(wanted[0].second.layer.has_value());  // of all
}
