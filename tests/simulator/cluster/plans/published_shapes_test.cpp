// Shapes that papers print of volumes, messages and work (resources/design/methods.md), from plans of the
// methods themselves on real partitions of generated graphs.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "datasets/generate/generate_arcs.h"
#include "engine/base/index.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/layer.h"
#include "engine/model/model.h"
#include "engine/partition/contract/quality.h"
#include "simulator/cluster/plans/counted_plan.h"

namespace halo::cluster {
namespace {

/// A graph of a published shape with about so many vertices, symmetric.
Csr graphLike(const std::string& name, double vertices) {
  for (const GraphShape& shape : generatedShapes()) {
    if (shape.name != name) continue;
    const GraphPlan plan = planGraph(shape, std::min(1.0, vertices / static_cast<double>(shape.vertices)));
    return symmetrised(
        (shape.generator == "road" ? plantRoads(plan, 1, {}, 0) : plantCommunities(shape, plan, 1, {}, 0))
            .arcs);
  }
  FAIL("no shape " << name);
  return {};
}

/// One epoch of a GCN of 3 layers, 64 wide behind 128 features, that aggregates first unless the method wants
/// otherwise.
constexpr std::int64_t kFeatures = 128, kHidden = 64, kClasses = 32, kFeatureBytes = 4;

Plan planOf(const std::string& method, const Csr& graph, int ranks, const Owners& owners,
            std::int64_t epoch = 1) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = "gcn";
  run.model.layers = 3;
  run.model.hidden = kHidden;
  run.model.order = method == "p2p" ? "auto" : "aggregate-first";
  run.model.dropout = 0;
  const Csr propagation = propagationMatrix(graph, find<LayerEntry>("gcn")->propagation);
  return countedPlan(
      {graph, propagation, run, {kFeatures, kHidden, kHidden, kClasses}, ranks, epoch, [&](int) {
         return owners;
       }});
}

Owners partitioned(const Csr& graph, const std::string& method, int parts, double imbalance,
                   const char* balance) {
  PartitionRequest request;
  request.parts = parts;
  request.imbalance = imbalance;
  if (method != "random") request.parameters["balance"] = std::string(balance);
  return partition(graph, method, request);
}

/// What ranks send each other for rows, without sums of gradients.
struct Sent {
  std::int64_t bytes = 0, most = 0, messages = 0, mostMessages = 0;
};
Sent sentIn(const Plan& plan) {
  Sent sent;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    std::int64_t bytes = 0, messages = 0;
    for (const Step& step : plan.steps) {
      if (step.traffic < 0) continue;
      const Traffic& traffic = plan.traffics[at(step.traffic)];
      bytes += traffic.outBytes[rank];
      messages += traffic.outMessages[rank];
    }
    sent.bytes += bytes;
    sent.messages += messages;
    sent.most = std::max(sent.most, bytes);
    sent.mostMessages = std::max(sent.mostMessages, messages);
  }
  return sent;
}

/// Floating-point operations of each rank.
std::vector<double> workIn(const Plan& plan) {
  std::vector<double> work(at(plan.ranks), 0);
  for (const Step& step : plan.steps)
    for (int rank = 0; rank < plan.ranks; ++rank)
      work[at(rank)] +=
          2 * static_cast<double>(step.entryElements[rank]) + static_cast<double>(step.flop[rank]);
  return work;
}
double mostOverMean(const std::vector<double>& work) {
  double sum = 0;
  for (const double rankWork : work) sum += rankWork;
  return *std::ranges::max_element(work) * static_cast<double>(work.size()) / sum;
}

/// What a transposition of so many columns takes: all but what stays, d n (P - 1) / P where P divides both.
std::int64_t transposed(std::int64_t columns, std::int64_t rows, int ranks) {
  std::int64_t stays = 0;
  for (std::int64_t i = 0; i < ranks; ++i)
    stays += (columns * (i + 1) / ranks - columns * i / ranks) * (rows * (i + 1) / ranks - rows * i / ranks);
  return columns * rows - stays;
}

}  // namespace

