#include "views/experiment/experiment_form.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/toy_section.h"
#include "tests/views/experiment/form_fixture.h"
#include "views/experiment/experiment_text.h"

using namespace halo;
using test::named;
using test::someKnown;

namespace {

const std::string kText =
    "# an experiment\nschema = 1\nname = \"é first\"  # its name\n\n[model]\nkind = \"gcn\"\nhidden = 16 # "
    "wide\n\n[cluster]\n"
    "link = { bandwidth_gbit = 10.0, latency_us = 20.0 }\n\n[[run]]\nmethod = \"vanilla\"\n\n[[run]]\nmethod "
    "= \"single\"\n"
    "model.kind = \"gin\"\n\n[sweep]\n\"cluster.workers\" = [1, 2]\n";

}  // namespace

TEST_CASE("a value is read from an experiment's text as it is written", "[form]") {
  CHECK(valueIn(kText, {"", -1, "name"}) == "\"é first\"");
  CHECK(valueIn(kText, {"model", -1, "hidden"}) == "16");
  CHECK(valueIn(kText, {"cluster", -1, "link"}) == "{ bandwidth_gbit = 10.0, latency_us = 20.0 }");
  CHECK(valueIn(kText, {"", 1, "method"}) == "\"single\"");
  CHECK_FALSE(valueIn(kText, {"", 2, "method"}));
  CHECK_FALSE(valueIn(kText, {"training", -1, "epochs"}));
  CHECK_FALSE(valueIn("a = ", {"", -1, "a"}));
  CHECK(tablesIn(kText) == 2);
}

TEST_CASE("a value is changed in an experiment's text and nothing else is", "[form]") {
  std::string expected = kText;
  expected.replace(expected.find("16 # wide"), 2, "256");
  CHECK(withValue(kText, {"model", -1, "hidden"}, "256") == expected);
  expected = kText;
  expected.insert(expected.find(" # wide") + 7, "\nlayers = 3");
  CHECK(withValue(kText, {"model", -1, "layers"}, "3") == expected);
  CHECK(withValue(kText, {"training", -1, "epochs"}, "5") == kText + "\n[training]\nepochs = 5\n");
  expected = kText;
  expected.insert(expected.find("\"vanilla\"") + 9, "\noverlap = \"none\"");
  CHECK(withValue(kText, {"", 0, "overlap"}, "\"none\"") == expected);
  CHECK(withoutValue(expected, {"", 0, "overlap"}) == kText);
  CHECK(withValue("", {"", -1, "schema"}, "1") == "schema = 1\n");
  CHECK_FALSE(withValue("broken = ", {"", -1, "schema"}, "1"));
}

TEST_CASE("tables in braces and dotted keys are changed key by key", "[form]") {
  const std::string braces = "schema = 1\nmodel = { kind = \"gin\", hidden = 64, layers = 3 } # all\n";
  const auto edited = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK(withoutValue(braces, {"model", -1, "hidden"}) == edited(braces, ", hidden = 64", ""));
  CHECK(withoutValue(braces, {"model", -1, "kind"}) == edited(braces, "kind = \"gin\", ", ""));
  CHECK(withoutValue(braces, {"model", -1, "layers"}) == edited(braces, ", layers = 3", ""));
  CHECK(withValue(braces, {"model", -1, "hidden"}, "8") == edited(braces, "64", "8"));
  CHECK(withValue(braces, {"model", -1, "norm"}, "\"layer\"") ==
        edited(braces, "layers = 3", "layers = 3, norm = \"layer\""));
  CHECK(withValue("model = {}\n", {"model", -1, "hidden"}, "8") == "model = { hidden = 8}\n");
  CHECK(withoutValue("model = { hidden = 8 }\n", {"model", -1, "hidden"}).value_or("").find('8') ==
        std::string::npos);
  const std::string dotted = "schema = 1\ndataset.name = \"karate\"\n\n[[run]]\nmethod = \"single\"\n";
  CHECK(withValue(dotted, {"dataset", -1, "seed"}, "5") ==
        edited(dotted, "\"karate\"", "\"karate\"\ndataset.seed = 5"));
  CHECK(withoutValue(dotted, {"dataset", -1, "name"}).value_or("").find("karate") == std::string::npos);
  const std::string together = "model = { kind = \"gin\" }\nrun = [ { method = \"single\" } ]\n";
  CHECK(withValue(together, {"", 0, "overlap"}, "\"none\"") ==
        edited(together, "\"single\"", "\"single\", overlap = \"none\""));
}

