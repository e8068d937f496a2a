#include "simulator/cluster/plans/iteration_steps.h"

#include <algorithm>

#include "engine/base/index.h"
#include "simulator/cluster/plans/schedule.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar);
constexpr int kFirstAnswer = 2;  // PredictedVolume::round from which drawn arcs travel

class IterationWriter {
 public:
  IterationWriter(const IterationRequest& request, Plan& plan) : request_(request), plan_(plan) {
    for (const auto& [key, traffic] : request.traffic) traffic_[key] = plan.addTraffic(traffic);
  }

  void write() {
    const int layers = static_cast<int>(request_.shape.layers.size());
    const std::size_t before = plan_.steps.size();
    for (int l = layers - 1; l >= 0; --l) draw(l);
    if (!slices()) fetch();
    const std::size_t pulled = plan_.steps.size();
    for (int l = 0; l < layers; ++l) forward(l);
    for (int l = layers - 1; l >= 0; --l) backward(l);
    if (request_.style.ahead > 0) pullBeside(before, pulled);
    layer_ = -1;
    pass_ = Pass::none;
    const ModelShape& shape = request_.shape;
    const std::int64_t summed = shape.weights - (slices() ? inputWeights(shape, kind()) : 0);
    if (plan_.ranks > 1) add(Op::allReduce).bytes = PerRank(summed * kElement);
  }

 private:
  const LayerShape& shape() const { return request_.shape.layers[at(layer_)]; }
  const LayerWork& kind() const { return request_.kind; }
  bool slices() const { return request_.method.slicesInput; }

  Step& add(Op op) {
    Step& step = plan_.steps.emplace_back();
    step.op = op;
    step.layer = layer_;
    step.pass = pass_;
    return step;
  }
  template <class Figure>
  PerRank perRank(Figure figure) const {
    std::vector<std::int64_t> values;
    for (int rank = 0; rank < plan_.ranks; ++rank) values.push_back(figure(rank));
    return PerRank(std::move(values));
  }

