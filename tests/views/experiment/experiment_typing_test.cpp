// Typing, choosing and scrolling in the form of an experiment.
#include <QApplication>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <catch2/catch.hpp>

#include "tests/support/wheel.h"
#include "tests/views/experiment/form_fixture.h"
#include "views/experiment/experiment_form.h"

using namespace halo;
using test::enter;
using test::named;
using test::type;

namespace {

const QString kText =
    "schema = 1\nname = \"a\"\n\n[model]\nkind = \"gcn\"\nhidden = 16\n\n[[run]]\nmethod = "
    "\"vanilla\"\n";

/// A form in an active window of its own.
struct ShownForm {
  ExperimentForm form;

  ShownForm() {
    form.setKnown(test::someKnown());
    form.loadText(kText);
    form.resize(900, 600);
    form.show();
    form.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&form));
  }
  QComboBox& list(const QString& name) {
    auto* list = named<QComboBox>(form, name);
    REQUIRE(list != nullptr);
    return *list;
  }
  QLineEdit& line(const QString& name) {
    auto* line = named<QLineEdit>(form, name);
    REQUIRE(line != nullptr);
    return *line;
  }
  QString edited(const QString& from, const QString& to) const { return QString(kText).replace(from, to); }
};
}  // namespace

TEST_CASE("a word that is typed stays as it is typed, and is meant on Enter", "[form]") {
  ShownForm fixture;
  QLineEdit* words = fixture.list("method").lineEdit();
  REQUIRE(words != nullptr);
  words->selectAll();
  QString typed;
  for (const char letter : std::string("pipegcn")) {
    QTest::keyClick(words, letter);
    typed += letter;
    CHECK(words->text() == typed);
    CHECK(fixture.form.text() == kText);
  }
  CHECK(fixture.form.changed());
  QTest::keyClick(words, Qt::Key_Return);
  CHECK(fixture.form.text() == fixture.edited("vanilla", "pipegcn"));
  QApplication::processEvents();  // the fields of pipegcn come
  CHECK(fixture.list("method").currentText() == "pipegcn");
  CHECK(named<QComboBox>(fixture.form, "smoothing"));
  enter(*fixture.list("method").lineEdit(), "P2P");  // there is a p2p
  CHECK(fixture.form.text() == fixture.edited("vanilla", "P2P"));
  QApplication::processEvents();
  CHECK(fixture.list("method").currentText() == "P2P");
  CHECK(fixture.form.problems().size() == 1);
}

TEST_CASE("what is typed is meant when its field is left, and before a run", "[form]") {
  ShownForm fixture;
  QLineEdit& hidden = fixture.line("hidden");
  hidden.setFocus();
  type(hidden, "32");
  CHECK(fixture.form.text() == kText);
  SECTION("left for another field") {
    fixture.line("name").setFocus();
    CHECK(fixture.form.text() == fixture.edited("16", "32"));
  }
  SECTION("asked for its problems") {
    CHECK(fixture.form.problems().empty());
    CHECK(fixture.form.text() == fixture.edited("16", "32"));
  }
  SECTION("another experiment is loaded") {
    fixture.form.loadText(kText);
    CHECK(hidden.text() == "16");
    CHECK_FALSE(fixture.form.changed());
  }
  SECTION("left as it was") {
    type(hidden, "16");
    fixture.line("name").setFocus();
    CHECK(fixture.form.text() == kText);
  }
}

TEST_CASE("fields that come anew keep the focus and what is typed", "[form]") {
  ShownForm fixture;
  QLineEdit& hidden = fixture.line("hidden");
  hidden.setFocus();
  type(hidden, "3");
  fixture.form.setKnown(test::someKnown());  // as the program answers
  CHECK(fixture.line("hidden").hasFocus());
  CHECK(fixture.line("hidden").text() == "3");
  CHECK(fixture.form.text() == kText);
  QTest::keyClicks(&fixture.line("hidden"), "2");
  QTest::keyClick(&fixture.line("hidden"), Qt::Key_Return);
  CHECK(fixture.form.text() == fixture.edited("16", "32"));
}

TEST_CASE("letters choose nothing in a list of a form, arrow keys are meant on Enter", "[form]") {
  ShownForm fixture;
  QComboBox& overlap = fixture.list("overlap");
  REQUIRE_FALSE(overlap.isEditable());
  overlap.setFocus();
  QTest::keyClick(&overlap, Qt::Key_L);
  CHECK(overlap.currentText() == "none");
  QTest::keyClick(&overlap, Qt::Key_Down);
  CHECK(overlap.currentText() == "local-first");
  CHECK(fixture.form.text() == kText);
  QTest::keyClick(&overlap, Qt::Key_Return);
  CHECK(fixture.form.text().contains("overlap = \"local-first\""));
}

TEST_CASE("the wheel scrolls the form over its lists, and turns the one with the focus", "[form]") {
  ShownForm fixture;
  fixture.line("name").setFocus();
  auto* bar = fixture.form.findChild<QScrollArea*>()->verticalScrollBar();
  REQUIRE(bar->maximum() > 0);
  QComboBox& overlap = fixture.list("overlap");
  test::turnWheel(overlap, -1);
  CHECK_FALSE(overlap.hasFocus());
  CHECK(overlap.currentText() == "none");
  CHECK(fixture.form.text() == kText);
  CHECK(bar->value() > 0);
  overlap.setFocus();
  test::turnWheel(overlap, -1);
  CHECK(overlap.currentText() == "local-first");
  CHECK(fixture.form.text() == kText);
  fixture.line("name").setFocus();
  CHECK(fixture.form.text().contains("overlap = \"local-first\""));
}
