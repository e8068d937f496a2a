// Whole runs on devices of OpenCL whose driver does not build the kernels (failing_opencl.cpp).
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr const char* kWhy =
    "OpenCL device 'Slide Rule' (driver 0.1) does not build the kernels: CL_BUILD_PROGRAM_FAILURE (-11); "
    "update its driver, or take another device. Its compiler says:";
constexpr const char* kLog = "kernels.cl:7:3: error: wood has no floating point";

Ended trained(const Program& haloscope, const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> environment = more;
  environment["LD_LIBRARY_PATH"] = std::string(kBinDir) + "/failing-opencl";
  const std::string file = haloscope.file(
      "cards.toml",
      "schema = 1\n[dataset]\nname = \"karate\"\n[model]\nlayers = 2\nhidden = 8\n[training]\nepochs = 3\n"
      "[cluster]\nworkers = 1\n[[run]]\nmethod = \"hyscale\"\nbatch = 1\ncards = 1\nfanouts = \"4,3\"\n"
      "device = \"opencl\"\n");
  return haloscope({"--quiet", "run", file}, environment);
}

}  // namespace

TEST_CASE("a run whose kernels do not build here is refused at its line, with what the compiler says",
          "[app][opencl]") {
  const Program haloscope;
  const Ended refused = trained(haloscope);
  CAPTURE(refused.out);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.error, Catch::Contains("cards.toml:16:10: run.device: 'opencl' cannot be used here: ") &&
                                Catch::Contains(kWhy) && Catch::Contains(kLog));
  CHECK(jsonLines(haloscope({"list", "--json"}).out).empty());
}

TEST_CASE(
    "a run whose worker's kernels do not build fails with what the compiler says, and its rows are sound",
    "[app][opencl]") {
  const Program haloscope;
  const Ended failed = trained(haloscope, {{"HALO_TEST_FAILS", "haloscope-worker"}});
  CAPTURE(failed.out);
  CHECK(failed.status == 2);
  CHECK_THAT(failed.error, Catch::Contains(kWhy) && Catch::Contains(kLog));
  {
    Database database(haloscope.folder() / "recordings.db", Access::readOnly);
    const auto runs = Runs(database).all();
    REQUIRE(runs.size() == 1);
    CHECK(runs.front().status == "failed");
    CHECK_THAT(runs.front().error, Catch::Contains(kWhy) && Catch::Contains(kLog));
    CHECK(Epochs(database).epochs(runs.front().id).empty());
  }
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}
