// `haloscope dataset map`, and runs with dataset.map_features, as a user sees them.
#include <catch2/catch.hpp>

#include "engine/base/matrix.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using test::Ended, test::Program, test::jsonLines, test::holds;

namespace {

constexpr const char* kSet = "name = \"cora-like\"\nscale = 0.2\n";

std::string batches(const Program& haloscope, const std::string& file, bool maps, const std::string& method) {
  return haloscope.file(
      file, std::string("schema = 1\n[dataset]\n") + kSet + "map_features = " + (maps ? "true" : "false") +
                "\n[model]\nlayers = 2\nhidden = 8\n" +
                "[training]\nepochs = 2\n[cluster]\nworkers = 2\n[[run]]\nmethod = \"" + method + "\"\n" +
                (method == "vanilla" ? "" : "fanouts = \"2,3\"\nbatch = 20\n"));
}

std::vector<double> losses(const Program& haloscope, std::int64_t run) {
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  std::vector<double> all;
  for (const EpochRow& row : Epochs(database).epochs(run)) all.push_back(row.loss);
  return all;
}

}  // namespace

TEST_CASE("workers map the features that `dataset map` has converted, with the same losses and less memory",
          "[app][mapped]") {
  const Program haloscope;
  const Ended refused = haloscope({"run", batches(haloscope, "maps.toml", true, "minibatch")});
  CHECK(refused.status == 2);
  CHECK(holds(refused.error, "dataset.map_features: 'cora-like' has no converted form"));
  CHECK(holds(refused.error, "convert it first: `haloscope dataset map cora-like --scale 0.2`"));
  const Ended converted = haloscope({"dataset", "map", "cora-like", "--scale", "0.2", "--json"});
  REQUIRE(converted.status == 0);
  const auto lines = jsonLines(converted.out);
  REQUIRE(lines.size() == 1);
  const std::filesystem::path file = lines.front().at("output").get<std::string>();
  CHECK(std::filesystem::file_size(file) == lines.front().at("bytes"));

  REQUIRE(haloscope({"run", batches(haloscope, "own.toml", false, "minibatch")}).status == 0);
  const Ended maps = haloscope({"run", batches(haloscope, "maps.toml", true, "minibatch")});
  CAPTURE(maps.error);
  REQUIRE(maps.status == 0);
  CHECK(losses(haloscope, 1).size() == 2);
  CHECK(losses(haloscope, 1) == losses(haloscope, 2));
  {
    Database database(haloscope.folder() / "recordings.db", Access::readOnly);
    const Runs runs(database);
    const auto own = runs.latest(1), mapped = runs.latest(2);
    const double featureBytes = lines.front().at("features").get<double>() * 542 * sizeof(Scalar);
    CHECK(own.at("memory_features_bytes") - mapped.at("memory_features_bytes") == featureBytes);
  }
  CHECK(haloscope({"check"}).status == 0);

  const auto bytes = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, bytes / 2);
  const Ended cut = haloscope({"run", "maps.toml"});
  CHECK(cut.status == 4);
  CHECK(holds(cut.error, "is cut short: it has " + std::to_string(bytes / 2) + " bytes"));
  CHECK(holds(cut.error, "convert it again: `haloscope dataset map cora-like --scale 0.2`"));
}

TEST_CASE("methods on the full graph refuse mapped features before anything is loaded", "[app][mapped]") {
  const Program haloscope;
  const Ended refused = haloscope({"run", batches(haloscope, "full.toml", true, "vanilla")});
  CHECK(refused.status == 2);
  CHECK(holds(refused.error, "dataset.map_features: cannot be used: vanilla has all its features in memory"));
}
