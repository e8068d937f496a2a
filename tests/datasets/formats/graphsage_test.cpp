// GraphSAGE's node-link graphs as several versions of networkx and several hands write them.

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "datasets/load.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

const std::string kNoFlags = R"({"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 4})";
const std::string kRing =
    R"([{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 2, "target": 3},
{"source": 3, "target": 4}, {"source": 4, "target": 0}])";

/// A ring of five vertices; `key`: of its links.
std::filesystem::path ring(const OwnCache& own, const std::string& nodes,
                           const std::string& key = "\"links\"", const std::string& links = kRing) {
  own.write("set/toy-id_map.json", R"({"0": 0, "1": 1, "2": 2, "3": 3, "4": 4})");
  own.write("set/toy-class_map.json", R"({"0": 0, "1": 1, "2": 0, "3": 1, "4": 0})");
  own.write("set/toy-G.json", "{\"nodes\": [" + nodes + "], " + key + ": " + links + "}");
  return own.path("set");
}

/// Nodes 0 to 2 without any part, 3 in `third`, 4 in `fourth`.
std::string flagged(const std::string& no, const std::string& third, const std::string& fourth) {
  return "{\"id\": 0" + no + "}, {\"id\": 1" + no + "}, {\"id\": 2" + no + "}, {\"id\": 3" + third +
         "}, {\"id\": 4" + fourth + "}";
}

std::vector<Index> parts(const Dataset& set) {
  return {set.count(Split::train), set.count(Split::valid), set.count(Split::test), set.count(Split::none)};
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const auto& line) { return line.find(words) != line.npos; });
}

std::string refused(const std::string& nodes) {
  const OwnCache own;
  const std::string message = refusalOf(ring(own, nodes));
  return message.substr(std::min(message.size(), message.find("toy-")));
}

}  // namespace

TEST_CASE("flags of nodes are true and false or 1 and 0, val or valid", "[graphsage]") {
  const OwnCache own;
  const std::pair<std::string, std::pair<std::string, std::string>> forms[] = {
      {R"(, "val": false, "test": false)",
       {R"(, "val": true, "test": false)", R"(, "val": false, "test": true)"}},
      {R"(, "val": 0, "test": 0)", {R"(, "val": 1, "test": 0)", R"(, "val": 0, "test": 1)"}},
      {R"(, "valid": 0.0, "test": 0)", {R"(, "valid": 1.0, "test": 0)", R"(, "valid": 0, "test": 1.0)"}},
      {R"(, "val": false)", {R"(, "val": true)", R"(, "test": true)"}},
      {R"(, "val": false, "valid": 0)", {R"(, "val": 1, "valid": true)", R"(, "test": true)"}}};
  for (const auto& [no, flags] : forms) {
    CAPTURE(no);
    const Dataset set = loadAt(ring(own, flagged(no, flags.first, flags.second)));
    CHECK(parts(set) == std::vector<Index>{3, 1, 1, 0});
    CHECK(set.split[3] == Split::valid);
    CHECK(set.split[4] == Split::test);
    CHECK_FALSE(says(set.remarks, "trained on"));
  }
}

TEST_CASE("a GraphSAGE set without one of its maps is refused with what belongs to it", "[graphsage]") {
  for (const char* missing : {"toy-id_map.json", "toy-class_map.json"}) {
    const OwnCache own;
    const auto folder = ring(own, kNoFlags);
    std::filesystem::remove(folder / missing);
    CHECK(refusalOf(folder) ==
          (folder / missing).string() +
              ": is missing; a set of GraphSAGE is NAME-G.json, NAME-id_map.json and NAME-class_map.json");
  }
}

TEST_CASE("any other flag is refused with its node", "[graphsage]") {
  const std::string range = "; true or false, 1 or 0";
  const std::string testPlace = "toy-G.json:1:129: nodes: node '4': ",
                    valPlace = "toy-G.json:1:128: nodes: node '4': ",
                    validPlace = "toy-G.json:1:130: nodes: node '4': ";
  const auto node4 = [](const std::string& flag) {
    return flagged(R"(, "val": false)", R"(, "val": true)", flag);
  };
  CHECK(refused(node4(R"(, "test": "true")")) == testPlace + "test is \"true\"" + range);
  CHECK(refused(node4(R"(, "test": null)")) == testPlace + "test is null" + range);
  CHECK(refused(node4(R"(, "test": 2)")) == testPlace + "test is 2" + range);
  CHECK(refused(node4(R"(, "val": [1])")) == valPlace + "val is [1]" + range);
  CHECK(refused(node4(R"(, "valid": "no")")) == validPlace + "valid is \"no\"" + range);
  CHECK_THAT(refused(node4(R"(, "val": 1, "test": 1)")), Contains("node '4': val and test are both set"));
  CHECK_THAT(refused(node4(R"(, "val": 1, "valid": 0)")), Contains("node '4': val and valid differ"));
}

