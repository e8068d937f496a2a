#include "app/window/declared_names.h"

#include <QDockWidget>
#include <QProcess>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/app/window/window_fixture.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"

using namespace halo;

TEST_CASE("the window has the declarations that the program prints which was built with it", "[window]") {
  QProcess program;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("HALO_RESOURCES", ".");
  program.setProcessEnvironment(environment);
  program.setWorkingDirectory(kResources);
  program.start(kBin + "/haloscope", {"methods", "--json"});
  REQUIRE(program.waitForFinished(60'000));
  QFile embedded(":/declarations.jsonl");
  REQUIRE(embedded.open(QIODevice::ReadOnly));
  const bool same = embedded.readAll() == program.readAllStandardOutput();
  CHECK(same);
}

TEST_CASE("folders and links of what experiments may name are those of the resources there are", "[window]") {
  const auto names = declaredNames(kResources);
  CHECK_FALSE(names->known().methods.empty());
  CHECK(names->known().links.contains("10gbe"));
  int figures = 0;
  for (const SimulationKind& kind : names->known().simulations)
    for (const FigureKey& key : kind.figures) {
      ++figures;
      CAPTURE(key.folder.string());
      CHECK(std::filesystem::is_directory(key.folder));
      CHECK_FALSE(key.models.empty());
    }
  CHECK(figures > 0);
  const QTemporaryDir elsewhere;
  CHECK_THROWS(declaredNames(elsewhere.path()));
}

TEST_CASE("a window without its resources says why experiments cannot be checked", "[window]") {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  MainWindow window({kBin + "/haloscope", "", "", folder.path(), folder.path()}, settings);
  window.setPerspective(Perspective::setUp);
  CHECK_FALSE(window.findChild<ExperimentForm*>()->hasKnown());
  const auto* problems = window.findChild<QDockWidget*>("Problems")->findChild<ProblemsView*>();
  REQUIRE(problems->problemCount() == 1);
  CHECK(problems->item(0)->text().contains("links.toml"));
}
