// What a simulated device leaves in the recording and its exports.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/record/tables/components.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Lines of a CSV file without quotes, by column.
std::vector<std::map<std::string, std::string>> rowsOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto fields = [](const std::string& line) {
    std::vector<std::string> all;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) all.push_back(part);
    return all;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = fields(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(in, line)) {
    const auto values = fields(line);
    REQUIRE(values.size() == names.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values[i];
  }
  return rows;
}

}  // namespace

TEST_CASE("a simulation of a file is of the data set that a run of it has", "[app]") {
  const Program haloscope;
  haloscope.file("g.txt", "0 1\n1 2\n2 0\n2 3\n");
  const std::string file = haloscope.file("by-path.toml",
                                          "schema = 1\n[dataset]\npath = \"g.txt\"\nformat = \"edge-list\"\n"
                                          "[[simulate]]\ndevice = \"spu\"\nslices = 4\n");
  REQUIRE(haloscope({"simulate", file}).status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  CHECK(Runs(database).all().front().dataset == "g.txt");
  CHECK(jsonLines(haloscope({"list", "--json"}).out)[0].at("workers").is_null());  // its rows are engines
}

TEST_CASE("what a device file or a simulation's data set is instead is said, before anything is recorded",
          "[app]") {
  const Program haloscope;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string file = haloscope.file("refused.toml", "schema = 1\n" + text);
    const Ended ended = haloscope({"simulate", file});
    CAPTURE(text, ended.error);
    CHECK(ended.status == 2);
    CHECK(holds(ended.error, message));
    CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  };
  std::filesystem::create_directory(haloscope.folder() / "folder.toml");
  std::filesystem::create_symlink("/dev/zero", haloscope.folder() / "zero.toml");
  const auto device = [](const std::string& name) {
    return "[[simulate]]\ndevice = \"" + name + "\"\ngraph = \"reddit\"\n";
  };
  refused(device("folder.toml"), "is a folder; a file of figures");
  refused(device("zero.toml"), "is a device or socket; a file of figures");
  refused(device("missing.toml"), "is not there; a file of figures");
  refused("[dataset]\npath = \"missing.txt\"\n[[simulate]]\ndevice = \"spu\"\n",
          "is not there; a file or folder, relative to the experiment file");
  std::ifstream shipped(std::filesystem::path(kSourceDir) / "resources/devices/spu.toml");
  std::string text(std::istreambuf_iterator<char>(shipped), {});
  const auto line = [&](const std::string& part) {
    return std::to_string(1 +
                          std::count(text.begin(), text.begin() + static_cast<long>(text.find(part)), '\n'));
  };
  const std::string memory = "memory = \"hbm2\"";
  REQUIRE(text.find(memory) != std::string::npos);
  const std::string at = line(memory);
  text.replace(text.find(memory), memory.size(), "memory = \"hbm9\"");
  haloscope.file("hbm9.toml", text);
  refused(device("hbm9.toml"), "hbm9.toml:" + at + ":");
  refused(
      "[model]\nkind = \"gcn\"\n[[simulate]]\ndevice.name = \"gcnax\"\ngraph = \"papers100m\"\n"
      "device.sparse_buffer_mb = 0.0001\ndevice.dense_buffer_mb = 0.0001\n"
      "device.output_buffer_mb = 0.0001\n",
      "device.output_buffer_mb: with device.dense_buffer_mb and device.sparse_buffer_mb cuts this graph");
  refused(
      "[[simulate]]\ndevice = \"spu\"\ngraph = \"papers100m\"\ntiling = \"replica\"\nreplica_scale = 1e-6\n",
      "has room for its degrees");
}