TEST_CASE("a graph without flags has no split, and a node without them is remarked", "[graphsage]") {
  const OwnCache own;
  const Dataset without = loadAt(ring(own, kNoFlags));
  CHECK(std::count(without.marks.begin(), without.marks.end(), "generated split") == 1);
  const Dataset partial = loadAt(ring(own, flagged("", R"(, "val": true)", R"(, "test": true)")));
  CHECK(parts(partial) == std::vector<Index>{3, 1, 1, 0});
  CHECK(says(partial.remarks, "3 of 5 nodes have neither val nor test; they are trained on"));
}

TEST_CASE("edges is read like links, and one of them alone", "[graphsage]") {
  const OwnCache own;
  for (const char* key : {"\"links\"", "\"edges\""})
    CHECK(loadAt(ring(own, kNoFlags, key)).arcs.nonzeros() == 10);
  CHECK_THAT(refusalOf(ring(own, kNoFlags, "\"edges\": [], \"links\"")),
             Contains("toy-G.json: links: stands beside edges; one list of links"));
  CHECK_THAT(refusalOf(ring(own, kNoFlags, "\"adjacency\"")),
             Contains("toy-G.json: links: is missing; a list"));
  CHECK_THAT(refusalOf(ring(own, kNoFlags, "\"edges\"", R"([{"source": 0, "target": 9}])")),
             Contains("toy-G.json:1:102: edges: link 0 has no target among the nodes"));
}

TEST_CASE("weights and directions of a GraphSAGE graph are remarked", "[graphsage]") {
  const OwnCache own;
  const std::string unused = "are not used: every edge counts the same", directed = "\"directed\": true";
  const Dataset plain = loadAt(ring(own, kNoFlags, "\"directed\": false, \"links\""));
  CHECK_FALSE(says(plain.remarks, unused));
  CHECK_FALSE(says(plain.remarks, directed));
  const Dataset weighted =
      loadAt(ring(own, kNoFlags, "\"links\"",
                  R"([{"source": 0, "target": 1, "key": 0}, {"source": 1, "target": 2, "weight": 3}])"));
  CHECK(says(weighted.remarks, "weights of the edges (`weight`) " + unused));
  CHECK_FALSE(says(
      loadAt(ring(own, kNoFlags, "\"links\"", R"([{"source": 0, "target": 1, "key": 0}])")).remarks, unused));
  const Dataset arcs = loadAt(ring(own, kNoFlags, "\"directed\": true, \"links\""));
  CHECK(arcs.arcs.nonzeros() == 10);
  CHECK(
      says(arcs.remarks, directed + "; inverse arcs are added all the same unless dataset.directed = true"));
}

TEST_CASE("GraphSAGE features of too few rows are refused with their file", "[graphsage]") {
  const OwnCache own;
  const auto folder = ring(own, kNoFlags);
  own.write("set/toy-feats.npy", floats(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
  CHECK(refusalOf(folder) ==
        own.path("set/toy-feats.npy").string() + ": features: 4 rows; 5 vertices need one each");
  own.write("set/toy-feats.npy", floats(5, 2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  CHECK(loadAt(folder).features.cols() == 2);
}

TEST_CASE("ids of two kinds and ids given twice are refused", "[graphsage]") {
  CHECK_THAT(refused(R"({"id": 0}, {"id": "1"}, {"id": 2}, {"id": 3}, {"id": 4})"),
             Contains("toy-G.json:1:30: nodes: the ids are texts and numbers"));
  CHECK_THAT(refused(R"({"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 3})"),
             Contains("toy-G.json:1:63: nodes: node '3' stands there twice; every id once"));
  const OwnCache own;
  const std::string texts = R"({"id": "4"}, {"id": "3"}, {"id": "2"}, {"id": "1"}, {"id": "0"})";
  CHECK(says(loadAt(ring(own, texts)).remarks, "numbers in links are places in the list of nodes"));
  const std::string inOrder = R"({"id": "0"}, {"id": "1"}, {"id": "2"}, {"id": "3"}, {"id": "4"})";
  CHECK_FALSE(says(loadAt(ring(own, inOrder)).remarks, "are places"));
}

TEST_CASE("an id with more digits than a number keeps is refused with its node", "[graphsage]") {
  CHECK_THAT(refused(R"({"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 12345678901234567890123})"),
             Contains("the id of node 4") && Contains("write ids as texts"));
  const OwnCache own;
  const auto set = ring(own, R"({"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 18446744073709551615})",
                        "\"links\"", R"([{"source": 0, "target": 18446744073709551615}])");
  own.write("set/toy-id_map.json", R"({"0": 0, "1": 1, "2": 2, "3": 3, "18446744073709551615": 4})");
  own.write("set/toy-class_map.json", R"({"0": 0, "1": 1, "2": 0, "3": 1, "18446744073709551615": 0})");
  CHECK(loadAt(set).arcs.nonzeros() == 2);
}

