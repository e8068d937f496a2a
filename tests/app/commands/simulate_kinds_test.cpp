#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Runs a file of simulations; its recording.
Database simulated(const Program& haloscope, const std::string& text) {
  const Ended ended = haloscope({"simulate", haloscope.file("a.toml", "schema = 1\n" + text)});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  return Database(haloscope.folder() / "recordings.db", Access::readOnly);
}

std::string refused(const Program& haloscope, const std::string& text,
                    const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"simulate", haloscope.file("a.toml", "schema = 1\n" + text)};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Ended ended = haloscope(arguments);
  CHECK(ended.status == 2);
  return ended.error;
}

std::vector<std::string> rolesOf(const Runs& runs, std::int64_t run) {
  std::vector<std::string> roles;
  for (const WorkerRow& worker : runs.workers(run)) roles.push_back(worker.role);
  return roles;
}

}  // namespace

TEST_CASE("a pipeline goes from the file to the recording", "[app]") {
  const Program haloscope;
  Database database = simulated(haloscope,
                                "[[simulate]]\npipeline = { stages = 4, link = \"pcie4-x16\" }\nslices = 4\n"
                                "[[simulate]]\npipeline = {}\ngraph = \"papers100m\"\nband = 0.45\n");
  const Runs runs(database);
  const RunRow run = *runs.find(1);
  CHECK(run.method == "pipeline");
  CHECK(run.dataset == "karate");
  CHECK(run.marks.find("simulated") == 0);
  CHECK(holds(run.marks, "assumed dense rate"));
  CHECK(rolesOf(runs, 1) == std::vector<std::string>{"pipeline: sparse (spu)", "pipeline: dense",
                                                     "pipeline: to dense", "pipeline: to sparse"});
  const auto latest = runs.latest(1);
  CHECK(latest.at("stages") == 4);
  CHECK(latest.at("simulated_seconds") <= latest.at("unordered_seconds"));
  CHECK(latest.at("pipeline_gain") ==
        Approx(latest.at("sequential_seconds") / latest.at("simulated_seconds")));
  CHECK(latest.at("epoch_seconds") == latest.at("simulated_seconds"));
  const auto parameters = runs.parameters(1);
  CHECK(parameters.at("sparse.hbm_gbps.source") == "published: MixGCN 4.1");
  CHECK(parameters.at("factor.dense_gmacs.source") == "assumed: no dense device is named");
  CHECK(parameters.at("pipeline.link.bandwidth_gbit") == "200.0");

  // spans of a lane do not overlap, and end with the makespan
  std::int64_t last = 0;
  for (std::int64_t lane = 0; lane < 4; ++lane) {
    std::int64_t until = 0;
    for (const Span& span : Spans(database).all(1, lane)) {
      CHECK(span.beginNs >= until);
      until = span.endNs();
    }
    last = std::max(last, until);
  }
  CHECK(static_cast<double>(last) == Approx(latest.at("simulated_seconds") * 1e9).margin(1));

  CHECK(runs.latest(2).at("stages") == 4);
  CHECK(runs.latest(2).at("unordered_seconds") <= runs.latest(2).at("sequential_seconds"));
  CHECK(runs.latest(2).at("bandwidth_share") == Approx(0.45));
  CHECK(runs.find(2)->dataset == "papers100m");
}

TEST_CASE("an order makes a graph narrow that is, and the pipeline shorter", "[app]") {
  const Program haloscope;
  Database database = simulated(haloscope,
                                "[[simulate]]\n"
                                "pipeline = { ordering = [\"none\", \"rcm\"], dense_gmacs = 3.0 }\n");
  const Runs runs(database);
  const auto none = runs.latest(1), ordered = runs.latest(2);
  CHECK(ordered.at("bandwidth") < none.at("bandwidth"));
  CHECK(ordered.at("stages") <= none.at("stages"));
  CHECK(ordered.at("ordering_gain") >= 1);
  CHECK(runs.parameters(2).at("result.overlaps_phases") == "true");
}

