#include "engine/record/analysis/unlike.h"

#include <catch2/catch.hpp>

#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/resolved_keys.h"

using namespace halo;

namespace {

using Keys = std::map<std::string, std::string>;

std::vector<std::string> names(const std::vector<Unlike>& all) {
  std::vector<std::string> names;
  for (const Unlike& unlike : all) names.push_back(unlike.setting);
  return names;
}

}  // namespace

TEST_CASE("what runs are compared for keeps nobody from comparing them", "[record]") {
  RunRow vanilla, pipegcn;
  vanilla.method = "vanilla", pipegcn.method = "pipegcn";
  const Keys a = {{"run.depth", "1"}, {"cluster.workers", "2"}, {"partition.method", "\"metis\""}};
  const Keys b = {{"cluster.workers", "4"}, {"partition.method", "\"metis\""}, {"factor.x", "1"}};
  const ComparedRun both[] = {{vanilla, a}, {pipegcn, b}};
  CHECK(unlikeSettings(both).empty());
  CHECK(unlikeMachines(both).empty());
}

TEST_CASE("settings and machines that runs do not share are named with every run's value", "[record]") {
  RunRow first, second;
  first.host = "nodea", second.host = "nodeb", second.marks = "emulated link";
  const Keys a = {{"training.seed", "1"},
                  {"model.dropout_position", "\"input\""},
                  {"cluster.link.bandwidth_gbit", "0.0"},
                  {"run.layer0_cache", "true"},
                  {"result.layer_orders", "aggregate-first 602"},
                  {"result.partition", "3"}};
  const Keys b = {{"training.seed", "2"},
                  {"model.dropout_position", "\"input\""},
                  {"cluster.link.bandwidth_gbit", "1.0"},
                  {"result.layer_orders", "update-first 128"},
                  {"result.partition", "4"}};
  const ComparedRun both[] = {{first, a}, {second, b}};
  const std::vector<Unlike> settings = unlikeSettings(both);
  CHECK(names(settings) ==
        std::vector<std::string>{"cluster.link.bandwidth_gbit", kUnlikeOrders, "training.seed"});
  CHECK(settings[0].values == std::vector<std::string>{"0.0", "1.0"});
  CHECK(names(unlikeMachines(both)) == std::vector<std::string>{"marks", "host"});
}

TEST_CASE("each setting that moves times or scores is named where it alone differs", "[record]") {
  struct Setting {
    std::string key, value, other, named = key;
  };
  const RunRow run;
  for (const Setting& setting :
       {Setting{kLayerOrders, "aggregate-first 602", "update-first 128", kUnlikeOrders},
        Setting{kKeepsLayer0, "true", "false", "run.layer0_cache"},
        Setting{kElementBytes, "4", "8", kUnlikePrecision}, Setting{"model.dropout_position", "a", "b"},
        Setting{"model.dropout", "0.0", "0.5"}, Setting{"training.evaluate_every", "1", "5"},
        Setting{"training.epochs", "10", "20"}, Setting{"training.seed", "1", "2"},
        Setting{"dataset.split", "a", "b"}, Setting{"cluster.link.latency_us", "50.0", "80.0"},
        Setting{"record.spans", "all", "none"}, Setting{"record.staleness", "0", "10"},
        Setting{"record.checkpoint_s", "0", "60"}, Setting{"cluster.threads", "1", "2"},
        Setting{"cluster.launcher", "local", "hosts"}}) {
    CAPTURE(setting.key);
    const Keys first = {{setting.key, setting.value}}, second = {{setting.key, setting.other}};
    const ComparedRun both[] = {{run, first}, {run, second}}, alike[] = {{run, first}, {run, first}};
    CHECK(names(unlikeSettings(both)) == std::vector<std::string>{setting.named});
    CHECK(unlikeSentence(both) == "runs differ in " + setting.named);
    CHECK(unlikeSentence(alike).empty());
  }
  RunRow modelled;
  modelled.marks = "virtual clock";
  const Keys none;
  const ComparedRun clocks[] = {{run, none}, {modelled, none}};
  CHECK(names(unlikeMachines(clocks)) == std::vector<std::string>{"marks"});
}