TEST_CASE("volumes and messages of point-to-point training are ordered by partition as published",
          "[cluster][shapes]") {
  // Demirci et al., Table 2: 512 parts, eight graphs. Here 16 parts of graphs of a 400 vertices like a
  // citation network, co-purchases, a social network and roads. HP: our partitioner by connectivity, and
  // Zoltan's PHG for what it is asked to make small, the sum. What is published besides and does not come out
  // on so small a graph: GP's maximum above RP's on social networks, flickr's smaller sum with GP.
  constexpr int kParts = 16;
  struct Logs {
    double volume = 0, most = 0, messages = 0, mostMessages = 0;
  };
  std::map<std::string, Logs> mean;
  std::map<std::string, double> gain;
  for (const char* name : {"cora-like", "products-like", "yelp-like", "road-like"}) {
    const Csr graph = graphLike(name, 400);
    std::map<std::string, Sent> sent;
    for (const char* method : {"random", "metis", "hypergraph", "connectivity"}) {
      CAPTURE(name, method);
      const Owners owners = partitioned(graph, method, kParts, 0.03, "nonzeros");
      const Plan plan = planOf("p2p", graph, kParts, owners);
      sent[method] = sentIn(plan);
      // what the simulator sends is what the partition costs: rows, forward and backward of every layer
      const PartitionQuality quality = measure(graph, false, owners, kParts);
      CHECK(sent[method].messages == 2 * 3 * quality.messages);
      CHECK(sent[method].mostMessages == 2 * 3 * quality.maxMessages);
      CHECK(sent[method].bytes % (quality.volume * kFeatureBytes) == 0);
      Logs& logs = mean[method];
      const auto log = [&](std::int64_t Sent::*figure) {
        return std::log(static_cast<double>(sent[method].*figure) /
                        static_cast<double>(sent["random"].*figure)) /
               4;
      };
      logs.volume += log(&Sent::bytes);
      logs.most += log(&Sent::most);
      logs.messages += log(&Sent::messages);
      logs.mostMessages += log(&Sent::mostMessages);
    }
    CAPTURE(name);
    const Sent &rp = sent["random"], &gp = sent["metis"];
    for (const char* hp : {"hypergraph", "connectivity"}) {
      CHECK(sent[hp].bytes < rp.bytes);
      CHECK(sent[hp].messages <= rp.messages);
    }
    CHECK(sent["connectivity"].most < gp.most);
    gain[name] = static_cast<double>(sent["connectivity"].bytes) / static_cast<double>(rp.bytes);
  }
  const Logs &gp = mean["metis"], &phg = mean["hypergraph"], &connectivity = mean["connectivity"];
  for (const Logs* hp : {&phg, &connectivity}) {
    CHECK(hp->volume < gp.volume);
    CHECK(hp->messages < gp.messages);
  }
  CHECK(connectivity.most < gp.most);
  CHECK(connectivity.mostMessages <= gp.mostMessages);
  CHECK(gp.volume < 0);  // RP's is 1
  CHECK(gp.most < 0);
  CHECK(gp.messages < 0);
  for (const auto& [name, share] : gain) CHECK(gain["road-like"] <= share);  // roads gain most
}

TEST_CASE("mop's volume is flat but for (P - 1) / P, that of the others grows", "[cluster][shapes]") {
  // MixGCN, Figure 10. Exact: n (P - 1) / P (d_0 + 4 Σ d_l) elements.
  const Csr graph = graphLike("reddit-like", 1024);
  const auto n = graph.rows();
  REQUIRE(n == 1024);  // divided by every number of ranks
  std::map<std::string, std::int64_t> before;
  for (const int ranks : {2, 4, 8, 16, 32}) {
    CAPTURE(ranks);
    const Owners owners = partitioned(graph, "metis", ranks, 0.03, "vertices");
    const std::int64_t volume = measure(graph, false, owners, ranks).volume;
    const auto bytes = [&](const char* method, std::int64_t epoch = 1) {
      return sentIn(planOf(method, graph, ranks, owners, epoch)).bytes;
    };
    const std::int64_t mop = bytes("mop");
    CHECK(mop * ranks == n * (ranks - 1) * (kFeatures + 4 * 2 * kHidden) * kFeatureBytes);
    const std::map<std::string, std::int64_t> others = {{"lhop", bytes("lhop")},
                                                        {"cagnet", bytes("cagnet")},
                                                        {"pipegcn", bytes("pipegcn")},
                                                        {"sancus", bytes("sancus", /*epoch=*/4)}};
    // whole blocks to all others; halo rows
    CHECK(others.at("cagnet") == n * (ranks - 1) * (kFeatures + 2 * 2 * kHidden) * kFeatureBytes);
    CHECK(others.at("sancus") == others.at("cagnet"));
    CHECK(others.at("pipegcn") == volume * (kFeatures + 2 * 2 * kHidden) * kFeatureBytes);
    for (const auto& [name, sent] : others) {
      CAPTURE(name, sent, mop);
      CHECK(sent > before[name]);
      before[name] = sent;
      if (ranks >= 8) CHECK(sent > mop);
    }
    // resources/design/methods.md, Slices of MoP: who sends less changes where R / n crosses the break-even
    const double even = static_cast<double>(ranks - 1) / ranks *
                        static_cast<double>(kFeatures + 4 * 2 * kHidden) /
                        static_cast<double>(kFeatures + 2 * 2 * kHidden);
    CHECK((others.at("pipegcn") > mop) == (static_cast<double>(volume) / static_cast<double>(n) > even));
  }
}