TEST_CASE("what a pipeline cannot be is refused by its key", "[app]") {
  const Program haloscope;
  const std::string message =
      refused(haloscope,
              "[[simulate]]\npipeline = { stages = 0, units = 1, dense = \"spu\" }\n[[simulate]]\n"
              "pipeline.ordering = \"none\"\ngraph = \"orkut\"\nband = 0.5\n[[simulate]]\npipeline = { stage "
              "= 3 }\n");
  CHECK(holds(message, "a.toml:3:23: simulate.pipeline.stages: '0' cannot be used; auto, or a whole number"));
  CHECK(holds(message, "a.toml:3:34: simulate.pipeline.units: 1 cannot be used; at least 2"));
  CHECK(holds(message,
              "a.toml:3:45: simulate.pipeline.dense: 'spu' only aggregates; a device that multiplies"));
  CHECK(holds(message, "a.toml:7:8: simulate.band: is what an order reaches; pipeline.ordering is \"none\""));
  CHECK(holds(message, "simulate.pipeline.stage: unknown key; did you mean 'stages'?"));
  const std::string small = refused(haloscope,
                                    "[[simulate]]\npipeline = {}\nsparse.node_buffer_mb = 1e-5\ngraph = "
                                    "\"orkut\"\nslices = 1\nmodel.order = \"aggregate-first\"\n");
  CHECK(holds(small, "a.toml:4:25: simulate.sparse.node_buffer_mb: holds less than one row of 320 columns"));
}

TEST_CASE("models that devices and nodes cannot do are refused by their key", "[app]") {
  const Program haloscope;
  const std::string message = refused(
      haloscope,
      "[[simulate]]\ndevice = \"spu\"\nmodel.kind = \"gat\"\n[[simulate]]\npipeline = {}\nmodel.kind = "
      "\"gat\"\n[[simulate]]\nplatform = \"hyscale-u250\"\nseeds = 4\nmodel.kind = \"gat\"\nmodel.order "
      "= \"update-first\"\n");
  CHECK(holds(message,
              "a.toml:4:14: simulate.model.kind: 'gat' cannot be simulated here: its coefficients are"));
  CHECK(holds(message,
              "a.toml:7:14: simulate.model.kind: 'gat' cannot be simulated here: its coefficients are"));
  CHECK(holds(message, "a.toml:11:14: simulate.model.kind: 'gat' cannot be simulated here"));
  CHECK(holds(message, "a.toml:12:15: simulate.model.order: 'update-first' cannot be simulated here"));
  CHECK(holds(
      refused(haloscope,
              "[[simulate]]\ndevice.name = \"hygcn\"\ndevice.combination = \"on\"\ngraph = \"reddit\"\n"),
      "simulate.device.combination: 'on' multiplies what was aggregated, and layer 0 of this model "
      "multiplies before; off, or model.order = \"aggregate-first\""));
}

TEST_CASE("orders and kinds of layers change what is simulated", "[app]") {
  const Program haloscope;
  Database database = simulated(haloscope,
                                "[[simulate]]\ndevice = \"spu\"\ngraph = \"reddit\"\nlevel = \"analytic\"\n"
                                "model.order = [\"aggregate-first\", \"auto\"]\n"
                                "[[simulate]]\npipeline = {}\nslices = 4\nmodel.kind = [\"gcn\", \"gin\"]\n");
  const Runs runs(database);
  CHECK(runs.latest(2).at("simulated_operations") < runs.latest(1).at("simulated_operations"));
  CHECK(runs.latest(4).at("sequential_seconds") > runs.latest(3).at("sequential_seconds"));
  CHECK(runs.parameters(2).at("model.order") == "\"auto\"");
}

TEST_CASE("what a file alone shows to be wrong is refused without a simulation", "[app]") {
  const Program haloscope;
  const auto checked = [&](const std::string& text) { return refused(haloscope, text, {"--dry-run"}); };
  CHECK(holds(
      checked("[dataset]\nname = \"cora-like\"\n[[simulate]]\nplatform = \"hyscale-u250\"\n"),
      "a.toml:4:1: simulate.seeds: 1024 of each of 5 trainers are more than the 2708 vertices of the data "
      "set; at most 541"));
  CHECK(holds(
      checked("[[simulate]]\ndevice = \"spu\"\ngraph = \"reddit\"\nband = 1e-4\n"),
      "a.toml:5:8: simulate.band: 0.0001 has room for 1.11e+07 arcs next to the diagonal, and the graph has "
      "1.15e+08; at least 0.0011"));
  CHECK(holds(checked("[[simulate]]\npipeline = {}\ngraph = \"reddit\"\nband = 1e-4\n"),
              "simulate.band: 0.0001 has"));
  CHECK(holds(
      checked("[[simulate]]\ncluster = \"emulated-10gbe\"\nsensitivity = 0.5\n"),
      "a.toml:4:15: simulate.sensitivity: 0.5 cannot be used; a factor above 1, or 0 where it is not asked"));
}

