// The identity tests: every exact method gives what one worker gives, on every hard graph,
// for every rank count this program is started with; and it sends exactly what its predictor says.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "engine/base/index.h"
#include "engine/kernels/threads/work.h"
#include "tests/engine/methods/ran.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kTwentyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
// Where a gradient's terms, some hundredths each, cancel, what is left is their rounding, and compared on
// this scale: a float's, of 80 terms in another order, was 2.2e-8.
constexpr double kCancelled = sizeof(Scalar) == 8 ? 1e-3 : 1e-2;

/// A method with one of its ways to run: its defaults (or what makes it exact, where these do not) with at
/// most one choice or flag changed.
struct Variant {
  const MethodEntry* entry;
  Values parameters;
  std::string words;
  bool has(std::string_view key) const { return parameters.count(std::string(key)) > 0; }
  /// Whether it can run with layer 0 cached, or not.
  bool can(bool cache) const {
    return cache ? entry->alwaysCachesLayer0 || has("layer0_cache") : !entry->alwaysCachesLayer0;
  }
};

/// Every way to run every method of the registry that must give what one worker gives. Caching layer 0 is not
/// among them: what it is compared with caches too.
std::vector<Variant> exactVariants() {
  std::vector<Variant> variants;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (!entry.distributed || (!entry.exact && entry.exactWith.empty())) continue;
    Values fallback = fallbacks(entry.declaration.parameters);
    for (const auto& [key, value] : entry.exactWith) fallback.insert_or_assign(key, value);
    variants.push_back({&entry, fallback, std::string(name)});
    const auto add = [&](const Parameter& parameter, Value value, std::string_view word) {
      Values changed = fallback;
      changed.insert_or_assign(std::string(parameter.key), std::move(value));
      variants.push_back({&entry, changed,
                          std::string(name) + " " + std::string(parameter.key) + " = " + std::string(word)});
    };
    for (const Parameter& parameter : entry.declaration.parameters) {
      if (parameter.key == "layer0_cache") continue;
      const auto fixes = [&](const auto& fixed) { return fixed.first == parameter.key; };
      if (std::ranges::any_of(entry.exactWith, fixes)) continue;  // exact with this value only
      if (const auto* choice = std::get_if<Choice>(&parameter.type)) {
        for (const std::string_view option : choice->options)
          if (option != choice->fallback) add(parameter, Value(std::string(option)), option);
      } else if (const auto* flag = std::get_if<Flag>(&parameter.type)) {
        add(parameter, Value(!flag->fallback), flag->fallback ? "false" : "true");
      }
    }
  }
  return variants;
}

RunSettings settingsOf(const Variant& variant, const std::string& kind, const std::string& order,
                       double dropout, const std::string& norm, bool cache,
                       const std::string& position = "before-aggregation") {
  RunSettings run;
  run.method = std::string(variant.entry->declaration.name);
  run.parameters = variant.parameters;
  run.cluster.workers = worldSize();
  if (variant.has("layer0_cache")) run.parameters.insert_or_assign("layer0_cache", Value(cache));
  run.model.kind = kind;
  run.model.layers = 3;
  run.model.hidden = 11;  // slices for 8 workers, and no number of workers divides it
  run.model.order = order;
  run.model.norm = norm;
  run.model.dropout = dropout;
  run.model.dropoutPosition = position;
  if (kind == "gat") {
    run.model.hidden = 10;
    run.model.heads = 5;
  }
  return run;
}

/// Both can do it; not for each kind, order, cache and number of ranks is every method defined.
bool possible(const Variant& variant, const RunSettings& run, Ran& ran) {
  RunSettings alone = run;
  alone.method = "single";
  const bool both =
      refusals(*variant.entry, run).empty() && refusals(*find<MethodEntry>("single"), alone).empty();
  ran.note(variant.words, run, both);
  return both;
}

Variant single() {
  const MethodEntry* entry = find<MethodEntry>("single");
  return {entry, fallbacks(entry->declaration.parameters), "single"};
}

