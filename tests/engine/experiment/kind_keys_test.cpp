// Keys of [model] that layer kinds declare as their own.
#include <catch2/catch.hpp>

#include "tests/engine/experiment/known.h"

using namespace halo;

namespace {

std::string problemsWith(const std::vector<Declaration>& kinds, const std::string& model) {
  Known known = test::known();
  known.layers = kinds;
  try {
    (void)parseExperiment("schema = 1\n[model]\n" + model + "\n[[run]]\nmethod = \"vanilla\"", "a.toml",
                          known);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr Parameter kHeads[] = {{"heads", "of the attention", Integer{8, 1, 256}}};
constexpr Parameter kEpsilon[] = {{"learn_epsilon", "train a weight", Flag{}}};

}  // namespace

TEST_CASE("a key of one layer kind is refused for another, which is told who has it", "[experiment]") {
  const std::vector<Declaration> kinds = {
      {"gat", "", "", kHeads}, {"gcn", "", "", {}}, {"gin", "", "", kEpsilon}};
  CHECK(problemsWith(kinds, "heads = 4") ==
        "a.toml:3:9: model.heads: only kind = \"gat\" has heads; model.kind is 'gcn'");
  CHECK(problemsWith(kinds, "kind = \"gat\"\nlearn_epsilon = true") ==
        "a.toml:4:17: model.learn_epsilon: only kind = \"gin\" has an epsilon to learn; model.kind is 'gat'");
  CHECK(problemsWith(kinds, "heads = 8\nlearn_epsilon = false").empty());  // as they are by themselves
  CHECK(problemsWith(kinds, "kind = \"gin\"\nlearn_epsilon = true").empty());
}

TEST_CASE("a kind has a key because it declares it, whatever it is called", "[experiment]") {
  const std::vector<Declaration> kinds = {
      {"gcn", "", "", {}}, {"looks", "", "", kHeads}, {"stares", "", "", kHeads}};
  CHECK(problemsWith(kinds, "kind = \"stares\"\nheads = 4").empty());
  CHECK(problemsWith(kinds, "heads = 4") ==
        "a.toml:3:9: model.heads: only kind = \"looks\" or \"stares\" has heads; model.kind is 'gcn'");
  CHECK(problemsWith({{"gcn", "", "", {}}}, "heads = 4").empty());  // nobody says whose it is
}

TEST_CASE("heads divide hidden in every kind that has heads, unless there is one layer", "[experiment]") {
  const std::vector<Declaration> kinds = {{"gcn", "", "", {}}, {"looks", "", "", kHeads}};
  const std::string model = "kind = \"looks\"\nhidden = 10\nheads = 4\n";
  CHECK(
      problemsWith(kinds, model) ==
      "a.toml:5:9: model.heads: 4 heads do not divide model.hidden = 10, in which they stand side by side; 8 "
      "heads of width 8 are heads = 8 and hidden = 64");
  CHECK(problemsWith(kinds, model + "layers = 1").empty());
  CHECK(problemsWith(kinds, "hidden = 10").empty());  // gcn has none
}