TEST_CASE("a text that an edit would break is left alone", "[form]") {
  const std::string odd = "model = 3\n";
  CHECK_FALSE(withValue(odd, {"model", -1, "hidden"}, "8"));
  CHECK_FALSE(withValue(kText, {"model", -1, "hidden"}, "8\nkind = 5"));
  CHECK(withoutValue(odd, {"model", -1, "hidden"}) == odd);
}

TEST_CASE("runs come and go in an experiment's text", "[form]") {
  const std::string three = withTable(kText, "run", "method", "pipe\"gcn");
  CHECK(tablesIn(three) == 3);
  CHECK(valueIn(three, {"", 2, "method"}) == "\"pipe\\\"gcn\"");
  CHECK(valueIn(three, {"sweep", -1, "cluster.workers"}) == "[1, 2]");
  const std::string two = withoutTable(three, "run", 0);
  CHECK(tablesIn(two) == 2);
  CHECK(valueIn(two, {"", 0, "method"}) == "\"single\"");
  CHECK(tablesIn(withoutTable(withoutTable(two, "run", 1), "run", 0)) == 0);
  CHECK(tablesIn(withTable("", "run", "method", "vanilla")) == 1);
}

TEST_CASE("keys of a simulation's own tables are read and changed one by one", "[form]") {
  const std::string text =
      "schema = 1\n\n[[simulate]]\ndevice = \"spu\"  # MixGCN\nslices = 4\n\n[[simulate]]\ndevice.name = "
      "\"spu\"\n"
      "device.hbm_gbps = 512.0\n\n[sweep]\n\"simulate.level\" = [\"tile\", \"cycle\"]\n";
  const auto edited = [&](const std::string& from, const std::string& to) {
    return std::string(text).replace(text.find(from), from.size(), to);
  };
  CHECK(tablesIn(text, "simulate") == 2);
  CHECK(tablesIn(text) == 0);
  CHECK(valueIn(text, {"", 0, "slices", "simulate"}) == "4");
  CHECK(valueIn(text, {"device", 1, "hbm_gbps", "simulate"}) == "512.0");
  CHECK_FALSE(valueIn(text, {"device", 0, "hbm_gbps", "simulate"}));
  CHECK(withValue(text, {"", 0, "slices", "simulate"}, "8") == edited("slices = 4", "slices = 8"));
  CHECK(withValue(text, {"device", 1, "adders", "simulate"}, "64") ==
        edited("512.0", "512.0\ndevice.adders = 64"));
  CHECK(withoutValue(text, {"device", 1, "hbm_gbps", "simulate"}) == edited("device.hbm_gbps = 512.0\n", ""));
  CHECK(withValue(text, {"pipeline", 0, "stages", "simulate"}, "2") ==
        edited("slices = 4", "slices = 4\npipeline.stages = 2"));

  SECTION("a device given by name alone makes room for its figures") {
    CHECK_FALSE(withValue(text, {"device", 0, "adders", "simulate"}, "64"));
    const auto named = withNameInTable(text, {"", 0, "device", "simulate"});
    REQUIRE(named);
    CHECK(*named == edited("device = \"spu\"", "device.name = \"spu\""));
    CHECK(withNameInTable(*named, {"", 0, "device", "simulate"}) == named);
    CHECK(withValue(*named, {"device", 0, "adders", "simulate"}, "64"));
    CHECK_FALSE(withNameInTable(text, {"", 0, "pipeline", "simulate"}));
  }
  SECTION("tables come and go") {
    const std::string three = withTable(text, "simulate", "device", "mine.toml");
    CHECK(valueIn(three, {"", 2, "device", "simulate"}) == "\"mine.toml\"");
    CHECK(valueIn(three, {"sweep", -1, "simulate.level"}) == "[\"tile\", \"cycle\"]");
    const std::string two = withoutTable(three, "simulate", 0);
    CHECK(tablesIn(two, "simulate") == 2);
    CHECK(valueIn(two, {"device", 0, "name", "simulate"}) == "\"spu\"");
  }
}

TEST_CASE("what the program knows is read from its lines, and a wrong line is named", "[form]") {
  const auto names = someKnown();
  REQUIRE(names->known().methods.size() == 4);
  CHECK(names->known().methods[0].parameters[0].key == "overlap");
  CHECK(names->known().links.contains("10gbe"));  // of links.toml as it is now, not of the lines
  CHECK_FALSE(names->known().links.contains("wire"));
  KnownNames wrong;
  CHECK_THROWS_WITH(wrong.read("{\"kind\":\"method\"}\n", test::kResources),
                    Catch::Matchers::Contains("line 1"));
}

