// The small inputs that people's reports led to, as `haloscope dataset info` tells of them.
#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/shared_data.h"

using namespace halo;
using namespace halo::test;
using Catch::Contains;

namespace {

std::string caseAt(const std::string& name) { return sharedData("cases/" + name).string(); }

struct ReadCase {
  const char* name;
  int vertices, arcs;
  const char* remark = "";  // part of one
};

constexpr ReadCase kRead[] = {
    {"02-gml-gaps/filtered.gml", 4, 6, "vertex numbers have gaps"},
    {"02-gml-gaps/sparse.gml", 3, 4},
    {"03-mtx-banner/twopercent.mtx", 6, 8},
    {"03-mtx-banner/freeformat.mtx", 5, 6},
    {"04-edges-header/nm.txt", 5, 12, "the first line is taken for counts: 5 vertices, 6 edges"},
    {"28-metis-regular/ring.txt", 6, 12, "taken as metis"},
    {"28-metis-regular/ring.graph", 6, 12},
    {"13-graphsage-json/intflags", 5, 10},
    {"13-graphsage-json/edges", 5, 10},
    {"18-dimacs/col_n.col", 5, 8},
    {"18-dimacs/sp2.gr", 4, 4},
    {"05-bigids/gplus21.txt", 4, 4, "116374117927631468606"},
    {"05-bigids/u64.txt", 3, 4, "18446744073709551615"},
    {"23-packed/b.txt.bz2", 3, 4},
    {"23-packed/z.txt.zst", 3, 4},
    {"14-npz/coo_graph.npz", 6, 8},
    {"14-npz/csr_plain.npz", 6, 8},
    {"14-npz/pyg.npz", 6, 8},
    {"14-npz/onehot.npz", 6, 8, "read as one label a vertex"},
    {"14-npz/nanlabel.npz", 6, 8},
};

constexpr std::pair<const char*, const char*> kRefused[] = {
    {"03-mtx-banner/onepercent_rect.mtx", ":2: a matrix of 4 × 7 is no graph"},
    {"06-csv-empty/ogb", "node-feat.csv:1:5: an empty cell"},
    {"06-csv-empty/edge/e.csv", "e.csv:3:3: an empty cell"},
    {"06-csv-empty/ogb_blank",
     "node-label.csv:2: vertex 1 is in the train part of the split but has no label"},
    {"24-gml/dup2.gml", ":4: a second node with the id 1, which the one on line 3 has"},
    {"23-packed/t.tar.gz", "is a tar archive"},
    {"29-lfs/a.txt", "git lfs pull"},
};

}  // namespace

TEST_CASE("inputs that people reported are read as they are meant", "[app][formats]") {
  if (sharedData("cases").empty()) return;
  const Program haloscope;
  for (const ReadCase& each : kRead) {
    const Ended ended = haloscope({"dataset", "info", caseAt(each.name), "--json"});
    CAPTURE(each.name, ended.out, ended.error);
    REQUIRE(ended.status == 0);
    const auto json = nlohmann::json::parse(ended.out);
    CHECK(json.at("vertices") == each.vertices);
    CHECK(json.at("arcs") == each.arcs);
    CHECK_THAT(json.at("remarks").dump(-1, ' ', false), Contains(each.remark));
  }
}

TEST_CASE("splits and labels of inputs that people reported are those they say", "[app][formats]") {
  if (sharedData("cases").empty()) return;
  const Program haloscope;
  const auto info = [&](const std::string& name) {
    return nlohmann::json::parse(haloscope({"dataset", "info", caseAt(name), "--json"}).out);
  };
  const auto flags = info("13-graphsage-json/intflags");
  CHECK(flags.at("train_vertices") == 3);
  CHECK(flags.at("valid_vertices") == 1);
  CHECK(flags.at("test_vertices") == 1);
  CHECK(info("14-npz/onehot.npz").at("classes") == 3);
  CHECK(info("14-npz/nanlabel.npz").at("unlabelled_vertices") == 1);
}

TEST_CASE("inputs that people reported and that nobody can mean are refused with their place",
          "[app][formats]") {
  if (sharedData("cases").empty()) return;
  const Program haloscope;
  for (const auto& [name, words] : kRefused) {
    const Ended ended = haloscope({"dataset", "info", caseAt(name), "--json"});
    CAPTURE(name, ended.out, ended.error);
    CHECK(ended.status == 4);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.error, Contains(words));
  }
}

TEST_CASE("a file of JSON without an end of brackets is refused with 4", "[app][formats]") {
  const Program haloscope;
  std::filesystem::copy(std::string(kSourceDir) + "/tests/data/good/saint", haloscope.folder() / "saint");
  haloscope.file("saint/role.json", std::string(100'000, '['));
  const Ended ended = haloscope({"dataset", "info", "saint"});
  CAPTURE(ended.error);
  CHECK(ended.status == 4);
  CHECK_THAT(ended.error, Contains("role.json:1:"));
}
