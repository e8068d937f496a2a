#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

#include "engine/record/tables/components.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr const char* kBoth =
    "schema = 1\nname = \"both\"\n[training]\nepochs = 1\n[[run]]\nmethod = \"single\"\n"
    "[[simulate]]\ndevice = \"spu\"\nslices = 4\n"
    "[[simulate]]\ndevice.name = \"spu\"\ndevice.hbm_gbps = 1\ngraph = \"reddit\"\nlevel = \"analytic\"\n";

std::ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

}  // namespace

TEST_CASE("a simulation goes from the file to the recording and back out of it", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("both.toml", kBoth);
  const Ended ended = haloscope({"simulate", file});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  const auto all = runs.all();
  REQUIRE(all.size() == 2);
  const RunRow& run = all[0];
  CHECK(run.kind == "simulation");
  CHECK(run.status == "completed");
  CHECK(run.method == "spu");
  CHECK(run.dataset == "karate");
  CHECK(run.workers == 6);  // engines, each a row of the timeline
  CHECK(runs.workers(run.id).size() == 6);
  CHECK(run.marks.find("simulated") == 0);
  CHECK(all[1].dataset == "reddit");

  const auto parameters = runs.parameters(run.id);
  CHECK(parameters.at("result.level") == "tile");
  CHECK(parameters.at("result.tiling") == "exact");
  CHECK(parameters.at("device.hbm_gbps.source") == "published: MixGCN 4.1");
  CHECK(parameters.at("factor.hbm_pj_per_byte.source").find("published: ") == 0);
  CHECK(runs.parameters(all[1].id).at("device.hbm_gbps.source") == "assumed: this experiment");

  const auto components = Components(database).rowsOf(run.id);
  double picojoules = 0;
  std::int64_t hbmBytes = 0;
  for (const ComponentRow& row : components) {
    const std::int64_t devices = row.device == "spu 0-1" ? 2 : row.device == "spu 2-3" ? 2 : 0;
    CAPTURE(row.device);  // 34 features: 9 columns on two devices, 8 on two
    CHECK(devices > 0);
    picojoules += row.energyPj * static_cast<double>(devices);
    if (row.component == "hbm") hbmBytes += row.bytes * devices;
  }
  CHECK(components.size() == 12);
  const auto latest = runs.latest(run.id);
  CHECK(latest.at("simulated_joules") == Approx(picojoules * 1e-12));
  CHECK(latest.at("simulated_dram_bytes") == Approx(static_cast<double>(hbmBytes)));
  CHECK(latest.at("epoch_seconds") == latest.at("simulated_seconds"));
  CHECK(latest.at("roof_operations_per_second") == 16384 * 500e6);
  CHECK(latest.at("roof_bytes_per_second") == 1024e9);

  const auto spans = Spans(database).all(run.id, 0);
  REQUIRE(!spans.empty());
  CHECK(text(spans[0].name) == "stream");
  CHECK(runs.workers(run.id).at(4).role == "spu: adders");
  CHECK(runs.artifact(run.id, "counts")->bytes.find("device,devices,component,what,name,value,unit\n") == 0);
  // 115 · 10^6 column numbers of 4 bytes and more, three times, at 1 GB/s
  CHECK(runs.latest(all[1].id).at("simulated_seconds") > 1.38);

  const Ended details = haloscope({"show", "1"});
  CHECK(holds(details.out, "Components, of one device each"));
  CHECK(holds(details.out, "spu 0-1  adders"));
  CHECK(holds(details.out, "stalled by, share of it"));
  const auto shownComponents = jsonLines(haloscope({"show", "1", "--json"}).out).at(0).at("components");
  CHECK(shownComponents.size() == 12);
  for (const auto& component : shownComponents) {
    std::int64_t sum = 0;
    for (const auto& [cause, cycles] : component.at("stall_cycles_by_cause").items())
      sum += cycles.get<std::int64_t>();
    CHECK(component.at("stall_cycles") == sum);
  }
  REQUIRE(haloscope({"export", "1", "--format", "csv", "-o", "out"}).status == 0);
  CHECK(haloscope({"check"}).status == 0);
}