TEST_CASE("spans of simulated devices are recorded in cycles and nanoseconds, exactly", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "devices.toml",
      "schema = 1\n[[simulate]]\ndevice = [\"spu\", \"hygcn\", \"awb-gcn\", \"gcnax\", \"engn\", \"fpga\", "
      "\"graphact\", \"gpu\", \"cpu\"]\nslices = 4\n");
  REQUIRE(haloscope({"simulate", file}).status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  for (const RunRow& run : runs.all()) {
    CAPTURE(run.method);
    const std::string number = std::to_string(run.id);
    REQUIRE(haloscope({"export", number, "--format", "csv", "-o", "out" + number}).status == 0);
    const auto spans = rowsOf(haloscope.folder() / ("out" + number) / ("run-" + number) / "spans.csv");
    REQUIRE(!spans.empty());
    std::map<std::int64_t, std::int64_t> busy, stalled;
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> ends;  // of a rank, by begin
    const double mhz = std::stod(runs.parameters(run.id).at("device.freq_mhz"));
    for (const auto& span : spans) {
      const std::int64_t rank = std::stoll(span.at("rank")), begin = std::stoll(span.at("begin_cycle")),
                         cycles = std::stoll(span.at("cycles")), beginNs = std::stoll(span.at("begin_ns")),
                         durationNs = std::stoll(span.at("duration_ns"));
      CHECK(cycles > 0);
      CHECK(ends[rank].emplace(begin, begin + cycles).second);
      (span.at("kind") == "idle" ? stalled : busy)[rank] += cycles;
      // both tell the same time, to half a nanosecond
      CHECK(std::abs(static_cast<double>(beginNs) - static_cast<double>(begin) * 1e3 / mhz) <= 0.5001);
      CHECK(std::abs(static_cast<double>(beginNs + durationNs) -
                     static_cast<double>(begin + cycles) * 1e3 / mhz) <= 0.5001);
    }
    for (const auto& [rank, spansOfRank] : ends) {
      std::int64_t before = 0;  // one thing at a time
      for (const auto& [begin, end] : spansOfRank) {
        CHECK(begin >= before);
        before = end;
      }
    }
    const auto workers = runs.workers(run.id);
    std::map<std::string, ComponentRow> components;  // of the first device
    for (const ComponentRow& row : Components(database).rowsOf(run.id))
      if (row.device.starts_with(run.method + " 0")) components[run.method + ": " + row.component] = row;
    REQUIRE(components.size() == workers.size());
    for (const WorkerRow& worker : workers) {
      CAPTURE(worker.role);
      CHECK(busy[worker.rank] == components.at(worker.role).busyCycles);
      CHECK(stalled[worker.rank] == components.at(worker.role).stallCycles);
    }
  }
}

TEST_CASE("a person lets every accelerator sum real rows", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "execute.toml",
      "schema = 1\n[[simulate]]\ndevice = [\"spu\", \"hygcn\", \"awb-gcn\", \"gcnax\", \"engn\", \"fpga\", "
      "\"graphact\", \"gpu\", \"cpu\"]\nexecute = true\nslices = 4\n[[simulate]]\ndevice = \"spu\"\ngraph = "
      "\"orkut\"\ntiling = \"replica\"\nreplica_scale = 0.002\nexecute = true\n");
  const Ended ended = haloscope({"simulate", file});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  CHECK(holds(ended.out, "run 1: "));
  CHECK(holds(ended.out, " sums of spu are those of the definition, relative error "));
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  REQUIRE(runs.all().size() == 10);
  for (const RunRow& run : runs.all()) {
    CAPTURE(run.method);
    const double error = runs.latest(run.id).at("executed_relative_error");
    CHECK(error > 0);
    CHECK(error < 1e-5);
    // karate: 34 vertices; the narrower sides of both layers, 4 columns masked and not, and 1 of 2 classes
    if (run.dataset == "karate") CHECK(runs.parameters(run.id).at("result.executed_outputs") == "306");
  }
  CHECK(holds(haloscope({"show", "1"}).out, "executed: largest relative error of a sum"));

  const Ended refused =
      haloscope({"simulate", haloscope.file("figures.toml",
                                            "schema = 1\n[[simulate]]\ndevice = \"spu\"\ngraph = "
                                            "\"reddit\"\nexecute = true\n")});
  CHECK(refused.status == 2);
  CHECK(holds(refused.error,
              "figures.toml:5:11: simulate.execute: 'true' sums rows along edges, and there are "
              "figures only"));
}
