// The identity tests of methods.md 0.7: every exact method gives what one worker gives, on every hard graph,
// for every rank count this program is started with; and it sends exactly what its predictor says.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kTwentyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

RunSettings settingsOf(const std::string& method, const std::string& kind, const std::string& order,
                       double dropout, const std::string& norm, bool cache) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.parameters.insert_or_assign("layer0_cache", Value(cache));
  run.model.kind = kind;
  run.model.layers = 3;
  run.model.hidden = 7;
  run.model.order = order;
  run.model.norm = norm;
  run.model.dropout = dropout;
  return run;
}

double largest(std::span<const Scalar> values) {
  double most = 0;
  for (const Scalar v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

// CHECK, not REQUIRE: leaving early on one rank would hang the others in the next collective.
void checkSame(const Trained& one, Trained& many, double tolerance) {
  const Matrix& whole = *one.method->logits();
  const Matrix& own = *many.method->logits();
  const double scale = std::max(largest(whole.values()), 1e-30);
  double worst = 0;
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    for (Index c = 0; c < whole.cols(); ++c)
      worst = std::max(worst, std::abs(static_cast<double>(own(static_cast<Index>(i), c) -
                                                           whole(many.share.graph.owned[i], c))));
  CHECK(worst <= tolerance * scale);
  const auto expected = one.model->weights();
  const auto found = many.model->weights();
  for (std::size_t w = 0; w < expected.size(); ++w) {
    CAPTURE(expected[w].first);
    const auto a = expected[w].second->gradient.values(), b = found[w].second->gradient.values();
    const double size = std::max(largest(a), 1e-30);
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      difference = std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    // a gradient that is rounding noise beside the others is compared on their scale
    CHECK(difference <= tolerance * std::max(size, 1e-3));
  }
}

}  // namespace

TEST_CASE("one epoch of every exact method equals one worker's", "[identity]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const std::string order : {"aggregate-first", "update-first"}) {
        for (const std::string overlap : {"none", "local-first"}) {
          const bool cache = order == "aggregate-first" && overlap == "local-first";
          const std::string norm = overlap == "none" ? "layer" : "none";
          CAPTURE(set.name, kind, order, overlap, cache, norm);
          Trained one(MPI_COMM_SELF, set, settingsOf("single", kind, order, 0.0, norm, cache),
                      Owners(static_cast<std::size_t>(set.vertices()), 0));
          RunSettings run = settingsOf("vanilla", kind, order, 0.0, norm, cache);
          run.parameters.insert_or_assign("overlap", Value(overlap));
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set.vertices(), worldSize()));
          const double expected = one.method->runEpoch(0), found = many.method->runEpoch(0);
          CHECK(found == Approx(expected).epsilon(kOneEpoch));
          checkSame(one, many, kOneEpoch);
        }
      }
    }
  }
}

TEST_CASE("twenty epochs with Adam and dropout follow one worker's", "[identity]") {
  const std::vector<Dataset> sets = hardGraphs();
  for (const std::size_t which : {0U, 1U, 8U}) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const bool cache : {false, true}) {
        const Dataset& set = sets[which];
        CAPTURE(set.name, kind, cache);
        Trained one(MPI_COMM_SELF, set, settingsOf("single", kind, "auto", 0.5, "layer", cache),
                    Owners(static_cast<std::size_t>(set.vertices()), 0));
        Trained many(MPI_COMM_WORLD, set, settingsOf("vanilla", kind, "auto", 0.5, "layer", cache),
                     scatteredOwners(set.vertices(), worldSize()));
        for (int epoch = 0; epoch < 20; ++epoch) {
          const double expected = one.method->runEpoch(epoch), found = many.method->runEpoch(epoch);
          CAPTURE(epoch);
          CHECK(found == Approx(expected).epsilon(kTwentyEpochs).margin(1e-9));
          const EpochRow a = one.method->evaluate(), b = many.method->evaluate();
          if (sizeof(Scalar) == 8) CHECK(a.train == b.train);
        }
      }
    }
  }
}

TEST_CASE("what a method sends equals its closed form to the byte and message", "[identity][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const std::string order : {"aggregate-first", "update-first", "auto"}) {
        for (const bool cache : {false, true}) {
          if (cache && order == "update-first") continue;  // a cached layer 0 aggregates first
          CAPTURE(set.name, kind, order, cache);
          Trained many(MPI_COMM_WORLD, set, settingsOf("vanilla", kind, order, 0.5, "none", cache),
                       scatteredOwners(set.vertices(), worldSize()));
          for (int epoch = 0; epoch < 2; ++epoch) {
            many.method->runEpoch(epoch);
            many.method->evaluate();  // sends, but is not counted
            CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
          }
        }
      }
    }
  }
}
