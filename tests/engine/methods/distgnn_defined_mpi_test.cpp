// DistGNN by its definition: every part has a row of its own for every vertex; all
// partial sums of all epochs are kept, and what an epoch uses of earlier ones is looked up by the schedule.
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/philox.h"
#include "tests/engine/methods/defined_training.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = 1e-10;

class DefinedDistGnn final : public DefinedTraining {
 public:
  DefinedDistGnn(const Trained& many, const Dataset& set)
      : DefinedTraining(many, set, many.comm.size()),
        n_(at(set.vertices())),
        parts_(at(many.comm.size())),
        delay_(many.settings.parameters.integer("delay")),
        public_(many.settings.parameters.text("backward") == "public"),
        roots_(many.arcs.roots),
        partOf_(many.arcs.parts.begin(), many.arcs.parts.end()),
        hasClone_(parts_ * n_, 0),
        clones_(n_, 0),
        sums_(at(layers_)),
        gradients_(at(layers_)) {
    for (std::size_t v = 0; v < n_; ++v) hasClone_[row(at(roots_[v]), v)] = 1;
    for (std::size_t e = 0; e < entries_.size(); ++e)
      for (const std::size_t end : {entries_[e].v, entries_[e].u}) hasClone_[row(partOf_[e], end)] = 1;
    for (std::size_t i = 0; i < hasClone_.size(); ++i) clones_[i % n_] += hasClone_[i];
    weighLosses();
  }

  /// The public code's loss is the mean of the workers'.
  double runEpoch(int epoch) {
    return DefinedTraining::runEpoch(epoch) / (public_ ? static_cast<double>(parts_) : 1.0);
  }

  /// What rank r has to say of the epoch that was just run: of its clones of vertices with more than one.
  DefinedError error(std::size_t r, int l, Pass pass) const {
    const History& history = (pass == Pass::forward ? sums_ : gradients_)[at(l)];
    DefinedError sum;
    for (std::size_t v = 0; v < n_; ++v)
      if (clones_[v] > 1 && hasClone_[row(r, v)] != 0)
        sum.add(used(history, epoch_, r, v), sumOfClones(history, v));
    return sum;
  }
  bool sumsGradients() const { return !public_; }

 private:
  using History = std::vector<Rows>;  // by epoch: every part's partial sums

  std::size_t row(std::size_t part, std::size_t v) const { return part * n_ + v; }

  /// The loss: every training vertex once, at its root; in the public code each part's mean over its clones.
  void weighLosses() {
    for (std::size_t p = 0; p < parts_; ++p) {
      double own = 0, all = 0;
      for (std::size_t v = 0; v < n_; ++v) {
        own += trains_[v] * hasClone_[row(p, v)];
        all += trains_[v];
      }
      for (std::size_t v = 0; v < n_; ++v) {
        const bool counts = public_ ? hasClone_[row(p, v)] != 0 : at(roots_[v]) == p;
        if (counts && trains_[v] != 0) lossWeights_[row(p, v)] = 1 / (public_ ? own : all);
      }
    }
  }

  /// v's sum over its clones in the last epoch.
  Row sumOfClones(const History& history, std::size_t v) const {
    Row sum(history.back().front().size(), 0);
    for (std::size_t p = 0; p < parts_; ++p) addTo(sum, 1, history.back()[row(p, v)]);
    return sum;
  }

  /// The epoch in which v's bin was last sent so that `epoch` can use it: r before the bin's last turn; below
  /// 0: it was not.
  std::int64_t sentIn(std::int64_t epoch, std::size_t v) const {
    const std::int64_t bin = philox(0, Purpose::partition, v, 1)[0] % delay_;
    std::int64_t turn = epoch;
    while (turn >= 0 && turn % delay_ != bin) --turn;
    return turn - delay_;
  }

  /// The root's own fresh sum and what leaves sent last.
  Row total(const History& history, std::int64_t epoch, std::size_t v) const {
    Row sum = history[at(epoch)][row(at(roots_[v]), v)];
    const std::int64_t sent = sentIn(epoch, v);
    for (std::size_t p = 0; p < parts_ && sent >= 0; ++p)
      if (p != at(roots_[v])) addTo(sum, 1, history[at(sent)][row(p, v)]);
    return sum;
  }

  /// What the clone of v in part p uses in the epoch.
  Row used(const History& history, std::int64_t epoch, std::size_t p, std::size_t v) const {
    if (delay_ == 0) return sumOfClones(history, v);
    const Row& own = history[at(epoch)][row(p, v)];
    if (delay_ < 0) return own;
    if (at(roots_[v]) == p) return total(history, epoch, v);
    const std::int64_t sent = sentIn(epoch, v);
    return sent < 0 ? own : total(history, sent, v);
  }

  Rows usedNow(const History& history) const {
    Rows rows;
    for (std::size_t p = 0; p < parts_; ++p)
      for (std::size_t v = 0; v < n_; ++v) rows.push_back(used(history, epoch_, p, v));
    return rows;
  }

  Rows forward(int l, const Rows& H, const Rows& mask) override {
    Rows Z = zeros(H.size(), H.front().size());
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const std::size_t from = row(partOf_[e], entries_[e].u);
      addTo(Z[row(partOf_[e], entries_[e].v)], entries_[e].value, times(mask[from], H[from]));
    }
    sums_[at(l)].push_back(Z);
    return usedNow(sums_[at(l)]);
  }

  Rows backward(int l, const Rows& dZ, const Rows& mask) override {
    gradients_[at(l)].push_back(dZ);
    const Rows summed = public_ ? dZ : usedNow(gradients_[at(l)]);
    Rows dH = zeros(dZ.size(), dZ.front().size());
    for (std::size_t e = 0; e < entries_.size(); ++e) {
      const std::size_t to = row(partOf_[e], entries_[e].u);
      addTo(dH[to], entries_[e].value, times(mask[to], summed[row(partOf_[e], entries_[e].v)]));
    }
    return dH;
  }

  std::size_t n_, parts_;
  std::int64_t delay_;
  bool public_;
  Owners roots_;
  std::vector<std::size_t> partOf_;  // of each entry
  std::vector<int> hasClone_;        // by row
  std::vector<int> clones_;          // of each vertex
  std::vector<History> sums_, gradients_;
};

}  // namespace

TEST_CASE("DistGNN trains, and is as stale, as its definition says", "[distgnn][defined]") {
  if (sizeof(Scalar) < 8) return;  // rounding grows with every epoch
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage"})
    for (const std::int64_t delay : {-1, 0, 1, 2, 3})
      for (const std::string backward : {"exact", "public"})
        for (const double rate : {0.0, 0.5}) {
          CAPTURE(kind, delay, backward, rate);
          RunSettings run = settingsFor("distgnn", kind, 3, 7, rate);
          run.model.order = "aggregate-first";
          run.parameters.insert_or_assign("delay", Value(delay));
          run.parameters.insert_or_assign("backward", Value(backward));
          run.record.staleness = 1;
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          DefinedDistGnn defined(many, set);
          for (int epoch = 0; epoch < 10; ++epoch) {
            CAPTURE(epoch);
            const double expected = defined.runEpoch(epoch);
            many.method->prepareProbe();
            CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
            CHECK(defined.farthestFrom(many) <= kSame);
            if (delay == 0 || worldSize() == 1) continue;
            const std::vector<Staleness> rows = many.method->probeStaleness();
            CHECK(rows.size() == (defined.sumsGradients() ? 5 : 3));
            for (const Staleness& row : rows)
              defined.error(at(many.comm.rank()), row.layer, row.pass).check(row);
          }
        }
}
