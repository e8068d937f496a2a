// Stochastic hypergraph partitioning (P2P-GCN 4.3.3, Algorithm 3): few rows in mini-batches that are drawn,
// not in the whole graph. It divides column nets of drawn batches, or lowers the rows expected of uniform
// batches by their closed form. See resources/design/methods.md for what is the same as in the paper.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/index.h"
#include "engine/partition/connectivity/search.h"
#include "engine/partition/hypergraph/communities.h"
#include "engine/partition/hypergraph/rebalance.h"
#include "engine/partition/stochastic/batch_counts.h"
#include "engine/partition/stochastic/batch_nets.h"
#include "engine/partition/stochastic/expected_parts.h"
#include "engine/partition/stochastic/join_neighbours.h"
#include "engine/sampling/uniform.h"

namespace halo {
namespace {

constexpr std::int64_t kBatchVertices = 20000;
constexpr std::string_view kBatchSamplers[] = {"uniform", "saint-node"};
constexpr std::string_view kObjectives[] = {"sampled", "expected"};
constexpr Parameter kParameters[] = {
    {"balance", kBalanceHelp, Choice{"nonzeros-self", kBalanced}},
    kStartParameter,
    {"batches",
     "drawn, whose nets are divided; 0: what the bound on their error asks for, and that arcs are met 9 "
     "times "
     "on average",
     Integer{0, 0, 1'000'000'000}},
    {"batch_vertices", "draws of a batch: vertices of a uniform one; 0: 20000, uniform at most all vertices",
     Integer{0, 0, 1'000'000'000}},
    {"sampler", "of the batches: uniform, or GraphSAINT's node sampler by the weights of a GCN",
     Choice{"uniform", kBatchSamplers}},
    {"objective",
     "sampled: rows of the batches drawn; expected: rows of all uniform batches there are, by their closed "
     "form",
     Choice{"sampled", kObjectives}},
    {"delta", "by batches = 0: chance that a volume is off by more than theta", Real{0.1, 1e-9, 1}},
    {"theta", "by batches = 0: share that the volume of a given partition may be off by", Real{0.5, 1e-3, 1}},
};

bool isUniform(const Values& parameters) { return parameters.text("sampler") == "uniform"; }
bool isExpected(const Values& parameters) { return parameters.text("objective") == "expected"; }

Index batchVertices(const Values& parameters, Index vertices) {
  if (const std::int64_t written = parameters.integer("batch_vertices"); written > 0) return written;
  return isUniform(parameters) ? std::min<Index>(kBatchVertices, vertices) : kBatchVertices;
}

std::vector<Problem> refuse(const Values& parameters, Index vertices) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = std::string("partition.") + key, .message = std::move(message)});
  };
  const std::int64_t batch = parameters.integer("batch_vertices");
  if (isExpected(parameters) && !isUniform(parameters))
    wrong("objective",
          fmt::format("expected cannot be used with sampler = \"{}\"; uniform has a closed form, or "
                      "objective = \"sampled\"",
                      parameters.text("sampler")));
  if (const std::int64_t batches = parameters.integer("batches"); isExpected(parameters) && batches > 0)
    wrong("batches",
          fmt::format("{} cannot be used with objective = \"expected\", which draws none; 0", batches));
  if (batch == 1) wrong("batch_vertices", "1 cannot be used: a batch of one vertex has no arc; 2 or more");
  if (isUniform(parameters) && vertices > 0 && batch > vertices)
    wrong("batch_vertices", fmt::format("{} is more than the {} {}; at most {}", batch, vertices,
                                        vertices == 1 ? "vertex" : "vertices", vertices));
  return problems;
}

/// What draws batches of a graph, and what keeps it.
class Batches {
 public:
  Batches(const Csr& arcs, const Values& parameters)
      : graph_(arcs), consumers_(transpose(arcs)), size_(batchVertices(parameters, arcs.rows())) {
    if (isUniform(parameters)) {
      sampler_ = std::make_unique<UniformSampler>(graph_, size_);
      inclusion_ = arcInclusion(arcs.rows(), size_);
      return;
    }
    const SampledGraph needs(consumers_);
    for (Index v = 0; v < arcs.rows(); ++v) {
      in_.push_back(static_cast<Vertex>(graph_.degree(v)));
      out_.push_back(static_cast<Vertex>(needs.degree(v)));
    }
    const GlobalMatrix weights{EdgeRule::symmetric, in_, out_};
    auto sampler = std::make_unique<SaintNodeSampler>(graph_, weights, size_);
    inclusion_ = arcInclusion(*sampler);
    sampler_ = std::move(sampler);
  }

