// The invariants of CAGNET. That each variant gives what one worker gives, and sends what its
// closed form says, stands among the identity tests; here for every grid these ranks can form.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr int kLayers = 3;

RunSettings settingsOf(const std::string& method, const std::string& kind) {
  return settingsFor(method, kind, kLayers, 7, 0.5);
}

RunSettings cagnet(const std::string& variant, std::int64_t replication, const std::string& kind = "gcn") {
  RunSettings run = settingsOf("cagnet", kind);
  run.parameters.insert_or_assign("variant", Value(variant));
  run.parameters.insert_or_assign("replication", Value(replication));
  run.cluster.workers = worldSize();
  return run;
}

/// Every layout that these ranks can take.
std::vector<RunSettings> layouts(const std::string& kind) {
  std::vector<RunSettings> all{cagnet("1d", 2, kind)};
  for (int copies = 1; copies <= worldSize(); ++copies)
    if (worldSize() % copies == 0) all.push_back(cagnet("1.5d", copies, kind));
  const RunSettings square = cagnet("2d", 2, kind);
  if (refusals(*find<MethodEntry>("cagnet"), square).empty()) all.push_back(square);
  return all;
}

double largestDifference(Trained& single, Trained& many) {
  double worst = 0;
  const auto a = single.model->weights(), b = many.model->weights();
  for (std::size_t w = 0; w < a.size(); ++w)
    for (Index i = 0; i < a[w].second->gradient.size(); ++i)
      worst = larger(worst, std::abs(static_cast<double>(a[w].second->gradient.data()[i]) -
                                     static_cast<double>(b[w].second->gradient.data()[i])));
  return worst;
}

/// Widths that an epoch multiplies by in one direction: of the rows that enter the layers forward (aggregate
/// first), and of their outputs' gradients backward.
std::vector<Index> widthsOf(const Trained& many, Pass pass) {
  const std::vector<Index>& d = many.model->widths();
  return pass == Pass::forward ? std::vector<Index>(d.begin(), d.end() - 1)
                               : std::vector<Index>(d.begin() + 1, d.end());
}

/// Vertices of each rank.
std::vector<Index> sizesOf(const Owners& owners) {
  std::vector<Index> sizes(at(worldSize()), 0);
  for (const std::int32_t owner : owners) ++sizes[at(owner)];
  return sizes;
}

/// Messages of one direction where each of P / c row blocks has c copies, by definition: the copies exchange
/// their rows, and their parts of the sum; each block goes once to the other ranks of one grid column. Of
/// nothing there is no message.
std::int64_t messages15d(const Owners& owners, Index c) {
  const std::vector<Index> sizes = sizesOf(owners);
  const auto P = static_cast<Index>(sizes.size());
  std::int64_t messages = 0;
  for (Index block = 0; block < P / c; ++block) {
    std::int64_t copies = 0;
    for (Index k = 0; k < c; ++k) copies += sizes[at(block * c + k)] > 0 ? 1 : 0;
    messages += 2 * copies * (c - 1) + (copies > 0 ? P / c - 1 : 0);
  }
  return kLayers * messages;
}

/// The same of a q × q grid: rows become columns and come back within a grid row, along which each block of P
/// that has entries goes once, as each slice of a row block does along its grid column.
std::int64_t messages2d(const Trained& many, Pass pass) {
  const std::vector<Index> sizes = sizesOf(many.owners);
  const auto q = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(sizes.size()))));
  const auto size = [&](Index I, Index J) { return sizes[at(I * q + J)]; };
  std::set<std::pair<Index, Index>> blocks;  // that have entries
  for (Index v = 0; v < many.propagation.rows(); ++v)
    for (const Vertex u : many.propagation.row(v))
      blocks.emplace(many.owners[at(v)] / q, many.owners[at(u)] / q);
  std::int64_t messages = 0;
  for (const Index width : widthsOf(many, pass)) {
    const auto slice = [&](Index J) { return (J + 1) * width / q - J * width / q; };
    for (Index I = 0; I < q; ++I)
      for (Index J = 0; J < q; ++J) {
        Index rows = 0;
        for (Index K = 0; K < q; ++K) {
          rows += size(I, K);
          if (K != J) messages += (size(I, J) * slice(K) > 0 ? 1 : 0) + (size(I, K) * slice(J) > 0 ? 1 : 0);
        }
        messages += rows * slice(J) > 0 ? q - 1 : 0;
      }
    messages += std::ssize(blocks) * (q - 1);
  }
  return messages;
}

struct Sent {
  std::int64_t bytes = 0, messages = 0;
};
/// By all ranks in one direction, but for the gradients of the weights.
Sent sentIn(Trained& many, const Flows& flows, Pass pass) {
  Sent sent;
  for (const auto& [key, flow] : flows) {
    if (std::get<1>(key) != pass || std::get<2>(key) < 0) continue;
    sent.messages += flow.first;
    sent.bytes += flow.second;
  }
  return {many.comm.sum(sent.bytes), many.comm.sum(sent.messages)};
}

}  // namespace