TEST_CASE("form and text of an experiment keep to each other both ways", "[form]") {
  ExperimentForm form;
  form.setKnown(someKnown());
  form.loadText(QString::fromStdString(kText));
  auto* hidden = named<QLineEdit>(form, "hidden");
  REQUIRE(hidden);
  CHECK(hidden->text() == "16");
  CHECK(form.text().toStdString() == kText);  // looking changes nothing

  SECTION("typing in the form changes the text") {
    test::enter(*hidden, "32");
    CHECK(form.text().contains("hidden = 32 # wide"));
    test::enter(*hidden, "");
    CHECK_FALSE(form.text().contains("hidden"));
    CHECK(hidden->text().isEmpty());
  }
  SECTION("half a number in the form stays as it is and is told of") {
    const auto ofIt = [&] {
      const auto problems = form.problems();
      return std::ranges::count(problems, std::string("model.hidden"), &Problem::key);
    };
    REQUIRE(ofIt() == 0);
    test::enter(*hidden, "1e-");
    CHECK(hidden->text() == "1e-");
    CHECK(ofIt() > 0);
    test::enter(*hidden, "10");
    CHECK(form.text().contains("hidden = 10 # wide"));
    CHECK(ofIt() == 0);
  }
  SECTION("typing in the text changes the form") {
    auto* text = named<QPlainTextEdit>(form, "Experiment as text");
    text->setPlainText(form.text().replace("hidden = 16", "hidden = 64"));
    CHECK(hidden->text() == "64");
    text->setPlainText("broken = ");
    CHECK(hidden->text() == "64");  // the form waits until the text can be read
  }
  SECTION("a list or table typed into a text field stays one") {
    auto* hosts = named<QLineEdit>(form, "hosts");
    test::enter(*hosts, "[\"a:2\", \"b\"]");
    CHECK(form.text().contains("hosts = [\"a:2\", \"b\"]"));
    test::enter(*hosts, "a\"b");
    CHECK(form.text().contains("hosts = \"a\\\"b\""));
  }
  SECTION("the fields of a run are those of its method") {
    CHECK(named<QComboBox>(form, "overlap"));
    form.loadText(QString::fromStdString(withoutTable(kText, "run", 0)));
    CHECK_FALSE(named<QComboBox>(form, "overlap"));
  }
}

TEST_CASE("a key that is declared once has its field", "[form][keys]") {
  test::toyWeight() = 0.5;
  const AddedSection added(test::kToy);
  ExperimentForm form;
  form.loadText(QString::fromStdString(kText));
  auto* weight = named<QLineEdit>(form, "weight gib");
  REQUIRE(weight);
  CHECK(weight->placeholderText() == "0.5");
  CHECK(weight->parentWidget()->toolTip() ==
        "how much of the memory the toy takes\na number from 0 to 8\ndefault: 0.5");
  test::enter(*weight, "2.5");
  CHECK(form.text().contains("[toy]\nweight_gib = 2.5\n"));
}

TEST_CASE("a form tells the problems of its text at their places", "[form]") {
  ExperimentForm form;
  form.setKnown(someKnown());
  form.loadText("schema = 1\nname = \"a\"\n[model]\nhiden = 3\nlayers = -1\n[[run]]\nmethod = \"vanilla\"\n",
                "a.toml");
  REQUIRE(form.problems().size() == 2);
  CHECK(form.problems()[0].line == 4);
  CHECK(form.problems()[1].line == 5);
  form.loadText("schema = 1\nname = \"a\"\n[[run]]\nmethod = \"vanilla\"\n", "a.toml");
  CHECK(form.problems().empty());
}

TEST_CASE("an experiment is saved as it stands, and a place that cannot be written is told", "[form]") {
  const QTemporaryDir folder;
  ExperimentForm form;
  form.loadText(QString::fromStdString(kText));
  const QString file = folder.filePath("a.toml");
  form.saveAs(file);
  ExperimentForm other;
  other.load(file);
  CHECK(other.text().toStdString() == kText);
  CHECK_FALSE(other.changed());
  CHECK_THROWS_AS(form.saveAs(folder.filePath("no/a.toml")), std::runtime_error);
  CHECK_THROWS_AS(other.load(folder.filePath("absent.toml")), std::runtime_error);
}

TEST_CASE("a text without problems has the whole height but for the verdict", "[form]") {
  ExperimentForm form;
  form.setKnown(someKnown());
  form.resize(900, 600);
  form.loadText("schema = 1\nname = \"a\"\n[[run]]\nmethod = \"vanilla\"\n", "a.toml");
  form.show();
  const auto* text = named<QPlainTextEdit>(form, "Experiment as text");
  CHECK(text->height() > 600 - 3 * form.fontMetrics().height());
}