TEST_CASE("whether layer 0's aggregate is kept counts, not whether a method has a key for it", "[record]") {
  const RunRow run;
  const Keys withoutCache = {{"run.layer0_cache", "false"}, {"result.keeps_layer0", "false"}},
             withCache = {{"run.layer0_cache", "true"}, {"result.keeps_layer0", "true"}},
             never = {{"result.keeps_layer0", "false"}}, always = {{"result.keeps_layer0", "true"}},
             older = {{"run.layer0_cache", "true"}};
  const auto unlike = [&](const Keys& a, const Keys& b) {
    const ComparedRun both[] = {{run, a}, {run, b}};
    return unlikeSettings(both);
  };
  CHECK(unlike(withoutCache, never).empty());
  CHECK(unlike(withCache, always).empty());
  CHECK(unlike(older, always).empty());
  for (const auto& [a, b] : {std::pair(withoutCache, always), std::pair(never, always)}) {
    REQUIRE(names(unlike(a, b)) == std::vector<std::string>{"run.layer0_cache"});
    CHECK(unlike(a, b)[0].values == std::vector<std::string>{"false", "true"});
  }
}

TEST_CASE("threads that were left to the cores of a host are held against each other as they came out",
          "[record]") {
  RunRow run;
  run.workers = 2;
  const Keys single = {{"cluster.threads", "0"}, {kThreads, "1"}},
             four = {{"cluster.threads", "0"}, {kThreads, "4"}},
             fixedFour = {{"cluster.threads", "4"}, {kThreads, "4"}}, older = {{"cluster.threads", "0"}};
  const auto both = [&](const Keys& a, const Keys& b) {
    return std::vector<ComparedRun>{{run, a}, {run, b}};
  };
  const std::vector<Unlike> unlike = unlikeSettings(both(single, four));
  REQUIRE(names(unlike) == std::vector<std::string>{"cluster.threads"});
  CHECK(unlike[0].values == std::vector<std::string>{"1", "4"});
  CHECK(unlikeSentence(both(single, four)) == "runs differ in cluster.threads");
  CHECK(unlikeSettings(both(four, fixedFour)).empty());
  CHECK(names(unlikeSettings(both(single, fixedFour))) == std::vector<std::string>{"cluster.threads"});
  CHECK(touchesComparison(kThreads));  // what the window keeps of each run's keys
  // what was not recorded is not known
  CHECK(unlikeSettings(both(four, older)).empty());
  const std::vector<Unlike> perhaps = perhapsUnlike(both(four, older));
  REQUIRE(names(perhaps) == std::vector<std::string>{"cluster.threads"});
  CHECK(perhaps[0].values == std::vector<std::string>{"4", "not recorded"});
  CHECK(perhapsUnlike(both(older, older)).empty());
  // cores that more workers share are no other setting; threads that were asked for are
  RunRow more = run;
  more.workers = 8;
  const ComparedRun shared[] = {{run, four}, {more, single}}, fixed[] = {{run, fixedFour}, {more, single}};
  CHECK(unlikeSettings(shared).empty());
  CHECK(names(unlikeSettings(fixed)) == std::vector<std::string>{"cluster.threads"});
}

TEST_CASE("partitioners that balance unlike things are named, whether they have a key for it or not",
          "[record]") {
  const RunRow run;
  const Keys metis = {{"partition.method", "\"metis\""},
                      {"partition.balance", "\"vertices\""},
                      {"result.balanced", "vertices"}},
             nonzeros = {{"partition.method", "\"metis\""},
                         {"partition.balance", "\"nonzeros\""},
                         {"result.balanced", "nonzeros"}},
             random = {{"partition.method", "\"random\""}, {"result.balanced", "vertices"}},
             older = {{"partition.method", "\"random\""}},
             arcs = {{"partition.method", "\"vertex-cut\""}, {"result.balanced", "arcs"}};
  const auto unlike = [&](const Keys& a, const Keys& b) {
    const ComparedRun both[] = {{run, a}, {run, b}};
    return unlikeSettings(both);
  };
  CHECK(unlike(metis, random).empty());
  CHECK(unlike(metis, nonzeros).empty());  // which is what they are compared for
  for (const auto& [a, b] : {std::pair(nonzeros, random), std::pair(arcs, random), std::pair(metis, arcs)})
    CHECK(names(unlike(a, b)) == std::vector<std::string>{"partition.balance"});
  CHECK(unlike(nonzeros, random)[0].values == std::vector<std::string>{"nonzeros", "vertices"});
  CHECK(unlike(nonzeros, older).empty());
  const ComparedRun aged[] = {{run, nonzeros}, {run, older}};
  const std::vector<Unlike> perhaps = perhapsUnlike(aged);
  REQUIRE(names(perhaps) == std::vector<std::string>{"partition.balance"});
  CHECK(perhaps[0].values == std::vector<std::string>{"nonzeros", "not recorded"});
}

