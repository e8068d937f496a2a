// [[simulate]] tables of the form.
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "tests/support/places.h"
#include "tests/views/experiment/form_fixture.h"
#include "views/experiment/experiment_form.h"

using namespace halo;
using test::named;

namespace {

/// One kind of simulation, whose device has two figures in a file of a folder of its own.
struct SomeDevices {
  QTemporaryDir folder;

  SomeDevices() {
    QFile file(folder.filePath("spu.toml"));
    REQUIRE(file.open(QIODevice::WriteOnly));
    file.write(
        "accelerator = \"spu\"\n[figures]\nhbm_gbps = 900.0\nadders = 16384\n[sources]\nhbm_gbps = "
        "\"published: a\"\nadders = \"published: a\"\n");
  }

  std::unique_ptr<KnownNames> known() const {
    const std::string lines =
        R"({"kind":"method","name":"vanilla","help":"h","source":"s","parameters":[]})"
        "\n"
        R"({"kind":"partitioner","name":"metis","help":"h","source":"s","parameters":[]})"
        "\n"
        R"({"kind":"layer","name":"gcn","help":"h","source":"s","parameters":[]})"
        "\n"
        R"({"kind":"simulation","name":"device","help":"h","source":"s","sections":["dataset","model"],"of_methods":false,"figures":[{"key":"device","section":"device","what":"device","header":"accelerator","folder":")" +
        folder.path().toStdString() +
        R"("}],"parameters":[{"key":"device","help":"h","type":"text","default":"","numbers":false},{"key":"slices","help":"h","type":"integer","default":32,"low":1,"high":64},{"key":"level","help":"h","type":"choice","default":"tile","options":["tile","cycle"]}]})"
        "\n"
        R"({"kind":"simulation","name":"pipeline","help":"h","source":"s","sections":["model"],"of_methods":false,"figures":[{"key":"pipeline.sparse","section":"sparse","what":"device","header":"accelerator","folder":")" +
        folder.path().toStdString() +
        R"("}],"parameters":[{"key":"pipeline.sparse","help":"h","type":"text","default":"spu","numbers":false},{"key":"pipeline.buffers","help":"h","type":"integer","default":2,"low":1,"high":9}]})"
        "\n"
        R"({"kind":"accelerator","name":"spu","help":"h","source":"s","parameters":[{"key":"hbm_gbps","help":"h","type":"real","default":1024.0,"low":1,"high":9999},{"key":"adders","help":"h","type":"integer","default":16384,"low":1,"high":99999}]})"
        "\n";
    auto names = std::make_unique<KnownNames>();
    names->read(lines, std::filesystem::path(kSourceDir) / "resources");
    return names;
  }
};

template <class Button>
Button* labelled(QWidget& form, const QString& text) {
  for (auto* each : form.findChildren<Button*>())
    if (each->text() == text) return each;
  return nullptr;
}

QString verdictOf(ExperimentForm& form) { return form.findChild<QLabel*>("verdict")->text(); }

const QString kText =
    "schema = 1\nname = \"a\"\n\n[[simulate]]\ndevice = \"spu\"  # MixGCN\nslices = 4\n\n[[run]]\nmethod = "
    "\"vanilla\"\n";

}  // namespace

TEST_CASE("a simulation in the form has the keys of its kind and the figures of its device", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.loadText(kText);
  CHECK(form.problems().empty());
  CHECK(verdictOf(form).startsWith("No problem in the text of 1 run and 1 simulation."));
  CHECK(form.text() == kText);  // looking changes nothing

  auto* device = named<QComboBox>(form, "device");
  REQUIRE(device);
  CHECK(device->currentText() == "spu");
  CHECK(device->findText("spu") >= 0);
  auto* slices = named<QLineEdit>(form, "slices");
  REQUIRE(slices);
  CHECK(slices->text() == "4");
  test::enter(*slices, "8");
  CHECK(form.text().contains("slices = 8"));
  auto* level = named<QComboBox>(form, "level");
  REQUIRE(level);
  CHECK(level->currentText() == "tile");
  CHECK(level->count() == 2);

  auto* bandwidth = named<QLineEdit>(form, "hbm gbps");
  REQUIRE(bandwidth);
  CHECK(bandwidth->placeholderText() == "900.0");  // as the file has it
  CHECK(bandwidth->text().isEmpty());
}