TEST_CASE("what a device cannot do by the counts of its graph is refused without a simulation", "[app]") {
  const Program haloscope;
  const auto checked = [&](const std::string& text) { return refused(haloscope, text, {"--dry-run"}); };
  CHECK(holds(checked("[[simulate]]\ndevice = \"gpu\"\ngraph = \"papers100m\"\nslices = 1\nmodel.order = "
                      "\"aggregate-first\"\n"),
              "figures.memory_gb: holds 24 GB; the graph with rows and sums of 128 columns takes"));
  CHECK(
      holds(checked("[dataset]\nname = \"reddit-like\"\n[[simulate]]\ndevice = \"spu\"\nlevel = \"cycle\"\n"),
            "a.toml:6:9: simulate.level: 'cycle' is for at most 1000000 nonzeros, and the graph has"));
  CHECK(holds(
      checked("[[simulate]]\ndevice.name = \"fpga\"\ndevice.memory_model = \"shares\"\nlevel = \"cycle\"\n"),
      "a.toml:4:23: simulate.device.memory_model: level 'cycle' counts DDR's banks"));
  CHECK(holds(
      checked("[[simulate]]\npipeline = {}\nsparse.node_buffer_mb = 0.001\nsparse.output_buffer_mb = "
              "0.001\ngraph = \"papers100m\"\n"),
      "a.toml:4:25: simulate.sparse.node_buffer_mb: with device.output_buffer_mb cuts this graph into more "
      "than 200 million blocks"));
  CHECK(holds(checked("[[simulate]]\nplatform = \"hyscale-u250\"\nseeds = 4\ntrain_vertices = 19\n"),
              "a.toml:4:9: simulate.seeds: 4 of each of 5 trainers are more than the 19 vertices of "
              "simulate.train_vertices; at most 3"));
}

TEST_CASE("a node of cards goes from the file to the recording, mode by mode", "[app]") {
  const Program haloscope;
  Database database = simulated(
      haloscope,
      "[dataset]\nname = \"products-like\"\nscale = 0.002\n[model]\nhidden = 256\n[[simulate]]\n"
      "platform.name = \"hyscale-u250\"\nmode = [\"serial\", \"baseline\", \"hybrid\", \"managed\", "
      "\"two-stage\"]\ntrain_vertices = 196615\niterations = 60\n");
  const Runs runs(database);
  double before = 1e9;
  for (std::int64_t id = 1; id <= 5; ++id) {
    const auto latest = runs.latest(id);
    CAPTURE(runs.find(id)->name);
    CHECK(latest.at("iteration_seconds") <= before * 1.01);
    before = latest.at("iteration_seconds");
    // 5 trainers of 1024 seeds
    CHECK(latest.at("epoch_seconds") == Approx(39 * latest.at("iteration_seconds")));
    // neither shared memory nor threads nor launches; mini-batches vary around those of mean size
    CHECK(latest.at("predicted_iteration_seconds") <= 1.02 * latest.at("iteration_seconds"));
    CHECK(latest.at("predicted_iteration_seconds") >= 0.7 * latest.at("iteration_seconds"));
  }
  CHECK(runs.latest(1).at("cpu_share") == 0);
  CHECK(runs.latest(2).at("cpu_share") == 0);
  CHECK(runs.parameters(5).at("result.batch") == "5120");
  CHECK(runs.parameters(5).at("platform.pcie_gbps.source").find("assumed: ") == 0);
  CHECK(runs.find(1)->method == "platform");
  CHECK(rolesOf(runs, 1) == std::vector<std::string>{"hyscale-u250: sample", "hyscale-u250: load",
                                                     "hyscale-u250: transfer", "hyscale-u250: train on cards",
                                                     "hyscale-u250: synchronise"});
  CHECK(holds(runs.artifact(5, "iterations")->bytes, "decision"));
  // without prefetching stages follow each other: no two spans at once
  std::vector<Span> all;
  for (std::int64_t lane = 0; lane < 5; ++lane)
    for (const Span& span : Spans(database).all(1, lane)) all.push_back(span);
  std::ranges::sort(all, {}, &Span::beginNs);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].beginNs >= all[i - 1].endNs() - 1);
}

