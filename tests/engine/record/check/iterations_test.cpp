#include "tests/engine/record/check/tampered.h"

using namespace halo;
using namespace halo::test;

namespace {

const SoundRun kBatches{.inBatches = true};

}  // namespace

TEST_CASE("iterations that do not make their epoch are found", "[record]") {
  const std::string place = "run 1, epoch 1: ";
  const auto check = [&](const std::string& change, const std::string& finding) {
    checkFound({{("UPDATE iteration SET " + change + " WHERE epoch = 1 AND iteration = 0").c_str(),
                 (place + finding).c_str()}},
               kBatches);
  };
  check("seeds = 4", "its iterations have 6 seeds; 5 vertices are trained on");
  check("seeds = 2", "its iterations have 4 seeds; 5 vertices are trained on");
  check("loss = 9", "its loss is 0.333333333333, the mean of its iterations 5.41333333333");
  check("arcs = 11", "its iterations have 17 arcs, its blocks 16");
  check("bytes_sent = 501", "its iterations sent 881 bytes in 4 messages, the ledger has 880 in 4");
  check("messages = 3", "its iterations sent 880 bytes in 5 messages, the ledger has 880 in 4");
  check("wall_ns = 6000001", "its iterations take 10000001 ns together, it took 10000000");
  checkFound({{"UPDATE iteration SET begin_ns = begin_ns - 1 WHERE epoch = 2 AND iteration = 1",
               "run 1, epoch 2, iteration 1: begins at"},
              {"UPDATE iteration SET wall_ns = -1 WHERE epoch = 2 AND iteration = 1",
               "run 1, epoch 2, iteration 1: wall_ns is -1; a whole number of 0 or more"}},
             kBatches);
}

TEST_CASE("vertex sets of GraphSAINT count alike, whatever they hold", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  database.execute("INSERT INTO parameter(run_id, key, value) VALUES(1, 'run.sampler', '\"saint-node\"')");
  database.execute(
      "UPDATE iteration SET loss = (SELECT loss FROM epoch WHERE epoch.epoch = iteration.epoch)");
  const auto about = [](const Strings& faults, const char* word) {
    return std::ranges::count_if(
        faults, [&](const std::string& fault) { return fault.find(word) != std::string::npos; });
  };
  const Strings fewer = changed(database, "UPDATE iteration SET seeds = 1 WHERE epoch = 1");
  CHECK(about(fewer, "seeds") == 0);
  CHECK(about(fewer, "its loss") == 0);
  CHECK(about(changed(database, "UPDATE iteration SET loss = 9 WHERE epoch = 1 AND iteration = 0"),
              "its loss") == 1);
}

TEST_CASE("batches that are dropped make an epoch of fewer seeds", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  database.execute("INSERT INTO parameter(run_id, key, value) VALUES(1, 'run.drop_last', 'true')");
  database.execute("UPDATE parameter SET value = '6' WHERE key = 'result.training_vertices'");
  for (const std::string& fault : checkRecording(database, help()).faults)
    CHECK(fault.find("seeds") == std::string::npos);
}

TEST_CASE("iterations that are missing or too many are found", "[record]") {
  checkFound(
      {{"DELETE FROM iteration WHERE epoch = 1 AND iteration = 0",
        "run 1, epoch 1: iterations 0 to 0 are not in table iteration, later ones are"},
       {"DELETE FROM iteration WHERE epoch = 1",
        "run 1, epoch 1: has 0 iterations; iterations_per_epoch is 2"},
       {"UPDATE iteration SET epoch = 3 WHERE epoch = 2",
        "run 1, epoch 3: has rows in iteration, block or cache, and none in epoch"},
       {"UPDATE run SET status = 'failed', error = 'x'; UPDATE iteration SET epoch = 4 WHERE epoch = 2",
        "run 1, epoch 4: has rows in iteration, block or cache, and none in epoch"},
       {"UPDATE parameter SET value = '2' WHERE key = 'result.iterations_every'",
        "run 1, epoch 0, iteration 1: is recorded; of 2 iterations one is"},
       {"UPDATE parameter SET value = '0' WHERE key = 'result.iterations_every'",
        "run 1, epoch 0, iteration 0: is recorded, and none was to be"}},
      kBatches);
}