TEST_CASE("a small graph is simulated cycle by cycle, and its factors say where they come from", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "levels.toml",
      "schema = 1\n[[simulate]]\ndevice = \"spu\"\n[sweep]\n\"simulate.level\" = [\"analytic\", \"tile\", "
      "\"cycle\"]\n\"simulate.slices\" = [8]\n");
  REQUIRE(haloscope({"simulate", file}).status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const Runs runs(database);
  std::vector<double> seconds;
  for (std::int64_t run = 1; run <= 3; ++run) seconds.push_back(runs.latest(run).at("simulated_seconds"));
  CHECK(seconds[0] <= seconds[1]);
  CHECK(seconds[0] <= seconds[2]);
  CHECK(runs.parameters(2).at("factor.reduction_efficiency_width_2.source").find("cycle model: ") == 0);
  CHECK(runs.parameters(3).count("factor.reduction_efficiency_width_2") == 0);
  CHECK(runs.parameters(3).at("result.level") == "cycle");
}

TEST_CASE("run does both kinds, and --only and --resume choose among them", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("both.toml", kBoth);
  CHECK(lines(haloscope({"run", file, "--dry-run"}).out) == 3);
  CHECK(lines(haloscope({"simulate", file, "--dry-run"}).out) == 2);
  CHECK(haloscope({"run", file, "--only", "spu"}).status == 0);
  const Ended rest = haloscope({"run", file, "--resume", "--json"});
  CAPTURE(rest.error);
  CHECK(rest.status == 0);
  CHECK(holds(rest.error, "already done as run 1"));
  int finished = 0;
  for (const auto& line : jsonLines(rest.out)) finished += line.value("event", "") == "finish" ? 1 : 0;
  CHECK(finished == 1);
  CHECK(haloscope({"compare", "1", "2"}).status == 0);
}

TEST_CASE("a file that --only leaves no simulation is not one without", "[app]") {
  const Program haloscope;
  const std::string spu = haloscope.file("spu.toml", "schema = 1\n[[simulate]]\ndevice = \"spu\"\n");
  const std::string other = haloscope.file(
      "node.toml",
      "schema = 1\n[[simulate]]\ndevice = \"spu\"\ngraph = \"orkut\"\n[[run]]\nmethod = \"single\"\n");
  const Ended ended = haloscope({"run", spu, other, "--only", "single", "--dry-run"});
  CHECK(ended.status == 0);
  CHECK(lines(ended.out) == 1);
  CHECK(haloscope({"simulate", spu, other, "--only", "spu", "--dry-run"}).status == 0);
  const Ended none = haloscope({"simulate", spu, "--only", "gpu"});
  CHECK(none.status == 2);
  CHECK(holds(none.error, "--only: no run has the method 'gpu'; did you mean 'spu'? there are spu"));
}

TEST_CASE("figures that devices share are read where a simulation asks for them", "[app]") {
  const Program haloscope;
  const auto resources = haloscope.folder() / "resources";
  std::filesystem::copy(std::filesystem::path(kSourceDir) / "resources", resources,
                        std::filesystem::copy_options::recursive);
  const std::map<std::string, std::string> environment = {{"HALO_RESOURCES", resources.string()}};
  const std::string simulation =
      haloscope.file("device.toml", "schema = 1\n[[simulate]]\ndevice = \"spu\"\nlevel = \"analytic\"\n");
  REQUIRE(haloscope({"simulate", simulation}, environment).status == 0);
  CHECK(holds(haloscope({"simulate", simulation, "--resume"}, environment).error, "already done as run 1"));

  // another figure in the library is another simulation
  std::ofstream(resources / "energy.toml", std::ios::app) << "\n# looked at again\n";
  const Ended again = haloscope({"simulate", simulation, "--resume"}, environment);
  CHECK(again.status == 0);
  CHECK_FALSE(holds(again.error, "already done"));

  std::ofstream(resources / "energy.toml", std::ios::app) << "[broken\n";
  CHECK(haloscope({"run", haloscope.experiment(1, 1), "--dry-run"}, environment).status == 0);
  CHECK(haloscope({"methods"}, environment).status == 0);
  const Ended broken = haloscope({"simulate", simulation}, environment);
  CHECK(broken.status == 2);
  CHECK(holds(broken.error, "energy.toml:"));
}