TEST_CASE("deep and doubled JSON is refused in every file of GraphSAGE", "[graphsage]") {
  const OwnCache own;
  const auto deep = ring(own, "{\"id\": " + std::string(100'000, '[') + "}");
  CHECK_THAT(refusalOf(deep), Contains("toy-G.json:1:") && Contains("deep"));
  ring(own, kNoFlags);
  own.write("set/toy-id_map.json", R"({"0": 0, "1": 1, "2": 2, "3": 3, "3": 4, "4": 4})");
  CHECK_THAT(refusalOf(own.path("set")), Contains("toy-id_map.json:1:34: '3': stands twice in one object"));
  ring(own, kNoFlags);
  own.write("set/toy-class_map.json", R"({"0": 0, "0": 1})");
  CHECK_THAT(refusalOf(own.path("set")),
             Contains("toy-class_map.json:1:10: '0': stands twice in one object"));
}

TEST_CASE("a pipe in the place of a file of a GraphSAGE set is refused and not waited for", "[graphsage]") {
  for (const char* name : {"set/toy-G.json", "set/toy-id_map.json", "set/toy-class_map.json"}) {
    const OwnCache own;
    ring(own, kNoFlags);
    std::filesystem::remove(own.path(name));
    REQUIRE(::mkfifo(own.path(name).c_str(), 0600) == 0);
    CHECK_THAT(refusalOf(own.path("set")), Contains(std::string(name).substr(4) + ": is a pipe"));
  }
}

TEST_CASE("flags of nodes have any of the usual names", "[graphsage]") {
  const OwnCache own;
  for (const char* name : {"validation", "is_val", "val_mask", "isValid", "dev", "validation-set"}) {
    CAPTURE(name);
    const auto flag = [&](const char* value) { return ", \"" + std::string(name) + "\": " + value; };
    const Dataset set = loadAt(ring(own, flagged(flag("false"), flag("true"), R"(, "is_test": true)")));
    CHECK(parts(set) == std::vector<Index>{3, 1, 1, 0});
    CHECK_FALSE(says(set.remarks, "not read"));
  }
  const Dataset trained =
      loadAt(ring(own, flagged(R"(, "train": false)", R"(, "train": true)", R"(, "train": true)")));
  CHECK(parts(trained) == std::vector<Index>{2, 0, 0, 3});
  CHECK_THAT(refused(flagged("", R"(, "is_val": 1, "validation": 0)", "")),
             Contains("node '3': is_val and validation differ"));
  CHECK_THAT(refused(flagged("", R"(, "train": 1, "is_val": 1)", "")),
             Contains("node '3': train and is_val are both set"));
}

TEST_CASE("features within the graph are remarked where no file holds any", "[graphsage]") {
  const OwnCache own;
  const std::string nodes =
      flagged(R"(, "feature": [1, 2])", R"(, "feature": [1, 2])", R"(, "feature": [1, 2])");
  CHECK(says(loadAt(ring(own, nodes)).remarks,
             "not read of the nodes: 'feature'; features stand in NAME-feats.npy"));
  CHECK_FALSE(says(loadAt(ring(own, flagged("", "", ""))).remarks, "features stand in"));
}

TEST_CASE("a flag of nodes that is not understood is remarked", "[graphsage]") {
  const OwnCache own;
  const auto remarksOf = [&](const std::string& third) {
    return loadAt(ring(own, flagged(R"(, "test": false)", third, R"(, "test": true)"))).remarks;
  };
  CHECK(says(remarksOf(R"(, "held_out": true)"), "not read of the nodes: 'held_out'"));
  CHECK(says(remarksOf(R"(, "split": "val")"), "not read of the nodes: 'split'"));
  CHECK_FALSE(says(remarksOf(R"(, "label": [0, 1], "feature": [0.5], "name": "x")"), "not read"));
}

TEST_CASE("a flag of nodes in numbers or texts that is not understood is remarked", "[graphsage]") {
  const OwnCache own;
  const auto remarksOf = [&](const std::string& no, const std::string& yes) {
    const std::string test = R"(, "test": false, )", last = R"(, "test": true, )";
    return loadAt(ring(own, flagged(test + no, test + yes, last + no))).remarks;
  };
  CHECK(says(remarksOf(R"("eval": 0)", R"("eval": 1)"), "not read of the nodes: 'eval';"));
  CHECK(says(remarksOf(R"("tst": "0")", R"("tst": "1")"), "not read of the nodes: 'tst';"));
  CHECK(says(remarksOf(R"("holdout": 0.0)", R"("holdout": 1.0)"), "not read of the nodes: 'holdout';"));
  CHECK(says(remarksOf(R"("validated": "no")", R"("validated": "yes")"),
             "not read of the nodes: 'validated';"));
  CHECK(says(remarksOf(R"("part": 0)", R"("part": 2)"), "not read of the nodes: 'part';"));
  CHECK(says(remarksOf(R"("split": "0")", R"("split": "7")"), "not read of the nodes: 'split';"));
  CHECK(says(remarksOf(R"("a": 0, "b": 0)", R"("a": 1, "b": 1)"), "not read of the nodes: 'a', 'b';"));
  CHECK_FALSE(says(remarksOf(R"("degree": 1)", R"("degree": 5)"), "not read"));
  CHECK_FALSE(says(remarksOf(R"("year": 1999)", R"("year": 2001)"), "not read"));
}

TEST_CASE("a vertex without a label is trained on by nobody", "[graphsage]") {
  const OwnCache own;
  const std::string test = flagged(R"(, "test": false)", R"(, "test": false)", R"(, "test": true)");
  const auto withClass = [&](const std::string& of3, const std::string& of4) {
    const auto set = ring(own, test);
    own.write("set/toy-class_map.json",
              "{\"0\": 0, \"1\": 1, \"2\": 0, \"3\": " + of3 + ", \"4\": " + of4 + "}");
    return set;
  };
  for (const char* none : {"-1", "null"}) {
    const Dataset set = loadAt(withClass(none, "0"));
    CHECK(parts(set) == std::vector<Index>{3, 0, 1, 1});
    CHECK(set.labels[3] == -1);
  }
  CHECK_THAT(refusalOf(withClass("0", "null")),
             Contains("toy-G.json:1:") && Contains("node '4': test is set, but it has no label"));
}

TEST_CASE("of several GraphSAGE sets in a folder the one named is read", "[graphsage]") {
  const OwnCache own;
  const auto folder = ring(own, kNoFlags);
  own.write("set/zoo-G.json", "{}");
  CHECK_THROWS_WITH(loadAt(folder), Contains("several sets") && Contains("(toy-G.json, zoo-G.json)") &&
                                        Contains("dataset.format = \"graphsage\""));
  CHECK(loadAt(folder / "toy-G.json").vertices() == 5);
}

TEST_CASE("a GraphSAGE graph says whether its links have a direction", "[graphsage]") {
  const OwnCache own;
  const auto arcs = [&](const std::string& key) {
    DatasetRequest request;
    request.name = ring(own, kNoFlags, key + "\"links\"").string();
    request.directed = true;
    return loadDataset(request).arcs.nonzeros();
  };
  const char* const remark = "the file says \"directed\": true; inverse arcs are added all the same";
  for (const char* undirected : {"false", "0", "\"false\"", "\"False\"", "\"0\""}) {
    CAPTURE(undirected);
    const std::string key = "\"directed\": " + std::string(undirected) + ", ";
    CHECK(arcs(key) == 10);
    CHECK_FALSE(says(loadAt(ring(own, kNoFlags, key + "\"links\"")).remarks, remark));
  }
  for (const char* directed : {"true", "1", "\"true\"", "\"True\"", "\"1\""}) {
    CAPTURE(directed);
    const std::string key = "\"directed\": " + std::string(directed) + ", ";
    CHECK(arcs(key) == 5);
    CHECK(says(loadAt(ring(own, kNoFlags, key + "\"links\"")).remarks, remark));
  }
  CHECK(arcs("") == 5);
  for (const char* neither : {"\"maybe\"", "2", "null", "[true]"}) {
    CAPTURE(neither);
    CHECK_THAT(refusalOf(ring(own, kNoFlags, "\"directed\": " + std::string(neither) + ", \"links\"")),
               Contains("toy-G.json:1:") && Contains("directed: ") && Contains("; true or false"));
  }
}

TEST_CASE("links that may be places as well as ids are remarked", "[graphsage]") {
  const OwnCache own;
  const char* const both = "numbers in links are ids; places in the list of nodes fit as well";
  const Dataset set = loadAt(ring(own, R"({"id": 2}, {"id": 0}, {"id": 1}, {"id": 3}, {"id": 4})"));
  CHECK(says(set.remarks, both));
  CHECK(set.arcs.row(0)[0] == 1);
  CHECK_FALSE(says(loadAt(ring(own, kNoFlags)).remarks, both));
}

TEST_CASE("labels and splits of one's own have the ids of a GraphSAGE graph, whatever its rows",
          "[graphsage]") {
  const OwnCache own;
  DatasetRequest request;
  request.name = ring(own, kNoFlags).string();
  own.write("set/toy-id_map.json", R"({"0": 4, "1": 3, "2": 2, "3": 1, "4": 0})");
  request.labels = own.write("mine.json", R"({"0": 0, "1": 0, "2": 0, "3": 1, "4": 1})").string();
  own.write("s/train.csv", "0\n1\n");
  own.write("s/valid.csv", "2\n");
  request.split = own.write("s/test.csv", "3\n").parent_path().string();
  const Dataset set = loadDataset(request);
  CHECK(set.labels == std::vector<std::int32_t>{1, 1, 0, 0, 0});
  CHECK(set.split == std::vector<Split>{Split::none, Split::test, Split::valid, Split::train, Split::train});
  CHECK(says(set.remarks, "mine.json: its vertex numbers are taken for those of the graph's file"));
  own.write("set/toy-id_map.json", R"({"0": 0, "1": 1, "2": 2, "3": 3, "4": 4})");
  CHECK(loadDataset(request).labels == std::vector<std::int32_t>{0, 0, 0, 1, 1});
  own.write("mine.json", R"({"a": 0, "1": 0, "2": 0, "3": 1, "4": 1})");
  CHECK_THAT(refusal([&] { loadDataset(request); }),
             Contains("'a': has a class but is no vertex of the graph's file"));
}

TEST_CASE("numbers in links are all of them ids or all of them places, where ids are texts", "[graphsage]") {
  const OwnCache own;
  const auto loaded = [&](const std::string& ids, const std::string& links) {
    std::string nodes, rows, classes;
    std::istringstream words(ids);
    int row = 0;
    for (std::string id; words >> id; ++row) {
      const std::string comma = row > 0 ? ", " : "", key = comma + "\"" + id + "\": ";
      nodes += comma + "{\"id\": \"" + id + "\"}";
      rows += key + std::to_string(row);
      classes += key + std::to_string(row % 2);
    }
    ring(own, nodes, "\"links\"", links);
    own.write("set/toy-id_map.json", "{" + rows + "}");
    own.write("set/toy-class_map.json", "{" + classes + "}");
    return loadAt(own.path("set"));
  };
  const auto rowsOf = [](const Dataset& set) {
    std::string rows;
    for (Index v = 0; v < set.vertices(); ++v, rows += "|")
      for (const Vertex u : set.arcs.row(v)) rows += std::to_string(u);
    return rows;
  };
  const char* const ids = "numbers in links are ids, though these are texts: all of them are ids, and not ";
  // one is beyond the places
  const Dataset fromOne = loaded(
      "1 2 3 4", R"([{"source": 1, "target": 2}, {"source": 2, "target": 3}, {"source": 3, "target": 4}])");
  CHECK(rowsOf(fromOne) == "1|02|13|2|");
  CHECK(says(fromOne.remarks, std::string(ids) + "all of them places in the list of nodes"));
  CHECK(fromOne.selfLoops == 0);
  const Dataset mixed = loaded("10 20 0", R"([{"source": 0, "target": 10}, {"source": 10, "target": 20}])");
  CHECK(rowsOf(mixed) == "12|0|0|");
  CHECK(says(mixed.remarks, ids));
  // each may be both, but no link has the first place
  const Dataset both = loaded("1 2 3 7", R"([{"source": 1, "target": 2}, {"source": 2, "target": 3}])");
  CHECK(rowsOf(both) == "1|02|1||");
  CHECK(says(both.remarks, std::string(ids) + "every place in the list of nodes is one"));
  // one is no id
  const Dataset places = loaded("1 2 3 7", R"([{"source": 0, "target": 1}, {"source": 1, "target": 3}])");
  CHECK(rowsOf(places) == "1|03||1|");
  CHECK(says(places.remarks, "numbers in links are places in the list of nodes"));
  // one is no id, another no place
  CHECK_THROWS_WITH(loaded("1 2 3 4", R"([{"source": 0, "target": 1}, {"source": 1, "target": 4}])"),
                    Contains("links: link 0 has no source among the nodes"));
}
