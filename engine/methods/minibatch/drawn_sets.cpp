#include "engine/methods/minibatch/drawn_sets.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/index.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/sampling/saint.h"
#include "engine/sampling/uniform.h"

namespace halo {
namespace {

std::vector<Vertex> trainedOf(const DrawRequest& request) {
  std::vector<Vertex> trained;
  for (std::size_t v = 0; v < request.split.size(); ++v)
    if (request.split[v] == Split::train) trained.push_back(static_cast<Vertex>(v));
  return trained;
}

BatchSettings checkedSettings(const DrawRequest& request, std::int64_t trained) {
  std::vector<std::int64_t> shares(at(request.parts), 0);  // who owns them makes no difference to sets
  shares.front() = trained;
  if (auto problems = batchProblems(request.run, shares, request.arcs.rows()); !problems.empty())
    throw InputError(std::move(problems));
  return batchSettings(request.run, shares, request.arcs.rows());
}

/// P of the whole graph, with the degrees that it is made of.
struct WholeMatrix {
  std::vector<Vertex> in, out;
  EdgeRule rule;

  WholeMatrix(const Csr& arcs, const std::string& kind)
      : in(at(arcs.rows()), 0), out(in), rule(edgeRule(find<LayerEntry>(kind)->propagation)) {
    for (Index v = 0; v < arcs.rows(); ++v)
      for (const Vertex u : arcs.row(v)) {
        if (u == v) continue;
        ++in[at(v)];
        ++out[at(u)];
      }
  }
  GlobalMatrix matrix() const { return {rule, in, out}; }
};

std::unique_ptr<SquareSampler> samplerOf(const DrawRequest& request, const BatchSettings& settings,
                                         const SampledGraph& graph) {
  if (settings.sampler == Sampler::uniform) return std::make_unique<UniformSampler>(graph, settings.budget);
  HALO_CHECK(settings.sampler == Sampler::saintNode);
  const WholeMatrix degrees(request.arcs, request.run.model.kind);
  return std::make_unique<SaintNodeSampler>(graph, degrees.matrix(), settings.budget);
}

class Sets {
 public:
  explicit Sets(const DrawRequest& request)
      : request_(request),
        trained_(trainedOf(request)),
        settings_(checkedSettings(request, std::ssize(trained_))),
        graph_(CsrRows(request.arcs)),
        sampler_(samplerOf(request, settings_, graph_)),
        numbering_(request.arcs.rows()),
        isMember_(at(request.arcs.rows()), 0) {
    const Index drawn = std::ssize(trained_) - neverDrawn(*sampler_, trained_);
    if (drawn == 0)
      throw InputError(
          {.key = "run.sampler",
           .message = request.run.parameters.text("sampler") +
                      " draws no training vertex of this graph; another sampler, or a larger split"});
    iterations_ = iterationsToMeet(settings_.sampler == Sampler::uniform ? request.arcs.rows() : drawn,
                                   sampler_->meanVertices());
  }

  Index iterations() const { return iterations_; }

  DrawnIteration iteration(Index t) {
    const auto step = static_cast<std::uint64_t>(request_.epoch * iterations_ + t);
    sampler_->draw({request_.run.training.seed, step, Purpose::subgraph}, numbering_, members_);
    const auto ranks = at(request_.parts);
    own_.assign(ranks, 0);
    arcs_ = received_ = own_;
    const RowTable none(ranks, own_);
    RowTable rows = none, messages = none;
    const bool trains =
        std::ranges::any_of(members_, [&](Vertex v) { return request_.split[at(v)] == Split::train; });
    if (trains) countRows(rows);
    for (std::size_t i = 0; i < ranks; ++i)
      for (std::size_t j = 0; j < ranks; ++j) messages[i][j] = rows[i][j] > 0 ? 1 : 0;
    DrawnIteration drawn = numbers();
    drawn.decided = {std::move(rows), std::move(messages), RowTable{{std::int64_t{trains ? 1 : 0}}}};
    return drawn;
  }

 private:
  /// Who sends whom how many members; counts own members, arcs and what arrives along.
  void countRows(RowTable& rows) {
    const auto ownerOf = [&](Vertex v) { return at(request_.owners[at(v)]); };
    for (const Vertex v : members_) isMember_[at(v)] = 1;
    sent_.clear();
    for (const Vertex v : members_) {
      ++own_[ownerOf(v)];
      for (const Vertex u : request_.arcs.row(v)) {
        if (u == v || isMember_[at(u)] == 0) continue;
        ++arcs_[ownerOf(v)];
        if (ownerOf(u) != ownerOf(v)) sent_.emplace_back(u, request_.owners[at(v)]);
      }
    }
    for (const Vertex v : members_) isMember_[at(v)] = 0;
    std::ranges::sort(sent_);
    const auto repeated = std::ranges::unique(sent_);
    sent_.erase(repeated.begin(), repeated.end());
    for (const auto& [u, to] : sent_) {
      ++rows[ownerOf(u)][at(to)];
      ++received_[at(to)];
    }
  }

  /// All layers have the same block.
  DrawnIteration numbers() const {
    std::vector<std::int64_t> sources = own_;
    for (std::size_t rank = 0; rank < sources.size(); ++rank) sources[rank] += received_[rank];
    DrawnIteration drawn;
    const auto layers = at(request_.run.model.layers);
    drawn.vertices.assign(layers, sources);
    drawn.vertices.push_back(own_);
    drawn.arcs = drawn.served = std::vector(layers, arcs_);
    return drawn;
  }

  const DrawRequest& request_;
  std::vector<Vertex> trained_;
  BatchSettings settings_;
  SampledGraph graph_;
  std::unique_ptr<SquareSampler> sampler_;
  Numbering numbering_;
  Index iterations_ = 0;
  Buffer<Vertex> members_;
  std::vector<std::uint8_t> isMember_;                 // by vertex
  std::vector<std::pair<Vertex, std::int32_t>> sent_;  // a row, to whom
  std::vector<std::int64_t> own_, arcs_, received_;    // by rank
};

}  // namespace

DrawnEpoch drawSets(const DrawRequest& request) {
  Sets sets(request);
  DrawnEpoch epoch;
  epoch.iterations = sets.iterations();
  const Index count = std::min<Index>(epoch.iterations, request.most);
  for (Index i = 0; i < count; ++i) epoch.drawn.push_back(sets.iteration(i * epoch.iterations / count));
  return epoch;
}

}  // namespace halo
