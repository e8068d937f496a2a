// What methods and simulations ask of a layer kind: what it can, never what it is called.
#include "engine/methods/contract/layer_kinds.h"

#include <catch2/catch.hpp>
#include <regex>

#include "engine/methods/contract/method_entry.h"
#include "engine/model/layer.h"

using namespace halo;

namespace {

/// A kind that attends and is called something else, while this lives.
struct AttendingKind {
  AttendingKind() {
    LayerEntry entry = layerKind("gat");
    entry.declaration.name = "looks";
    registry<LayerEntry>().emplace("looks", entry);
  }
  ~AttendingKind() { registry<LayerEntry>().erase("looks"); }
  AttendingKind(const AttendingKind&) = delete;
  AttendingKind& operator=(const AttendingKind&) = delete;
};

std::vector<Problem> refusalsOf(const std::string& method, const std::string& kind) {
  const MethodEntry* entry = find<MethodEntry>(method);
  REQUIRE(entry != nullptr);
  RunSettings run;
  run.method = method;
  run.model.kind = kind;
  run.parameters = fallbacks(entry->declaration.parameters);
  return refusals(*entry, run);
}

/// With another word where `word` stands by itself: "gat", not "aggregate".
std::string replaced(const std::string& text, const std::string& word, const std::string& by) {
  return std::regex_replace(text, std::regex("\\b" + word + "\\b"), by);
}

}  // namespace

TEST_CASE("kinds without attention are listed in the order of their sums, without variants", "[gat]") {
  CHECK(kindsWithoutAttention() == "gcn, graphsage or gin");
  const AttendingKind looks;
  CHECK(kindsWithoutAttention() == "gcn, graphsage or gin");
}

TEST_CASE("every method says of a kind that attends what it says of gat", "[gat]") {
  const AttendingKind looks;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    CAPTURE(name);
    const std::vector<Problem> ofGat = refusalsOf(name, "gat"), ofLooks = refusalsOf(name, "looks");
    REQUIRE(ofGat.size() == ofLooks.size());
    for (std::size_t i = 0; i < ofGat.size(); ++i) {
      CHECK(ofLooks[i].key == ofGat[i].key);
      CHECK(ofLooks[i].message == replaced(ofGat[i].message, "gat", "looks"));
    }
  }
}

TEST_CASE("the messages for gat of methods that cannot sum with it", "[gat]") {
  const auto only = [](const std::string& method) {
    const std::vector<Problem> problems = refusalsOf(method, "gat");
    REQUIRE(problems.size() == 1);
    return problems.front().key + ": " + problems.front().message;
  };
  CHECK(only("sancus") ==
        "model.kind: sancus is not defined for gat, whose attention would mix fresh and older rows in one "
        "softmax; use gcn, graphsage or gin");
  CHECK(
      only("bns") ==
      "model.kind: bns scales the sampled rows of a sum, and inside gat's softmax no such scale is defined; "
      "use gcn, graphsage or gin");
  RunSettings run;
  run.method = "supergcn";
  run.model.kind = "gat";
  const MethodEntry& supergcn = *find<MethodEntry>("supergcn");
  run.parameters = fallbacks(supergcn.declaration.parameters);
  run.parameters["aggregation"] = std::string("pre");
  const std::vector<Problem> problems = refusals(supergcn, run);
  REQUIRE(problems.size() == 1);
  CHECK(problems.front().key == "run.aggregation");
  CHECK(
      problems.front().message ==
      "\"pre\" cannot be used with gat: supergcn cannot sum a part of the neighbours before their softmax is "
      "known; use \"post\", or gcn, graphsage or gin");
}