TEST_CASE("blocks that cannot be are found", "[record]") {
  const std::string at = " WHERE epoch = 1 AND rank = 1 AND layer = ";
  const auto check = [&](const std::string& change, int layer, const std::string& finding) {
    const std::string place = "run 1, epoch 1, layer " + std::to_string(layer) + ", worker 1: ";
    checkFound(
        {{("UPDATE block SET " + change + at + std::to_string(layer)).c_str(), (place + finding).c_str()}},
        kBatches);
  };
  check("sources = 3", 0, "its batches have 3 sources and 4 targets, which are the first of them");
  check("nonzeros = 5", 0, "has 5 nonzeros; its 6 arcs, and at most 4 of targets themselves");
  check("nonzeros = 11", 0, "has 11 nonzeros; its 6 arcs, and at most 4 of targets themselves");
  check("remote_targets = 5", 0, "others own 5 of 4 targets, 2 of 6 arcs, 3 of 6 sources");
  check("remote_arcs = 7", 0, "others own 2 of 4 targets, 7 of 6 arcs, 3 of 6 sources");
  check("remote_sources = 7", 0, "others own 2 of 4 targets, 2 of 6 arcs, 7 of 6 sources");
  check("targets = 3", 0,
        "has 3 targets, 2 of others; they are the sources of the next layer: 4, 2 of others");
  checkFound({{"DELETE FROM block WHERE epoch = 1 AND rank = 1 AND layer = 0",
               "run 1, epoch 1: table block has 3 rows; 2 workers of 2 layers make 4"},
              {"UPDATE block SET rank = 5 WHERE epoch = 1 AND rank = 1",
               "run 1, epoch 1: a row of block is of worker 5; the run has 2, from 0"},
              {"UPDATE block SET layer = 7 WHERE epoch = 1 AND layer = 1",
               "run 1: there are rows of layer 7; the model has 2, from 0"},
              {"UPDATE block SET nonzeros = 8 WHERE epoch = 1 AND rank = 0 AND layer = 0",
               "run 1, epoch 1, layer 0, pass forward, worker 0: table layer has 84 FLOP, its 8 nonzeros and "
               "4 targets take 80"},
              {"UPDATE layer SET flop = 49 WHERE epoch = 1 AND rank = 1 AND layer = 1 AND pass = 'forward'",
               "run 1, epoch 1, layer 1, pass forward, worker 1: table layer has 49 FLOP, its 4 nonzeros and "
               "2 targets take 48"}},
             kBatches);
}

TEST_CASE("blocks whose layers exchange rows have own targets alone, the same in all layers", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  database.execute("UPDATE run SET method = 'p2p-minibatch'");
  database.execute(
      "UPDATE block SET targets = 4, remote_targets = 0, remote_arcs = 0, sources = 6, remote_sources = 2");
  const auto aboutBlocks = [](Strings faults) {
    std::erase_if(faults, [](const std::string& fault) {
      return fault.find(" targets, ") == fault.npos || fault.find("layer 1, worker 1") == fault.npos;
    });
    return faults;
  };
  CHECK(aboutBlocks(checkRecording(database, help()).faults) == Strings());
  for (const char* change : {"targets = 3", "remote_targets = 1", "sources = 5", "remote_sources = 1"}) {
    CAPTURE(change);
    const std::string sql =
        std::string("UPDATE block SET ") + change + " WHERE epoch = 1 AND rank = 1 AND layer = 1";
    CHECK(aboutBlocks(changed(database, sql)).size() == 1);
  }
  CHECK(aboutBlocks(
            changed(database, "UPDATE block SET targets = 3 WHERE epoch = 1 AND rank = 1 AND layer = 1")) ==
        Strings{"run 1, epoch 1, layer 1, worker 1: has 3 targets, 0 of others; its own are those of layer "
                "0, 4, and the sources that others do not own: 4"});
}

TEST_CASE("work of layers that update last is held to their blocks", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  database.execute(
      "UPDATE parameter SET value = 'update-last 2, update-last 3' WHERE key = 'result.layer_orders'");
  const auto aboutWork = [&](const char* sql) {
    return std::ranges::count_if(changed(database, sql), [](const std::string& fault) {
      return fault.find(" FLOP, its ") != fault.npos;
    });
  };
  CHECK(aboutWork("UPDATE layer SET flop = flop") == 0);
  CHECK(aboutWork("UPDATE layer SET flop = flop + 1 WHERE epoch = 1 AND rank = 1 AND layer = 1 AND pass = "
                  "'forward'") == 1);
}