TEST_CASE("every layout of cagnet gives what one worker gives, on directed graphs and uneven blocks",
          "[cagnet]") {
  for (const std::size_t index : {0U, 4U, 8U}) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const RunSettings& run : layouts(kind)) {
        const Dataset set = hardGraphs()[index];
        CAPTURE(set.name, kind, run.parameters.text("variant"), run.parameters.integer("replication"));
        Trained single(MPI_COMM_SELF, set, settingsOf("single", kind), Owners(at(set.vertices()), 0));
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (int epoch = 0; epoch < 2; ++epoch) {
          const double expected = single.method->runEpoch(epoch);
          CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
          CHECK(measuredOf(many) == predictedIn(many, epoch));
          CHECK(largestDifference(single, many) <= kSame);
        }
      }
    }
  }
}

TEST_CASE("a run of cagnet says how many ranks have one row block", "[cagnet]") {
  const Dataset set = hardGraphs()[0];
  const int P = worldSize();
  for (const RunSettings& run : layouts("gcn")) {
    const std::string variant = run.parameters.text("variant");
    CAPTURE(variant);
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, P));
    std::int64_t sharers = 1;
    if (variant == "1.5d") sharers = run.parameters.integer("replication");
    if (variant == "2d") sharers = std::llround(std::sqrt(static_cast<double>(P)));
    CHECK(many.method->findings().at("result.ranks_per_part") == std::to_string(sharers));
  }
}

TEST_CASE("1.5d with one copy is 1d, bit for bit and byte for byte", "[cagnet]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  Trained plain(MPI_COMM_WORLD, set, cagnet("1d", 2), owners);
  Trained single(MPI_COMM_WORLD, set, cagnet("1.5d", 1), owners);
  for (int epoch = 0; epoch < 3; ++epoch) {
    CHECK(plain.method->runEpoch(epoch) == single.method->runEpoch(epoch));
    CHECK(measuredOf(plain) == measuredOf(single));
  }
  CHECK(largestDifference(plain, single) == 0);
}

TEST_CASE("cagnet's volumes are those of its formulas", "[cagnet][volume]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  const std::int64_t n = set.vertices(), P = worldSize(), element = sizeof(Scalar);
  for (const std::string kind : {"gcn", "gin"}) {  // with values and without
    for (const RunSettings& run : layouts(kind)) {
      CAPTURE(kind, run.parameters.text("variant"), run.parameters.integer("replication"));
      Trained many(MPI_COMM_WORLD, set, run, owners);
      many.method->runEpoch(0);
      const Flows flows = measuredOf(many);
      const std::vector<Index>& d = many.model->widths();
      for (const auto& [pass, widths] :
           {std::pair{Pass::forward, d[0] + d[1] + d[2]}, std::pair{Pass::backward, d[1] + d[2] + d[3]}}) {
        const Sent sent = sentIn(many, flows, pass);
        if (run.parameters.text("variant") == "2d") {
          const auto q = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(P))));
          // each element of X and of the product leaves its rank for another but for its own columns
          std::int64_t moved = 0;
          for (int l = 0; l < kLayers; ++l) {
            const Index width = d[at(l) + (pass == Pass::backward ? 1 : 0)];
            for (std::size_t v = 0; v < owners.size(); ++v) {
              const std::int64_t J = owners[v] % q;
              moved += 2 * (width - ((J + 1) * width / q - J * width / q));
            }
          }
          const std::int64_t entry = 4 + (kind == "gcn" ? element : 0);
          CHECK(sent.bytes == (n * (q - 1) * widths + moved) * element +
                                  kLayers * (q - 1) * many.propagation.nonzeros() * entry);
          CHECK(sent.messages == messages2d(many, pass));
          continue;
        }
        const std::int64_t c =
            run.parameters.text("variant") == "1d" ? 1 : run.parameters.integer("replication");
        CHECK(sent.bytes == (n * (P / c - 1) + 2 * (c - 1) * n) * widths * element);
        CHECK(sent.messages == messages15d(owners, c));
      }
    }
  }
}