TEST_CASE("Ctrl-C ends a simulation inside a device", "[app]") {
  const Program haloscope;
  // 10^8 and more blocks: minutes
  const std::string file =
      haloscope.file("long.toml",
                     "schema = 1\n[[simulate]]\ndevice.name = \"spu\"\ngraph = \"friendster\"\nslices = 1\n"
                     "device.node_buffer_mb = 5.0\ndevice.output_buffer_mb = 5.0\n");
  Process process(Program::command({"simulate", file}), haloscope.environment(), haloscope.folder());
  REQUIRE(process.waitFor("run 1 (1/1)"));
  process.signal(SIGINT);
  const Ended ended = process.wait();
  CAPTURE(ended.error);
  CHECK(ended.status == 130);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  CHECK(Runs(database).find(1)->status == "cancelled");
  CHECK(Runs(database).latest(1).empty());
}

TEST_CASE("what cannot be simulated is refused before anything starts", "[app]") {
  const Program haloscope;
  const std::string none = haloscope.experiment(1, 1);
  const Ended without = haloscope({"simulate", none});
  CHECK(without.status == 2);
  CHECK(holds(without.error, "small.toml: simulate: no such table"));

  const std::string file =
      haloscope.file("wrong.toml",
                     "schema = 1\n[[simulate]]\ndevice.name = \"spu\"\ndevice.node_buffer_mb = 0.0001\n"
                     "graph = \"reddit\"\nlevel = \"cycle\"\nmodel.order = \"aggregate-first\"\n");
  const Ended refused = haloscope({"simulate", file});
  CHECK(refused.status == 2);
  CHECK(
      holds(refused.error,
            "wrong.toml:4:25: simulate.device.node_buffer_mb: holds less than one row of 19 columns in each "
            "half; more bytes, or more slices"));
  CHECK(holds(refused.error,
              "wrong.toml:6:9: simulate.level: 'cycle' counts in a graph, and there are figures only"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));

  std::ifstream in(std::filesystem::path(kSourceDir) / "resources/devices/spu.toml");
  std::string device((std::istreambuf_iterator<char>(in)), {});
  device.replace(device.find("output_buffer_mb = 32.0"), 23, "output_buffer_mb = 1e-5");
  haloscope.file("mine.toml", device);
  const Ended byFile = haloscope(
      {"simulate",
       haloscope.file(
           "by-file.toml",
           "schema = 1\n[[simulate]]\ndevice = \"mine.toml\"\nmodel.order = \"aggregate-first\"\n")});
  CHECK(byFile.status == 2);
  CHECK(holds(byFile.error, "figures.output_buffer_mb: holds less than one row of 2 columns"));

  const Ended counted = haloscope(
      {"simulate",
       haloscope.file("counted.toml",
                      "schema = 1\n[[simulate]]\ndevice = \"spu\"\ngraph = \"orkut\"\ntiling = "
                      "\"exact\"\n[[simulate]]\ndevice = \"spu\"\ntiling = \"replica\"\nband = 0.5\n"
                      "[[simulate]]\ndevice = \"spu\"\ngraph = \"orkutt\"\n"
                      "[[simulate]]\ndevice = \"spu\"\nband = 0.5\n"
                      "[[simulate]]\ndevice = \"spu\"\ngraph = \"orkut\"\nlocality = 0.5\n")});
  CHECK(counted.status == 2);
  CHECK(
      holds(counted.error,
            "counted.toml:5:10: simulate.tiling: 'exact' counts in a graph, and simulate.graph gives figures "
            "only; statistics or replica"));
  CHECK(holds(counted.error,
              "counted.toml:8:10: simulate.tiling: 'replica' is made from published figures: name a graph in "
              "simulate.graph"));
  CHECK(holds(counted.error, "counted.toml:15:8: simulate.band: is for tiling"));
  CHECK(
      holds(counted.error,
            "counted.toml:19:12: simulate.locality: is the share of arcs within simulate.band, which is 1"));
  CHECK(holds(counted.error,
              "counted.toml:12:9: simulate.graph: 'orkutt' is no graph with published figures; did you mean "
              "'orkut'?"));

  const std::string absent = haloscope.file(
      "absent.toml", "schema = 1\n[dataset]\npath = \"not/there\"\n[[simulate]]\ndevice = \"spu\"\n");
  const Ended failed = haloscope({"simulate", absent});
  CHECK((failed.status == 2 || failed.status == 4));
  CHECK(holds(failed.error, "not/there"));
}