double largest(std::span<const Scalar> values) {
  double most = 0;
  for (const Scalar v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

// CHECK, not REQUIRE: leaving early on one rank would hang the others in the next collective.
void checkSame(const Trained& reference, Trained& many, double tolerance) {
  const Matrix& logits = *reference.method->logits();
  const Matrix& own = *many.method->logits();
  const double scale = std::max(largest(logits.values()), 1e-30);
  double worst = 0;
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    for (Index c = 0; c < logits.cols(); ++c)
      worst = larger(worst, std::abs(static_cast<double>(own(static_cast<Index>(i), c) -
                                                         logits(many.share.graph.owned[i], c))));
  CHECK(worst <= tolerance * scale);
  const auto expected = reference.model->weights();
  const auto actual = many.model->weights();
  for (std::size_t w = 0; w < expected.size(); ++w) {
    CAPTURE(expected[w].first);
    const auto a = expected[w].second->gradient.values(), b = actual[w].second->gradient.values();
    const double size = std::max(largest(a), 1e-30);
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      difference = larger(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    CHECK(difference <= tolerance * std::max(size, kCancelled));
  }
}

/// So many threads to every kernel, while it lives.
class Threads {
 public:
  explicit Threads(int count) : before_(kernelThreads()) { setKernelThreads(count); }
  ~Threads() { setKernelThreads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

/// One worker's epochs of a run.
struct Alone {
  Trained trained;
  std::vector<EpochRow> epochs;

  Alone(const Dataset& set, const RunSettings& run, int count)
      : trained(MPI_COMM_SELF, set, run, Owners(at(set.vertices()), 0)) {
    for (int epoch = 0; epoch < count; ++epoch) {
      const double loss = trained.method->runEpoch(epoch);
      epochs.push_back(count > 1 ? trained.method->evaluate() : EpochRow{});
      epochs.back().loss = loss;
    }
  }
};

/// The same for many methods to be compared with: trained when first asked for.
class Singles {
 public:
  Singles(const Dataset& set, int epochs) : set_(set), epochs_(epochs) {}
  const Alone& trainedFor(const RunSettings& run) {
    auto& alone = singles_[run.fingerprint()];
    if (!alone) alone = std::make_unique<Alone>(set_, run, epochs_);
    return *alone;
  }

 private:
  const Dataset& set_;
  int epochs_;
  std::map<std::string, std::unique_ptr<Alone>> singles_;
};

}  // namespace

// Weights stand still, so that the second epoch, on the other number of threads, has to give the same again.
// What is aggregated once is so on two threads on every other graph.
TEST_CASE("one epoch of every exact method equals one worker's, on one thread and on two", "[identity]") {
  Ran ran;
  int first = 2;
  for (const Dataset& set : hardGraphs()) {
    first = 3 - first;
    Singles singles(set, 1);
    for (const std::string kind : {"gcn", "graphsage", "gin", "gat"}) {
      for (const std::string order : {"aggregate-first", "update-first", "auto"}) {
        for (const Variant& variant : exactVariants()) {
          if (order == "auto" && variant.entry->autoOrder != "update-last") continue;  // one of the other two
          if (variant.entry->aggregatesFirst && kind != "gat" && order == "update-first") continue;
          const bool always = variant.entry->alwaysCachesLayer0;
          if (always && order == "update-first") continue;  // a cached layer 0 aggregates first
          const bool cache = always || (order == "aggregate-first" && variant.can(true) && kind != "gin");
          const std::string norm = kind == "graphsage" ? "none" : "layer";
          CAPTURE(set.name, kind, order, variant.words, cache, norm);
          RunSettings run = settingsOf(variant, kind, order, 0.0, norm, cache);
          run.training.learningRate = 0;
          if (!possible(variant, run, ran)) continue;
          RunSettings alone = settingsOf(single(), kind, order, 0.0, norm, cache);
          alone.training.learningRate = 0;
          const Alone& reference = singles.trainedFor(alone);
          const Threads restored(first);
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          for (int epoch = 0; epoch < 2; ++epoch) {
            const int threads = epoch == 0 ? first : 3 - first;
            CAPTURE(threads);
            setKernelThreads(threads);
            CHECK(many.method->runEpoch(epoch) == Approx(reference.epochs[0].loss).epsilon(kOneEpoch));
            checkSame(reference.trained, many, kOneEpoch);
          }
        }
      }
    }
  }
  ran.check();
}

// Here most pairs of workers exchange nothing, and rounds of more than two workers have gaps.
TEST_CASE("parts that read from their neighbours alone give what one worker gives", "[identity]") {
  constexpr Index kVertices = 42;
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < kVertices; ++v) arcs.push_back({v, static_cast<Vertex>((v + 1) % kVertices)});
  const Dataset set = datasetOf("ring", kVertices, arcs, false);
  Owners blocks;
  for (Vertex v = 0; v < kVertices; ++v)
    blocks.push_back(static_cast<std::int32_t>(v * worldSize() / kVertices));
  Singles singles(set, 1);
  Ran ran;
  for (const std::string kind : {"gcn", "gat"})
    for (const Variant& variant : exactVariants())
      for (const bool cache : {false, true}) {
        CAPTURE(kind, variant.words, cache);
        const RunSettings run = settingsOf(variant, kind, "auto", 0.0, "layer", cache);
        if (!variant.can(cache) || !possible(variant, run, ran)) continue;
        const Alone& reference = singles.trainedFor(settingsOf(single(), kind, "auto", 0.0, "layer", cache));
        Trained many(MPI_COMM_WORLD, set, run, blocks);
        CHECK(many.method->runEpoch(0) == Approx(reference.epochs[0].loss).epsilon(kOneEpoch));
        checkSame(reference.trained, many, kOneEpoch);
      }
  ran.check();
}

namespace {

/// Twenty epochs of these variants on so many threads, beside one worker's on as many.
void checkTwentyEpochs(const Dataset& set, const std::vector<Variant>& variants, bool after, int threads) {
  const Threads kernels(threads);
  Singles singles(set, 20);
  Ran ran;
  for (const std::string kind : {"gcn", "graphsage", "gin", "gat"}) {
    for (const Variant& variant : variants) {
      for (const bool cache : {false, true}) {
        if (!variant.can(cache)) continue;
        // a cached layer 0 drops after aggregation already: the uncached form shows what the others do
        const bool drops = after && !cache && kind != "gat";
        const std::string position = drops ? "after-aggregation" : "before-aggregation";
        CAPTURE(set.name, kind, variant.words, cache, position, threads);
        const std::string order =
            variant.entry->aggregatesFirst && kind != "gat" ? "aggregate-first" : "auto";
        const RunSettings run = settingsOf(variant, kind, order, 0.5, "layer", cache, position);
        if (!possible(variant, run, ran)) continue;
        const Alone& reference =
            singles.trainedFor(settingsOf(single(), kind, order, 0.5, "layer", cache, position));
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (int epoch = 0; epoch < 20; ++epoch) {
          const EpochRow& expected = reference.epochs[at(epoch)];
          const double loss = many.method->runEpoch(epoch);
          CAPTURE(epoch);
          CHECK(loss == Approx(expected.loss).epsilon(kTwentyEpochs).margin(1e-9));
          if (sizeof(Scalar) == 8 && epoch % 5 == 4) CHECK(many.method->evaluate().train == expected.train);
        }
      }
    }
  }
  ran.check();
}

/// Every method once, as its defaults (or what makes it exact) have it.
std::vector<Variant> plainVariants() {
  std::vector<Variant> plain;
  for (const Variant& variant : exactVariants())
    if (variant.words == variant.entry->declaration.name) plain.push_back(variant);
  return plain;
}

}  // namespace

TEST_CASE("twenty epochs with Adam and dropout follow one worker's, on two threads as on one", "[identity]") {
  const std::vector<Dataset> sets = hardGraphs();
  checkTwentyEpochs(sets[0], exactVariants(), true, 2);
  // the rest where exactness is asserted
  if (sizeof(Scalar) == 4 || std::getenv(kMovesVariable) != nullptr) return;
  for (const std::size_t index : {1U, 8U}) checkTwentyEpochs(sets[index], exactVariants(), false, 1);
  // each of the others on an even or an odd number of ranks
  for (std::size_t index = 2; index < 8; ++index)
    if (worldSize() <= 4 && (index + at(worldSize())) % 2 == 0)
      checkTwentyEpochs(sets[index], plainVariants(), index % 4 < 2, 1);
}

// Minutes: ctest -C nightly.
TEST_CASE("twenty epochs of every way to run every exact method follow one worker's, on every hard graph",
          "[.nightly]") {
  const std::vector<Dataset> sets = hardGraphs();
  for (std::size_t index = 0; index < sets.size(); ++index)
    for (const int threads : {1, 2})
      for (const bool after : {false, true}) checkTwentyEpochs(sets[index], exactVariants(), after, threads);
}

TEST_CASE("one part owns all training vertices of the graph that is called so", "[identity]") {
  const Dataset set = hardGraphs()[8];
  REQUIRE(set.name == kOnePartTrains);
  const Owners owners = scatteredOwners(set, worldSize());
  std::set<std::int32_t> trainers, all(owners.begin(), owners.end());
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (set.split[v] == Split::train) trainers.insert(owners[v]);
  CHECK(trainers.size() == 1);
  CHECK(static_cast<int>(all.size()) == (worldSize() > 2 ? worldSize() - 1 : worldSize()));
  Ran ran;
  for (const Variant& variant : plainVariants()) {
    if (variant.entry->place != nullptr) continue;  // vertices go where the method says
    const RunSettings run = settingsOf(variant, "gcn", "auto", 0, "none", !variant.can(false));
    if (!possible(variant, run, ran)) continue;
    CAPTURE(variant.words);
    Trained many(MPI_COMM_WORLD, set, run, owners);
    CHECK(many.comm.sum(std::int64_t{std::ranges::count(many.share.train, std::uint8_t{1}) > 0}) == 1);
  }
  ran.check();
}

TEST_CASE("what a method sends equals its closed form to the byte and message", "[identity][volume]") {
  // what is counted depends on neither precision nor engine: there two graphs, in every layer's default order
  const bool known = sizeof(Scalar) == 8 || std::getenv(kMovesVariable) != nullptr;
  Ran ran;
  for (const Dataset& set : hardGraphs()) {
    if (known && set.name != hardGraphs()[0].name && set.name != kOnePartTrains) continue;
    for (const std::string kind : {"gcn", "graphsage", "gin", "gat"}) {
      for (const std::string order : {"aggregate-first", "update-first", "auto"}) {
        for (const Variant& variant : exactVariants()) {
          if (variant.entry->aggregatesFirst && order == "update-first") continue;
          if (known && order != "auto") continue;
          for (const bool cache : {false, true}) {
            // a cached layer 0 aggregates first
            if ((cache && order == "update-first") || !variant.can(cache)) continue;
            CAPTURE(set.name, kind, order, variant.words, cache);
            const RunSettings run = settingsOf(variant, kind, order, 0.5, "none", cache);
            if (!possible(variant, run, ran)) continue;
            Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
            for (int epoch = 0; epoch < 2; ++epoch) {
              const bool looks = order == "auto";  // what that sends as well is not counted
              if (looks) many.method->prepareProbe();
              many.method->runEpoch(epoch);
              if (looks) many.method->probeStaleness();
              if (looks) many.method->evaluate();
              CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
            }
          }
        }
      }
    }
  }
  ran.check();
}
