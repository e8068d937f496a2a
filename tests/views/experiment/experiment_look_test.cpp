// The form says "ready" once what an experiment reads was looked at, and never by an answer to another text.
#include <sys/stat.h>

#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

#include "tests/views/experiment/form_fixture.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"

using namespace halo;

namespace {

const QString kText = "schema = 1\nname = \"a\"\n\n[[run]]\nmethod = \"vanilla\"\n";

/// A program that keeps what it was asked, and answers what it is told to once it is told to.
class FakeProgram {
 public:
  FakeProgram() {
    REQUIRE(::mkfifo(folder_.filePath("answers").toLocal8Bit().constData(), 0600) == 0);
    answers_.setFileName(folder_.filePath("answers"));
    REQUIRE(answers_.open(QIODevice::ReadWrite | QIODevice::Unbuffered));  // writing waits for no reader
    QFile script(program());
    REQUIRE(script.open(QIODevice::WriteOnly));
    script.write(
        "#!/bin/sh\nhere=$(dirname \"$0\")\ncat > \"$here/text\"\necho \"$@\" > \"$here/arguments\"\n"
        "echo $$ >> \"$here/processes\"\nread -r status words < \"$here/answers\"\n"
        "[ -z \"$words\" ] || echo \"$words\" >&2\nexit \"$status\"\n");
    script.close();
    REQUIRE(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
  }
  QString program() const { return folder_.filePath("program"); }
  /// Of all questions so far, those being answered too.
  int questions() const { return static_cast<int>(read("processes").count('\n')); }
  QByteArray read(const QString& name) const {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  void answer(const QByteArray& line) { REQUIRE(answers_.write(line + '\n') > 0); }

 private:
  QTemporaryDir folder_;
  QFile answers_;
};

struct LookedAt {
  FakeProgram program;
  ExperimentForm form;

  LookedAt() {
    form.setKnown(test::someKnown());
    form.setLook(program.program(), [] { return QString("there.db"); });
    form.loadText(kText);
    form.show();
  }
  QString verdict() const { return form.findChild<QLabel*>("verdict")->text(); }
  ProblemsView& list() const { return *form.findChild<ProblemsView*>(); }
  bool asksFor(int questions) {
    return QTest::qWaitFor([&] { return program.questions() == questions; }, 20'000);
  }
  bool says(const QString& words) {
    return QTest::qWaitFor([&] { return verdict().startsWith(words); }, 20'000);
  }
};

}  // namespace

TEST_CASE("an experiment is ready once what it reads was looked at", "[form]") {
  LookedAt test;
  CHECK(test.verdict() == "No problem in the text of 1 run; looking at its data files…");
  REQUIRE(test.asksFor(1));
  CHECK(test.program.read("text") == kText.toUtf8());
  CHECK(test.program.read("arguments") == "--db there.db run --dry-run -\n");
  CHECK_FALSE(test.verdict().contains("Ready"));
  SECTION("and all is there") {
    test.program.answer("0");
    CHECK(test.says("✓ Ready: 1 run."));
  }
  SECTION("with a remark") {
    test.program.answer("0 karate: two vertices have no neighbour");
    CHECK(test.says("✓ Ready: 1 run. Point here for 1 remark."));
    CHECK(test.form.findChild<QLabel*>("verdict")->toolTip() == "karate: two vertices have no neighbour");
  }
  SECTION("and something is wrong") {
    test.program.answer("4 graph.el: cannot be read");
    CHECK(test.says("✗ 1 problem with what it reads"));
    REQUIRE(test.list().problemCount() == 1);
    CHECK(test.list().item(0)->text() == "graph.el: cannot be read");
    CHECK(test.list().isVisible());
    CHECK(test.form.problems().empty());  // of the text: who starts it all the same has it looked at again
  }
}

TEST_CASE("no answer to an earlier text is shown", "[form]") {
  LookedAt test;
  REQUIRE(test.asksFor(1));
  auto* text = test::named<QPlainTextEdit>(test.form, "Experiment as text");
  SECTION("one that was still to come") {
    text->appendPlainText("# more");
    CHECK(test.verdict() == "Checking…");
    REQUIRE(test.asksFor(2));  // the one before has ended: the answer is read by the second alone
    CHECK(test.program.read("text").endsWith("# more"));
    test.program.answer("0");
    CHECK(test.says("✓ Ready"));
  }
  SECTION("one that was shown") {
    test.program.answer("4 graph.el: cannot be read");
    REQUIRE(test.says("✗ 1 problem"));
    text->appendPlainText("# more");
    CHECK(test.verdict() == "Checking…");
    CHECK_FALSE(test.list().isVisible());
  }
  SECTION("one of files as they were before the form was hidden") {
    test.program.answer("0");
    REQUIRE(test.says("✓ Ready"));
    test.form.hide();
    test.form.show();
    CHECK_FALSE(test.verdict().contains("Ready"));
    CHECK(test.asksFor(2));
  }
}

TEST_CASE("where nobody could look, no experiment is said to be ready", "[form]") {
  LookedAt test;
  REQUIRE(test.asksFor(1));
  test.form.setLook("/no/such/haloscope", [] { return QString(); });
  test.form.loadText(kText + "# more\n");
  CHECK(
      test.says("No problem in the text of 1 run. Its data files were not looked at: /no/such/haloscope: "));
  test.form.loadText(
      "schema = 1\nname = \"a\"\n[cluster]\nlauncher = \"slurm\"\n[[run]]\nmethod = \"vanilla\"\n");
  CHECK(test.says("No problem in the text of 1 run. Its data files were not looked at: another machine"));
}