TEST_CASE("a sparse graph's halo is below mop's volume, and crosses it where its break-even says",
          "[cluster][shapes]") {
  const Csr graph = graphLike("cora-like", 512);
  int below = 0, above = 0;
  for (const int ranks : {2, 4, 8, 16, 32, 64}) {
    CAPTURE(ranks);
    const Owners owners = partitioned(graph, "random", ranks, 0.03, "vertices");
    const double rows =
        static_cast<double>(measure(graph, false, owners, ranks).volume) / static_cast<double>(graph.rows());
    const std::int64_t mop = sentIn(planOf("mop", graph, ranks, owners)).bytes;
    const std::int64_t vanilla = sentIn(planOf("vanilla", graph, ranks, owners)).bytes;
    const double even = static_cast<double>(transposed(kFeatures, graph.rows(), ranks) +
                                            4 * 2 * transposed(kHidden, graph.rows(), ranks)) /
                        static_cast<double>(graph.rows() * (kFeatures + 2 * 2 * kHidden));
    CHECK((vanilla > mop) == (rows > even));
    ++(vanilla > mop ? above : below);
  }
  CHECK(below > 0);
  CHECK(above > 0);
}

TEST_CASE("mop's work is even to its floors, that of random rows nearly, that of partitions less and less",
          "[cluster][shapes]") {
  // MixGCN, Figure 11: largest over mean FLOP. DistDGL's is not in plans: it computes rows that others own,
  // how many is not in what travels (the experiment mixgcn-figure11 counts it in runs).
  const Csr graph = graphLike("yelp-like", 1024);
  const std::int64_t n = graph.rows(), entries = graph.nonzeros() + n;  // with loops
  std::map<std::string, double> before;
  for (const int ranks : {2, 3, 4, 7, 8, 16, 32, 50}) {
    CAPTURE(ranks);
    const Owners scattered = partitioned(graph, "random", ranks, 0.03, "vertices");
    const std::vector<double> mop = workIn(planOf("mop", graph, ranks, scattered));
    for (std::int64_t i = 0; i < ranks; ++i) {
      const auto part = [&](std::int64_t count) {
        return static_cast<double>(count * (i + 1) / ranks - count * i / ranks);
      };
      const double sparse =
          2 * static_cast<double>(entries) * (part(kFeatures) + 2 * part(kHidden) + 2 * part(kHidden));
      const double dense =
          2 * part(n) *
          static_cast<double>(2 * kFeatures * kHidden + 3 * kHidden * kHidden + 3 * kHidden * kClasses);
      CHECK(mop[at(i)] == Approx(sparse + dense));
    }
    CHECK(mostOverMean(mop) <= 1 + ranks / static_cast<double>(kHidden));
    if (kHidden % ranks == 0) CHECK(mostOverMean(mop) == Approx(1).epsilon(1e-12));
    if (ranks != 2 && ranks != 8 && ranks != 32) continue;
    const Owners cut = partitioned(graph, "metis", ranks, 0.03, "vertices");
    const double cagnet = mostOverMean(workIn(planOf("cagnet", graph, ranks, scattered)));
    const double sancus = mostOverMean(workIn(planOf("sancus", graph, ranks, scattered)));
    const double pipegcn = mostOverMean(workIn(planOf("pipegcn", graph, ranks, cut)));
    CAPTURE(cagnet, sancus, pipegcn, before["pipegcn"]);
    CHECK(pipegcn > std::max(cagnet, sancus));
    CHECK(pipegcn > before["pipegcn"]);
    if (ranks <= 8) CHECK(std::max(cagnet, sancus) <= 1.1);
    before["pipegcn"] = pipegcn;
  }
}

}  // namespace halo::cluster