TEST_CASE("each copy of a row block does its own share of 1.5d's broadcasts", "[cagnet][volume]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  const int P = worldSize();
  for (int c = 1; c <= P; ++c) {
    if (P % c != 0) continue;
    CAPTURE(c);
    Trained many(MPI_COMM_WORLD, set, cagnet("1.5d", c), owners);
    many.method->runEpoch(0);
    Flows flows = measuredOf(many);
    const int me = many.comm.rank(), rows = P / c, row = me / c, column = me % c;
    const auto own = [&](int rank) { return static_cast<Index>(std::ranges::count(owners, rank)); };
    Index block = 0;
    for (int k = 0; k < c; ++k) block += own(row * c + k);
    // CAGNET's 1.5D: replica k's share of the row blocks is [⌊k rows / c⌋, ⌊(k + 1) rows / c⌋)
    const bool roots = column * rows / c <= row && row < (column + 1) * rows / c;
    for (int l = 0; l < kLayers; ++l)
      for (const Pass pass : {Pass::forward, Pass::backward})
        for (int other = 0; other < P; ++other) {
          if (other == me) continue;
          Index elements = 0;
          if (other / c == row)
            elements = own(me) + own(other);  // rows to be copied, and its part of their sum
          else if (other % c == column && roots)
            elements = block;
          Layer& layer = many.model->layer(l);
          elements *= pass == Pass::forward ? layer.propagatedWidth() : layer.returnedWidth();
          CAPTURE(l, static_cast<int>(pass), other);
          CHECK(flows[{l, pass, other}].second == elements * static_cast<Index>(sizeof(Scalar)));
        }
  }
}

TEST_CASE("2d holds three dense panels, one block that passes, and the own rows by columns, to the byte",
          "[cagnet][memory]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  for (const std::string kind : {"gcn", "gin"}) {  // with values and without
    const RunSettings run = cagnet("2d", 2, kind);
    if (!refusals(*find<MethodEntry>("cagnet"), run).empty()) return;
    CAPTURE(kind);
    Trained many(MPI_COMM_WORLD, set, run, owners);
    for (int epoch = 0; epoch < 3; ++epoch) many.method->runEpoch(epoch);
    const auto q = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(worldSize()))));
    const Index row = many.comm.rank() / q, column = many.comm.rank() % q;
    const std::vector<Index> sizes = sizesOf(owners);
    const auto blockRows = [&](Index I) {
      Index rows = 0;
      for (Index J = 0; J < q; ++J) rows += sizes[at(I * q + J)];
      return rows;
    };
    const auto widest = [&](Index J) {  // of the columns of grid column J
      Index most = 0;
      for (const Pass pass : {Pass::forward, Pass::backward})
        for (const Index width : widthsOf(many, pass))
          most = std::max(most, (J + 1) * width / q - J * width / q);
      return most;
    };
    Index passing = 0, entries = 0;  // of the largest block of others, dense and sparse
    std::vector<std::vector<Index>> blocks(at(q), std::vector<Index>(at(q), 0));
    for (Index v = 0; v < many.propagation.rows(); ++v)
      for (const Vertex u : many.propagation.row(v)) ++blocks[at(owners[at(v)] / q)][at(owners[at(u)] / q)];
    for (Index s = 0; s < q; ++s) {
      if (s != row) passing = std::max(passing, blockRows(s));
      const auto I = at(row), J = at(s);
      if (s != column) entries = std::max({entries, blocks[I][J], blocks[J][I]});
    }
    Index elements = (2 * blockRows(row) + passing) * widest(column);
    for (Index J = 0; J < q; ++J) elements += sizes[at(many.comm.rank())] * widest(J);
    const auto element = static_cast<Index>(sizeof(Scalar));
    const Index entry = 4 + (kind == "gcn" ? element : 0);
    const Index offsets = (q > 1 ? blockRows(row) + 1 : 1) * static_cast<Index>(sizeof(Index));
    // the block that passes as it travels and as it is multiplied with
    CHECK(many.method->memory()[at(MemoryOf::exchange)] ==
          elements * element + 2 * entries * entry + offsets);
  }
}

TEST_CASE("cagnet says which grids it cannot form, naming the rule", "[cagnet]") {
  const MethodEntry& entry = *find<MethodEntry>("cagnet");
  const auto problemsOf = [&](const std::string& variant, std::int64_t copies, std::int64_t workers,
                              const std::string& kind = "gcn") {
    RunSettings run = cagnet(variant, copies, kind);
    run.cluster.workers = workers;
    return refusals(entry, run);
  };
  for (const std::int64_t workers : {1, 2, 3, 5, 6, 12}) CHECK(problemsOf("1d", 2, workers).empty());
  for (const std::int64_t copies : {1, 2, 3, 4, 6, 12}) CHECK(problemsOf("1.5d", copies, 12).empty());
  for (const std::int64_t copies : {5, 8, 24}) {
    const auto problems = problemsOf("1.5d", copies, 12);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "run.replication");
    CHECK(problems[0].message.find("divides") != std::string::npos);
  }
  for (const std::int64_t workers : {1, 4, 9, 16}) CHECK(problemsOf("2d", 2, workers).empty());
  for (const std::int64_t workers : {2, 3, 8, 15}) {
    const auto problems = problemsOf("2d", 2, workers);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "cluster.workers");
    CHECK(problems[0].message.find("square") != std::string::npos);
  }
  REQUIRE(problemsOf("1d", 2, 4, "gat").size() == 1);
  CHECK(problemsOf("1d", 2, 4, "gat")[0].key == "model.kind");
}