TEST_CASE("replacing a figure in the form leaves the device and the rest of the text as they are", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.loadText(kText);
  test::enter(*named<QLineEdit>(form, "hbm gbps"), "512");
  QString expected = kText;
  expected.replace("device = \"spu\"", "device.name = \"spu\"")
      .replace("slices = 4", "slices = 4\ndevice.hbm_gbps = 512");
  CHECK(form.text() == expected);
  CHECK(form.problems().empty());
  QApplication::processEvents();  // the form is made anew, as the device stands elsewhere
  CHECK(named<QComboBox>(form, "device")->currentText() == "spu");
  CHECK(named<QLineEdit>(form, "hbm gbps")->text() == "512");
  CHECK(labelled<QToolButton>(form, "Figures of spu")->isChecked());
  test::enter(*named<QLineEdit>(form, "hbm gbps"), "");
  CHECK_FALSE(form.text().contains("hbm_gbps"));
  test::enter(*named<QLineEdit>(form, "adders"), "0");
  CHECK(form.problems().size() == 1);
}

TEST_CASE("figures are folded away until they are wanted", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.resize(900, 700);
  form.show();
  form.loadText(kText);
  auto* fold = labelled<QToolButton>(form, "Figures of spu");
  REQUIRE(fold);
  CHECK_FALSE(fold->isChecked());
  CHECK_FALSE(named<QLineEdit>(form, "adders")->isVisible());
  fold->setChecked(true);
  CHECK(named<QLineEdit>(form, "adders")->isVisible());
  // and stay open when the form is made anew
  form.loadText(kText + "\n[[simulate]]\ndevice = \"spu\"\n");
  CHECK(named<QLineEdit>(form, "adders")->isVisible());
}

TEST_CASE("simulations come and go in the form", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.loadText("schema = 1\nname = \"a\"\n");
  auto* add = labelled<QAction>(form, "device: h");
  REQUIRE(add);
  add->trigger();
  CHECK(form.text().endsWith("[[simulate]]\ndevice = \"spu\"\n"));
  CHECK(form.problems().empty());
  CHECK(verdictOf(form).startsWith("No problem in the text of 1 simulation."));
  labelled<QAction>(form, "pipeline: h")->trigger();
  CHECK(form.text().contains("pipeline.sparse = \"spu\""));
  CHECK(form.problems().empty());
  CHECK(named<QLineEdit>(form, "buffers"));
  test::enter(*named<QLineEdit>(form, "buffers"), "3");
  CHECK(form.text().contains("pipeline.buffers = 3"));
  QApplication::processEvents();
  labelled<QPushButton>(form, "Remove this simulation")->click();
  CHECK_FALSE(form.text().contains("device = \"spu\""));
  CHECK(form.text().contains("pipeline.sparse"));
}

TEST_CASE("the fields of a simulation are as wide as there is room", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.resize(1060, 600);
  form.show();
  form.loadText(kText);
  QApplication::processEvents();
  const auto* scroll = form.findChild<QScrollArea*>();
  REQUIRE(scroll);
  CHECK(scroll->widget()->width() <= scroll->viewport()->width());
}

TEST_CASE("a simulation that the program does not know is told of and can be removed", "[form]") {
  const SomeDevices devices;
  ExperimentForm form;
  form.setKnown(devices.known());
  form.loadText("schema = 1\nname = \"a\"\n[[simulate]]\nslices = 4\n");
  CHECK_FALSE(form.problems().empty());
  REQUIRE(labelled<QPushButton>(form, "Remove this simulation"));
  labelled<QPushButton>(form, "Remove this simulation")->click();
  CHECK_FALSE(form.text().contains("simulate"));
}