  BatchCounts counts(const PartitionRequest& request) const {
    const Values& parameters = request.parameters;
    BatchCounts counts =
        batchCounts(netsNeeded(request.parts, parameters.real("delta"), parameters.real("theta")),
                    sampler_->meanVertices(), inclusion_);
    if (const std::int64_t written = parameters.integer("batches"); written > 0) counts.drawn = written;
    return counts;
  }
  Index size() const { return size_; }
  Hypergraph nets(const PartitionRequest& request, const Weights& weights) const {
    return netsOfBatches(*sampler_, consumers_, request.seed, counts(request).drawn, weights).graph;
  }

 private:
  SampledGraph graph_;
  Csr consumers_;
  Index size_;
  std::vector<Vertex> in_, out_;  // degrees
  std::unique_ptr<SquareSampler> sampler_;
  double inclusion_ = 0;  // share of the batches that have an arc
};

/// Vertices that no batch showed with a neighbour say nothing of where they belong: they go to their
/// neighbours in the whole graph.
void placeUnmet(const Csr& arcs, const Hypergraph& graph, const PartitionRequest& request, Owners& owners) {
  bool unmet = false;
  for (Vertex v = 0; v < graph.nodeCount(); ++v)
    if (graph.netsOf(v).empty()) {
      owners[at(v)] = -1;
      unmet = true;
    }
  if (!unmet) return;
  const std::int64_t limit = partLimit(graph.nodeWeight, request.parts, request.imbalance);
  joinNeighbours(affinityOf(arcs).edges, graph.nodeWeight, request.parts, limit, owners);
  NetParts state(graph, std::move(owners), request.parts);
  rebalance(state, limit);
  owners = state.takeOwners();
}

/// The typical weight of a net.
std::int64_t unitOf(const Hypergraph& graph) {
  return std::max<std::int64_t>(
      1, std::llround(static_cast<double>(totalWeight(graph.netWeight)) / graph.netCount()));
}

Owners sampledParts(const Csr& arcs, const Hypergraph& columns, const PartitionRequest& request,
                    SearchSettings settings) {
  const Hypergraph graph = Batches(arcs, request.parameters).nets(request, columns.nodeWeight);
  Owners owners(columns.nodeWeight.size(), -1);
  if (graph.netCount() > 0) {
    settings.unit = unitOf(graph);
    owners = searchedParts(arcs, graph, request, settings).owners;
  }
  placeUnmet(arcs, graph, request, owners);
  return owners;
}

Owners stochasticParts(const Csr& arcs, const PartitionRequest& request) {
  return columnNetParts(arcs, request, [&](const Hypergraph& columns) {
    const Values& parameters = request.parameters;
    const SearchSettings settings{.shape = shapeOf(columns),
                                  .fromZoltan = parameters.text("start") == "hypergraph"};
    if (!isExpected(parameters)) return sampledParts(arcs, columns, request, settings);
    Owners owners = expectedParts(arcs, columns, batchVertices(parameters, arcs.rows()), request, settings);
    placeUnmet(arcs, columns, request, owners);
    return owners;
  });
}

std::vector<PartitionFigure> figures(const Csr& arcs, const PartitionRequest& request) {
  if (isExpected(request.parameters)) return {};
  const BatchCounts counts = Batches(arcs, request.parameters).counts(request);
  return {{"partition_batches", "batches drawn", static_cast<double>(counts.drawn)},
          {"partition_batches_by_nets", "batches for as many nets as bound the error",
           static_cast<double>(counts.byNets)},
          {"partition_batches_by_arcs", "batches that meet an arc 9 times on average",
           static_cast<double>(counts.byArcs)}};
}

const Registered<PartitionerEntry> self{
    {.declaration = {"stochastic-hypergraph",
                     "few rows in sampled mini-batches (column nets of drawn batches)",
                     "P2P-GCN 4.3.3 (SHP), Algorithm 3; closed form and refinement ours", kParameters},
     .partition = stochasticParts,
     .refuse = refuse,
     .figures = figures}};

}  // namespace
}  // namespace halo