TEST_CASE("what each trainer's gradient counts is recorded, by seeds or all alike", "[app]") {
  const Program haloscope;
  Database database =
      simulated(haloscope,
                "[[simulate]]\nplatform.name = \"hyscale-u250\"\nplatform.cards = 3\nseeds = 4\n"
                "average = [\"weighted\", \"plain\"]\n");
  const Runs runs(database);
  const auto weighted = runs.parameters(1);
  const int own = std::stoi(weighted.at("result.cpu_seeds")), batch = std::stoi(weighted.at("result.batch"));
  REQUIRE(own > 0);
  std::istringstream words(weighted.at("result.gradient_weights"));
  std::vector<double> weights;
  for (std::string word; std::getline(words, word, ',');) weights.push_back(std::stod(word));
  REQUIRE(weights.size() == 4);
  CHECK(weights[0] == Approx(static_cast<double>(own) / batch));
  CHECK(weights[0] + weights[1] + weights[2] + weights[3] == Approx(1));
  CHECK(runs.parameters(2).at("result.gradient_weights") == "0.25, 0.25, 0.25, 0.25");
  CHECK(runs.latest(2).at("simulated_seconds") == runs.latest(1).at("simulated_seconds"));
}

TEST_CASE("what a node cannot be is refused by its key", "[app]") {
  const Program haloscope;
  const std::string message =
      refused(haloscope,
              "[[simulate]]\nplatform = \"hyscale-u25\"\n[[simulate]]\nplatform.name = \"hyscale-u250\"\n"
              "platform.cards = 0\nfanouts = \"25\"\nmode = \"three-stage\"\n[[simulate]]\nplatform = "
              "\"hyscale-a5000\"\nfanouts = \"a,b\"\n");
  CHECK(holds(message,
              "a.toml:3:12: simulate.platform: 'hyscale-u25' is no platform of this version; did you mean "
              "'hyscale-u250'?"));
  CHECK(holds(message,
              "a.toml:6:18: simulate.platform.cards: 0 cannot be used; a whole number from 1 to 1024"));
  CHECK(holds(message, "a.toml:7:11: simulate.fanouts: '25' has 1 number, and the model 2 layers; one each"));
  CHECK(holds(message, "simulate.mode: 'three-stage' cannot be used; one of keys"));
  CHECK(holds(message, "simulate.fanouts: 'a' of 'a,b' cannot be used; 1 to 1024, or all"));
}

TEST_CASE("keys of a platform that say two things are refused", "[app]") {
  const Program haloscope;
  const auto saidOf = [&](const std::string& keys) {
    return refused(haloscope, "[[simulate]]\nplatform = \"hyscale-u250\"\n" + keys);
  };
  CHECK(holds(saidOf("mode = \"baseline\"\nprefetch = \"two\"\n"),
              "simulate.prefetch: mode = \"baseline\" decides it; leave one of them out"));
  CHECK(holds(
      saidOf("mapping = \"5200/40/40/48\"\n"),
      "simulate.mapping: '5200/40/40/48' cannot be used; seeds up to 5116 (one for each of 4 cards) and "
      "threads that make 128"));
  CHECK(holds(saidOf("mapping = \"1024/40/40/48\"\ncpu_trains = false\n"),
              "simulate.mapping: '1024/40/40/48' gives the processors 1024 seeds, and cpu_trains = false"));
  CHECK(holds(saidOf("sizes = \"hp-gnn\"\nfanouts = \"10,10\"\n"),
              "simulate.sizes: hp-gnn has fan-outs 25,10 alone, and not 10,10"));
}