TEST_CASE("work is held to the products of the run's layers", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  const auto aboutWork = [&](std::optional<LayerProducts> products) {
    CheckHelp known = help();
    known.traits = [&](const RunRow&, const auto&) {
      return MethodTraits{.exact = true, .lateEpochs = 0, .probed = true, .products = products};
    };
    return std::ranges::count_if(checkRecording(database, known).faults, [](const std::string& fault) {
      return fault.find(" FLOP, its ") != fault.npos;
    });
  };
  CHECK(aboutWork(LayerProducts{}) == 0);
  CHECK(aboutWork(std::nullopt) == 0);
  CHECK(aboutWork(LayerProducts{.own = true}) > 0);
  CHECK(aboutWork(LayerProducts{.second = true}) > 0);
  database.execute(
      "UPDATE layer SET flop = flop + (SELECT 2 * targets * 2 * 3 FROM block WHERE block.epoch = layer.epoch "
      "AND block.rank = layer.rank AND block.layer = 0) WHERE layer = 0 AND pass = 'forward'");
  database.execute(
      "UPDATE layer SET flop = flop + (SELECT 2 * targets * 3 * 2 FROM block WHERE block.epoch = layer.epoch "
      "AND block.rank = layer.rank AND block.layer = 1) WHERE layer = 1 AND pass = 'forward'");
  CHECK(aboutWork(LayerProducts{.own = true}) == 0);
  CHECK(aboutWork(LayerProducts{}) > 0);
}

TEST_CASE("work on slices of the features is that of all workers' blocks together", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, kBatches);
  CheckHelp slices = help();
  slices.traits = [](const RunRow&, const auto&) {
    return MethodTraits{
        .exact = true, .lateEpochs = 0, .probed = true, .slicesInput = true, .products = LayerProducts{}};
  };
  const auto aboutWork = [&](const CheckHelp& help) {
    Strings faults = checkRecording(database, help).faults;
    std::erase_if(faults, [](const std::string& fault) { return fault.find(" FLOP, its ") == fault.npos; });
    return faults;
  };
  database.execute("UPDATE layer SET flop = flop - 2 + 4 * rank WHERE layer = 0 AND pass = 'forward'");
  CHECK_FALSE(aboutWork(help()).empty());
  CHECK(aboutWork(slices) == Strings());
  database.execute("UPDATE layer SET flop = flop + 1 WHERE layer = 0 AND pass = 'forward' AND rank = 1");
  const Strings faults = aboutWork(slices);
  REQUIRE(faults.size() == 3);
  CHECK(faults.front() ==
        "run 1, epoch 0, layer 0, pass forward, all workers: table layer has 173 FLOP, its 19 nonzeros and 8 "
        "targets take 172");
}

TEST_CASE("caches that do not agree with what batches read are found", "[record]") {
  checkFound(
      {{"UPDATE cache SET hits = 5 WHERE epoch = 1 AND rank = 1",
        "run 1, epoch 1, worker 1: its cache has 5 hits and 2 misses; its batches read 6 input rows"},
       {"UPDATE cache SET missed_bytes = 17 WHERE epoch = 1 AND rank = 1",
        "run 1, epoch 1, worker 1: 2 misses of its cache have 17 bytes; of rows of 8 bytes these are 16"},
       {"UPDATE cache SET expected_hits = 7 WHERE epoch = 1 AND rank = 1",
        "run 1, epoch 1, worker 1: expected_hits is 7; from 0 to hits + misses, 6"},
       {"UPDATE cache SET capacity_rows = -1 WHERE epoch = 1 AND rank = 1",
        "run 1, epoch 1, worker 1: capacity_rows is -1; a whole number of 0 or more"}},
      kBatches);
}

TEST_CASE("figures of mini-batches follow from their rows", "[record]") {
  const auto check = [](const char* metric) {
    const std::string change = std::string("UPDATE latest SET value = value * 1.01 WHERE metric = '") +
                               metric + "'",
                      finding = std::string("run 1: table latest has ") + metric;
    checkFound({{change.c_str(), finding.c_str()}}, kBatches);
  };
  for (const char* metric :
       {"iteration_seconds", "mteps", "sampled_arcs_per_second", "hit_ratio", "expected_hit_ratio",
        "missed_bytes_per_epoch", "sampled_arcs_per_epoch", "effective_batch"})
    check(metric);
}