TEST_CASE("a partitioner is named where each method has its own, not where partitioners are compared",
          "[record]") {
  RunRow vanilla, pipegcn, alone;
  vanilla.method = "vanilla", pipegcn.method = "pipegcn", alone.method = "bns";
  vanilla.workers = pipegcn.workers = 2;
  const Keys metis = {{"partition.method", "\"metis\""}}, random = {{"partition.method", "\"random\""}};
  const ComparedRun apart[] = {{vanilla, metis}, {pipegcn, random}};
  REQUIRE(names(unlikeSettings(apart)) == std::vector<std::string>{"partition.method"});
  CHECK(unlikeSettings(apart)[0].values == std::vector<std::string>{"\"metis\"", "\"random\""});
  CHECK(unlikeSentence(apart) == "runs differ in partition.method");
  const ComparedRun alike[] = {{vanilla, metis}, {pipegcn, metis}};
  CHECK(unlikeSettings(alike).empty());
  const ComparedRun ofOneMethod[] = {{vanilla, metis}, {vanilla, random}};
  CHECK(unlikeSettings(ofOneMethod).empty());
  const ComparedRun crossed[] = {{vanilla, metis}, {vanilla, random}, {pipegcn, random}};
  CHECK(unlikeSettings(crossed).empty());
  const ComparedRun undivided[] = {{vanilla, metis}, {alone, random}};  // one worker has no partition
  CHECK(unlikeSettings(undivided).empty());
  CHECK(touchesComparison("partition.method"));  // what the window keeps of each run's keys
}

TEST_CASE("a partitioner's imbalance and file are named where they come with something else, not alone",
          "[record]") {
  RunRow vanilla, pipegcn, alone;
  vanilla.method = "vanilla", pipegcn.method = "pipegcn", alone.method = "bns";
  vanilla.workers = pipegcn.workers = 2;
  for (const char* key : {"partition.imbalance", "partition.path", "partition.seed"}) {
    CAPTURE(key);
    const Keys first = {{"partition.method", "\"metis\""}, {key, "1"}},
               second = {{"partition.method", "\"metis\""}, {key, "2"}},
               other = {{"partition.method", "\"rcm\""}, {key, "2"}},
               without = {{"partition.method", "\"rcm\""}};
    const ComparedRun apart[] = {{vanilla, first}, {pipegcn, second}};
    REQUIRE(names(unlikeSettings(apart)) == std::vector<std::string>{key});
    CHECK(unlikeSettings(apart)[0].values == std::vector<std::string>{"1", "2"});
    const ComparedRun partitioners[] = {{vanilla, first}, {vanilla, other}};
    CHECK(names(unlikeSettings(partitioners)) == std::vector<std::string>{key});
    const ComparedRun alike[] = {{vanilla, first}, {pipegcn, first}};
    CHECK(unlikeSettings(alike).empty());
    const ComparedRun ofOne[] = {{vanilla, first}, {vanilla, second}};  // which is what they are compared for
    CHECK(unlikeSettings(ofOne).empty());
    const ComparedRun crossed[] = {{vanilla, first}, {vanilla, second}, {pipegcn, second}};
    CHECK(unlikeSettings(crossed).empty());
    const ComparedRun undivided[] = {{vanilla, first}, {alone, second}};  // one worker has no partition
    CHECK(unlikeSettings(undivided).empty());
    const ComparedRun unasked[] = {{vanilla, first}, {vanilla, without}};  // of a partitioner without the key
    CHECK(unlikeSettings(unasked).empty());
    CHECK(touchesComparison(key));  // what the window keeps of each run's keys
  }
}

TEST_CASE("recorded iterations are held against each other as they came out, where runs ask unlike",
          "[record]") {
  const RunRow run;
  const auto asked = [](const char* what, const char* every) {
    Keys keys = {{"record.iterations", what}};
    if (*every != '\0') keys[kIterationsEvery] = every;
    return keys;
  };
  const auto unlike = [&](const Keys& a, const Keys& b) {
    const ComparedRun both[] = {{run, a}, {run, b}};
    return unlikeSettings(both);
  };
  const std::vector<Unlike> named = unlike(asked("\"auto\"", "3"), asked("\"none\"", "0"));
  REQUIRE(names(named) == std::vector<std::string>{"record.iterations"});
  CHECK(named[0].values == std::vector<std::string>{"3", "0"});
  CHECK(unlike(asked("\"auto\"", "1"), asked("\"all\"", "1")).empty());
  CHECK(unlike(asked("\"auto\"", "1"), asked("\"auto\"", "3")).empty());  // by the iterations that there are
  CHECK(unlike(asked("\"auto\"", ""), asked("\"all\"", "")).empty());     // without mini-batches
  CHECK(unlike(asked("\"auto\"", ""), asked("\"all\"", "1")).empty());
  CHECK(touchesComparison(kIterationsEvery));
  CHECK(unlike({{"record.checkpoint_s", "60"}}, {}).empty());  // which older recordings lack
}