  // Of the block between layers' inputs and outputs.
  std::int64_t sources(int rank) const { return request_.drawn.vertices[at(layer_)][at(rank)]; }
  std::int64_t targets(int rank) const { return request_.drawn.vertices[at(layer_) + 1][at(rank)]; }
  std::int64_t arcs(int rank) const { return request_.drawn.arcs[at(layer_)][at(rank)]; }
  std::int64_t entries(int rank) const { return arcs(rank) + (kind().includesItself ? targets(rank) : 0); }
  template <class Figure>
  std::int64_t overRanks(Figure figure) const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < plan_.ranks; ++rank) sum += figure(rank);
    return sum;
  }

  /// Messages of this layer and pass from round `from` up to `to`, each round after the one before.
  void exchange(int from, int to) {
    const auto first = traffic_.lower_bound({layer_, pass_, from});
    for (auto entry = first; entry != traffic_.end(); ++entry) {
      const auto& [layer, pass, round] = entry->first;
      if (layer != layer_ || pass != pass_ || round >= to) return;
      const int started = static_cast<int>(plan_.steps.size());
      Step& start = add(Op::exchange);
      start.traffic = entry->second;
      add(Op::wait).exchange = started;
    }
  }

  /// The steps from `first` up to `pulled` are of a later batch, and go between those after them. Each
  /// message of a batch answers the one before: after a kernel a rank takes one answer and asks on. The last
  /// one, the rows, has all kernels that are left.
  void pullBeside(std::size_t first, std::size_t pulled) {
    const std::vector<Step> all(plan_.steps.begin() + static_cast<std::ptrdiff_t>(first), plan_.steps.end());
    plan_.steps.resize(first);
    const std::size_t kernels = pulled - first;  // where they begin in `all`
    auto waits = std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kernels),
                               [](const Step& step) { return step.op == Op::wait; });
    std::size_t next = 0;
    int started = -1;
    const auto toNextWait = [&] {
      while (next < kernels) {
        Step& step = plan_.steps.emplace_back(all[next++]);
        if (step.op == Op::exchange) started = static_cast<int>(plan_.steps.size()) - 1;
        if (step.op == Op::wait) step.exchange = started;
        if (next < kernels && all[next].op == Op::wait) return;
      }
    };
    toNextWait();
    for (std::size_t kernel = kernels; kernel < all.size(); ++kernel) {
      plan_.steps.push_back(all[kernel]);
      if (waits > 1) {
        toNextWait();
        --waits;
      }
    }
    while (next < kernels) toNextWait();
    travelLonger(first);
  }

  /// Each further batch ahead lets one more message, the last ones first, travel until the next iteration.
  void travelLonger(std::size_t first) {
    int longer = request_.style.ahead - 1;
    for (std::size_t s = plan_.steps.size(); longer > 0 && s-- > first;) {
      Step& wait = plan_.steps[s];
      if (wait.op != Op::wait) continue;
      wait.depth = plan_.steps[at(wait.exchange)].depth = 1;
      --longer;
    }
  }

  void draw(int l) {
    layer_ = l;
    pass_ = Pass::none;
    constexpr int kLast = 1 << 10;
    exchange(0, kFirstAnswer);
    add(Op::pack).bytes = perRank([&](int rank) {
      return kDrawBytes * request_.drawn.served[at(l)][at(rank)] + kNumberBytes * arcs(rank);
    });
    exchange(kFirstAnswer, kLast);
  }

  void fetch() {
    layer_ = 0;
    pass_ = Pass::forward;
    const auto entry = traffic_.find({layer_, pass_, 0});
    if (entry != traffic_.end()) add(Op::pack).bytes = plan_.traffics[at(entry->second)].outBytes;
    exchange(0, 1);
    add(Op::pack).bytes = perRank([&](int rank) { return sources(rank) * shape().in * kElement; });
    if (!request_.drawn.missed.empty()) copyMissed();
  }

  /// Over the link to the rank's own device, beside which nothing goes on.
  void copyMissed() {
    Step& step = add(Op::copy);
    step.bytes = perRank([&](int rank) { return request_.drawn.missed[at(rank)] * shape().in * kElement; });
    step.nsPerByte = request_.drawn.linkNsPerByte;
  }

  void forward(int l) {
    layer_ = l;
    pass_ = Pass::forward;
    if (l == 0 && slices()) return slicedForward();
    dense(shape().prepareFlop, [&](int rank) { return sources(rank); });
    sparse(shape().propagated, [&](int rank) { return targets(rank); });
    dense(shape().finishFlop, [&](int rank) { return targets(rank); });
  }

  void backward(int l) {
    layer_ = l;
    pass_ = Pass::backward;
    if (l == 0 && slices()) return slicedBackward();
    dense(shape().backwardFinishFlop, [&](int rank) { return targets(rank); });
    if (shape().backward) sparse(shape().returned, [&](int rank) { return sources(rank); });
    dense(shape().backwardPrepareFlop, [&](int rank) { return sources(rank); });
  }

  // Slices of layer 0 of every batch, whose sums each rank gets of its own; the layer aggregates first.

  std::int64_t slice(int rank) const { return sliceWidth(shape().in, rank, plan_.ranks); }
  void slicedForward() {
    const std::int64_t rows = overRanks([&](int rank) { return targets(rank); }),
                       all = overRanks([&](int rank) { return entries(rank); });
    Step& step = add(Op::sparse);
    step.entries = PerRank(all);
    step.entryElements = perRank([&](int rank) { return all * slice(rank); });
    step.rowElements = perRank([&](int rank) { return rows * slice(rank); });
    slicedProduct(shape().finishFlop, rows);
    exchange(0, 1);
    add(Op::pack).bytes =
        perRank([&](int rank) { return targets(rank) * shape().out * kElement * plan_.ranks; });
  }
  void slicedBackward() {
    exchange(0, 1);
    slicedProduct(shape().backwardFinishFlop, overRanks([&](int rank) { return targets(rank); }));
  }
  void slicedProduct(std::int64_t rowFlop, std::int64_t rows) {
    add(Op::dense).flop = perRank([&](int rank) { return rows * (rowFlop * slice(rank) / shape().in); });
  }

  template <class Rows>
  void dense(std::int64_t rowFlop, Rows rows) {
    if (rowFlop > 0) add(Op::dense).flop = perRank([&](int rank) { return rows(rank) * rowFlop; });
  }
  template <class Rows>
  void sparse(std::int64_t width, Rows rows) {
    Step& step = add(Op::sparse);
    step.entries = perRank([&](int rank) { return entries(rank); });
    step.entryElements = perRank([&](int rank) { return entries(rank) * width; });
    step.rowElements = perRank([&](int rank) { return rows(rank) * width; });
  }

  const IterationRequest& request_;
  Plan& plan_;
  std::map<std::tuple<int, Pass, int>, int> traffic_;  // by layer, pass and round
  int layer_ = -1;
  Pass pass_ = Pass::none;
};

}  // namespace

void writeIteration(const IterationRequest& request, Plan& plan) { IterationWriter(request, plan).write(); }

std::int64_t inputWeights(const ModelShape& shape, const LayerWork& kind) {
  const LayerShape& first = shape.layers.front();
  return first.in * first.out * (kind.ownProduct ? 2 : 1);
}

}  // namespace halo::cluster