TEST_CASE("simulations whose lists mean the same have one fingerprint", "[app]") {
  const Program haloscope;
  const auto fingerprintOf = [&](const std::string& keys) {
    const Ended ended = haloscope(
        {"simulate", haloscope.file("a.toml", "schema = 1\n[[simulate]]\n" + keys), "--dry-run", "--json"});
    CAPTURE(ended.error);
    REQUIRE(ended.status == 0);
    return jsonLines(ended.out).front().at("fingerprint").get<std::string>();
  };
  const std::string node = "platform = \"hyscale-a5000\"\nseeds = 4\nfanouts = ";
  CHECK(fingerprintOf(node + "\"25,10\"\n") == fingerprintOf(node + "\"25,  10\"\n"));
  CHECK(fingerprintOf(node + "\"25,10\"\n") != fingerprintOf(node + "\"10,25\"\n"));
  CHECK(holds(refused(haloscope, "[[simulate]]\n" + node + "\"025,10\"\n"),
              "simulate.fanouts: '025' of '025,10' cannot be used; 1 to 1024, or all"));
  CHECK(holds(refused(haloscope, "[[simulate]]\npipeline = { stages = \"04\" }\n"),
              "'04' cannot be used; auto, or a whole number from 1 to 100000 without leading zeros"));
}

TEST_CASE("nothing is simulated of a graph without edges", "[app]") {
  const Program haloscope;
  haloscope.file("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 5 0\n");
  struct Case {
    const char *table, *nothingTo;
  };
  for (const Case& simulation :
       {Case{"device = \"spu\"\ntiling = \"exact\"\n", "aggregate"}, Case{"pipeline = {}\n", "aggregate"},
        Case{"cluster = \"ethernet-10g\"\nmethod = \"vanilla\"\nworkers = 2\n", "aggregate"},
        Case{"platform = \"hyscale-u250\"\nseeds = 1\n", "sample"}}) {
    CAPTURE(simulation.table);
    const std::string message = refused(
        haloscope, std::string("[[simulate]]\n") + simulation.table + "dataset.path = \"none.mtx\"\n");
    CHECK(holds(message, std::string("dataset.path: has no edges, so that there is nothing to ") +
                             simulation.nothingTo));
    CHECK(holds(message, "a.toml:"));
  }
  CHECK(holds(refused(haloscope, "[dataset]\npath = \"none.mtx\"\n[[simulate]]\ndevice = \"spu\"\n"),
              "a.toml:3:8: dataset.path: has no edges"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("what a device cannot do with a file's graph is refused before anything is recorded", "[app]") {
  const Program haloscope;
  // 40 columns of features, which only the file tells
  std::string features;
  for (int v = 0; v < 3; ++v)
    for (int c = 0; c < 40; ++c) features += std::to_string(c) + (c < 39 ? "," : "\n");
  haloscope.file("two.txt", "0 1\n1 2\n");
  haloscope.file("features.csv", features);
  const std::string message =
      refused(haloscope,
              "[dataset]\npath = \"two.txt\"\nfeatures = \"features.csv\"\n[[simulate]]\ndevice.name = "
              "\"engn\"\nslices = 1\nmodel.order = \"aggregate-first\"\ndevice.vertex_cache_mb = 0.0001\n");
  CHECK(
      holds(message, "a.toml:9:26: simulate.device.vertex_cache_mb: holds less than one row of 40 columns"));
  CHECK_FALSE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
}

TEST_CASE("slices without columns and workers without vertices are simulated with nothing to do", "[app]") {
  const Program haloscope;
  haloscope.file("two.txt", "0 1\n1 2\n");
  Database database = simulated(
      haloscope,
      "[dataset]\npath = \"two.txt\"\n[model]\nhidden = 8\n[[simulate]]\ndevice = \"spu\"\ntiling = "
      "\"exact\"\nslices = 500\n[[simulate]]\ncluster = \"ethernet-10g\"\nmethod = "
      "\"vanilla\"\nworkers = 6\n[[simulate]]\ncluster = \"ethernet-10g\"\nmethod = \"mop\"\nworkers = 8\n");
  const Runs runs(database);
  CHECK_FALSE(runs.parameters(2).contains("result.ranks_per_part"));
  CHECK(runs.parameters(3).at("result.ranks_per_part") == "8");
  for (const std::int64_t run : {1, 2, 3}) {
    CAPTURE(run);
    CHECK(runs.find(run)->status == "completed");
    CHECK(runs.latest(run).at("epoch_seconds") > 0);
    for (const auto& [name, value] : runs.latest(run)) {
      CAPTURE(name);
      CHECK(std::isfinite(value));
    }
  }
}