TEST_CASE("what older runs do not say is named as not recorded, and is no difference", "[record]") {
  const RunRow run;
  const Keys newer = {{"result.keeps_layer0", "true"}, {"result.element_bytes", "4"}},
             older = {{"run.layer0_cache", "true"}},  // of a method with such a key
      oldest = {}, other = {{"result.keeps_layer0", "false"}, {"result.element_bytes", "4"}};
  const ComparedRun two[] = {{run, newer}, {run, oldest}};
  CHECK(unlikeSettings(two).empty());
  CHECK(unlikeSentence(two).empty());
  const std::vector<Unlike> perhaps = perhapsUnlike(two);
  REQUIRE(names(perhaps) == std::vector<std::string>{kUnlikePrecision, "run.layer0_cache"});
  CHECK(perhaps[1].values == std::vector<std::string>{"true", "not recorded"});
  const ComparedRun old[] = {{run, older}, {run, oldest}};
  CHECK(unlikeSettings(old).empty());
  CHECK(names(perhapsUnlike(old)) == std::vector<std::string>{"run.layer0_cache"});
  const ComparedRun three[] = {{run, newer}, {run, oldest}, {run, other}};  // two of which do differ
  CHECK(names(unlikeSettings(three)) == std::vector<std::string>{"run.layer0_cache"});
  CHECK(names(perhapsUnlike(three)) == std::vector<std::string>{kUnlikePrecision});
  const ComparedRun recorded[] = {{run, newer}, {run, newer}}, silent[] = {{run, oldest}, {run, oldest}};
  CHECK(perhapsUnlike(recorded).empty());
  CHECK(perhapsUnlike(silent).empty());
}

TEST_CASE("hosts and the bytes of a number are settings, as far as they were recorded", "[record]") {
  const RunRow run;
  const Keys first = {{"cluster.hosts", "[\"a:2\"]"}, {"result.element_bytes", "4"}},
             second = {{"cluster.hosts", "[\"a:1\", \"b:1\"]"}, {"result.element_bytes", "8"}},
             older = {{"cluster.hosts", "[\"a:2\"]"}};
  const ComparedRun both[] = {{run, first}, {run, second}}, aged[] = {{run, first}, {run, older}};
  CHECK(names(unlikeSettings(both)) == std::vector<std::string>{"cluster.hosts", kUnlikePrecision});
  CHECK(unlikeSettings(aged).empty());
}

TEST_CASE("of a run and its simulation the keys that both kinds have are held against each other",
          "[record]") {
  RunRow run, simulation;
  run.kind = "training", simulation.kind = "simulation";
  const Keys a = {{"training.epochs", "5"}, {"model.hidden", "16"}}, b = {{"model.hidden", "32"}};
  const ComparedRun both[] = {{run, a}, {simulation, b}};
  CHECK(names(unlikeSettings(both)) == std::vector<std::string>{"model.hidden"});
}

TEST_CASE("runs that asked for one data set, which had changed in between, differ in its contents",
          "[record]") {
  const RunRow run;
  const auto keysWith = [](const std::string& split, const std::string& digest) {
    Keys keys = {{"dataset.name", "\"karate\""}, {"dataset.split", '"' + split + '"'}};
    if (!digest.empty()) keys["result.data_digest"] = digest;
    return keys;
  };
  const Keys before = keysWith("s.csv", "1"), after = keysWith("s.csv", "2"),
             otherSplit = keysWith("t.csv", "3"), older = keysWith("s.csv", "");
  const auto unlike = [&](const Keys& a, const Keys& b) {
    const ComparedRun both[] = {{run, a}, {run, b}};
    return names(unlikeSettings(both));
  };
  CHECK(unlike(before, before).empty());
  CHECK(unlike(before, after) == std::vector<std::string>{kUnlikeData});
  CHECK(unlike(before, otherSplit) == std::vector<std::string>{"dataset.split"});
  CHECK(unlike(before, older).empty());
  const ComparedRun aged[] = {{run, before}, {run, older}};
  CHECK(names(perhapsUnlike(aged)) == std::vector<std::string>{kUnlikeData});
}

