#include "app/window/messages.h"

#include <QApplication>
#include <QImage>
#include <QLabel>
#include <QStatusBar>
#include <catch2/catch.hpp>

#include "app/window/message_bar.h"

using namespace halo;

TEST_CASE("a problem is listed once, after those of the experiment", "[window]") {
  Session session;
  QStatusBar bar;
  Messages messages(session, bar);
  std::vector<Problem> problems;
  QObject::connect(&session, &Session::problemsFound,
                   [&](const std::vector<Problem>& all) { problems = all; });
  messages.addProblem("the disk is full");
  messages.addProblem("the disk is full");
  CHECK(problems.size() == 1);
  CHECK(bar.currentMessage().isEmpty());
  messages.setOfExperiment({{"e.toml", 3, 1, "model.kind", "unknown"}});
  REQUIRE(problems.size() == 2);
  CHECK(problems.back().message == "the disk is full");
  messages.setOfExperiment({});
  CHECK(problems.size() == 1);
  messages.sayProblem("the network is gone");
  CHECK(problems.size() == 2);
  CHECK(bar.currentMessage() == "the network is gone");
}

TEST_CASE("a long message is elided in its middle and ends before what stands beside it", "[window]") {
  MessageBar bar;
  auto* progress = new QLabel("epoch 1176 of 2000");
  bar.addPermanentWidget(progress);
  bar.resize(500, 30);
  bar.show();
  QApplication::processEvents();
  const QImage empty = bar.grab().toImage();
  const QString path = "/home/somebody/" + QString("a folder with a name/").repeated(12) + "recordings.db";
  Session session;
  Messages(session, bar).say("Recording into " + path);
  QApplication::processEvents();
  CHECK(bar.currentMessage().endsWith(path));
  CHECK(bar.drawn().startsWith("Recording into /home"));
  CHECK(bar.drawn().endsWith(".db"));
  CHECK(bar.drawn().contains(QChar(0x2026)));
  CHECK(bar.toolTip().contains(path));
  const QImage told = bar.grab().toImage();
  REQUIRE(told.size() == empty.size());
  CHECK(told != empty);
  const int gap = progress->x() - 8;  // nothing is drawn from here on
  const bool blankGap = told.copy(gap, 0, told.width() - gap, told.height()) ==
                        empty.copy(gap, 0, empty.width() - gap, empty.height());
  CHECK(blankGap);

  bar.resize(4000, 30);
  QApplication::processEvents();
  CHECK(bar.drawn() == bar.currentMessage());
  bar.clearMessage();
  CHECK(bar.toolTip().isEmpty());
}