TEST_CASE("a run without computed layers differs in no order of layers", "[record]") {
  const RunRow run;
  const Keys first = {{"result.layer_orders", "update-first 4"}}, none,
             other = {{"result.layer_orders", "aggregate-first 34"}};
  const ComparedRun failed[] = {{run, first}, {run, none}};
  CHECK(unlikeSettings(failed).empty());
  const ComparedRun three[] = {{run, none}, {run, first}, {run, other}};
  REQUIRE(names(unlikeSettings(three)) == std::vector<std::string>{kUnlikeOrders});
  CHECK(unlikeSettings(three)[0].values ==
        std::vector<std::string>{"–", "update-first 4", "aggregate-first 34"});
}

TEST_CASE("columns of repeats are held against each other by what each shares, and by their seeds",
          "[record]") {
  RunRow first, second, elsewhere;
  second.seed = 2, elsewhere.host = "nodeb";
  const Keys a = {{"training.epochs", "5"}}, b = {{"training.epochs", "6"}};
  const ComparedRepeats columns[] = {{{&first, &second}, a}, {{&elsewhere}, b}};
  const std::vector<Unlike> all = unlikeRepeats(columns);
  REQUIRE(names(all) == std::vector<std::string>{"training.epochs", "host", "training.seed"});
  CHECK(all[1].values == std::vector<std::string>{"", "", "nodeb"});
  CHECK(all[2].values == std::vector<std::string>{"1,2", "1"});
  const ComparedRepeats alike[] = {{{&first, &second}, a}, {{&first, &second}, a}};
  CHECK(unlikeRepeats(alike).empty());
}

TEST_CASE("a key that holds several others stands for them", "[record]") {
  const RunRow row;
  const std::map<std::string, std::string> slow = {{"cluster.link", "{ bandwidth_gbit = 0.1 }"},
                                                   {"cluster.link.bandwidth_gbit", "0.1"}};
  const std::map<std::string, std::string> fast = {{"cluster.link", "{ bandwidth_gbit = 0.4 }"},
                                                   {"cluster.link.bandwidth_gbit", "0.4"}};
  const ComparedRun runs[] = {{row, slow}, {row, fast}};
  CHECK(names(unlikeSettings(runs)) == std::vector<std::string>{"cluster.link"});
}

TEST_CASE("what is compared is no difference, nor is what follows from it", "[record]") {
  const std::vector<Unlike> all = {{"model.hidden", {}},
                                   {"cluster.link", {}},
                                   {"cluster.link.bandwidth_gbit", {}},
                                   {kUnlikeOrders, {}},
                                   {"host", {}}};
  const auto left = [&](const std::set<std::string>& compared) {
    std::vector<Unlike> rest = all;
    leaveOut(rest, compared);
    return names(rest);
  };
  using Names = std::vector<std::string>;
  CHECK(left({"run.method"}) == names(all));
  CHECK(left({"model.order"}) == names(all));  // which they have alike
  CHECK(left({"cluster.link"}) == Names{"model.hidden", kUnlikeOrders, "host"});
  CHECK(left({"model.hidden"}) == Names{"cluster.link", "cluster.link.bandwidth_gbit", "host"});
}

TEST_CASE("one sentence names the first differences and counts the others, marks apart", "[record]") {
  std::vector<Unlike> all = {{"marks", {}}};
  CHECK(unlikeSentence(all) == "");
  all.insert(all.begin(), {{"model.order", {}}, {"training.seed", {}}});
  CHECK(unlikeSentence(all) == "runs differ in model.order, training.seed");
  all.insert(all.end(), {{"host", {}}, {"version", {}}});
  CHECK(unlikeSentence(all) == "runs differ in model.order, training.seed, host and 1 more");
  RunRow first, second;
  second.host = "nodeb";
  const Keys a = {{"training.seed", "1"}}, b = {{"training.seed", "2"}};
  CHECK(unlikeSentence(std::vector<ComparedRun>{{first, a}, {second, b}}) ==
        "runs differ in training.seed, host");
  CHECK(unlikeSentence(std::vector<ComparedRun>{{first, a}}) == "");
}
