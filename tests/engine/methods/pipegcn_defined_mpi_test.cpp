// PipeGCN by its definition (Algorithm 1): every epoch's rows and returned gradients are kept, and what an
// epoch uses of earlier ones is written out as the sum that it is.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/defined_training.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = 1e-10;

class DefinedPipeGcn final : public DefinedTraining {
 public:
  DefinedPipeGcn(const Trained& many, const Dataset& set)
      : DefinedTraining(many, set),
        owners_(many.owners),
        parts_(many.comm.size()),
        decay_(many.settings.parameters.real("decay")),
        corrected_(many.settings.parameters.flag("bias_correction")),
        depth_(many.settings.parameters.integer("depth")),
        smoothing_(many.settings.parameters.text("smoothing")),
        features_(at(layers_)),
        returned_(at(layers_), std::vector<History>(at(parts_))),
        crosses_(at(parts_), std::vector<char>(owners_.size(), 0)) {
    for (const Entry& e : entries_)
      if (owners_[e.v] != owners_[e.u]) crosses_[at(owners_[e.v])][e.u] = 1;
  }

  /// What rank r has to say of the epoch that was just run.
  DefinedError featureError(int r, int l) const {
    DefinedError sum;
    const Rows used = arrived(features_[at(l)], smoothsFeatures());
    for (std::size_t u = 0; u < owners_.size(); ++u)
      if (crosses_[at(r)][u] != 0) sum.add(used[u], features_[at(l)].back()[u]);
    return sum;
  }
  DefinedError gradientError(int r, int l) const {
    DefinedError sum;
    for (int p = 0; p < parts_; ++p) {
      const Rows used = arrived(returned_[at(l)][at(p)], smoothsGradients());
      for (std::size_t u = 0; u < owners_.size(); ++u)
        if (owners_[u] == r && crosses_[at(p)][u] != 0) sum.add(used[u], returned_[at(l)][at(p)].back()[u]);
    }
    return sum;
  }

 private:
  using History = std::vector<Rows>;  // by epoch

  bool smoothsFeatures() const { return smoothing_ == "features" || smoothing_ == "both"; }
  bool smoothsGradients() const { return smoothing_ == "gradients" || smoothing_ == "both"; }

  /// What the last epoch of the history uses of what was sent in epochs 1 … t: x(t − k), or
  /// Σ_s (1 − γ) γ^(c − s) x(s) over the c = t − k messages seen, over 1 − γ^c if corrected; zeros while t ≤
  /// k.
  Rows arrived(const History& sent, bool smooth) const {
    const auto messages = static_cast<std::int64_t>(sent.size()) - depth_;
    Rows used = zeros(sent.back().size(), sent.back().front().size());
    for (std::int64_t s = 1; s <= messages; ++s) {
      double share = s == messages ? 1 : 0;
      if (smooth) share = (1 - decay_) * std::pow(decay_, static_cast<double>(messages - s));
      if (smooth && corrected_) share /= 1 - std::pow(decay_, static_cast<double>(messages));
      for (std::size_t v = 0; v < used.size(); ++v) addTo(used[v], share, sent[at(s) - 1][v]);
    }
    return used;
  }

  Rows forward(int l, const Rows& H, const Rows& mask) override {
    features_[at(l)].push_back(H);
    const Rows late = arrived(features_[at(l)], smoothsFeatures());
    Rows Z = zeros(H.size(), H.front().size());
    for (const Entry& e : entries_) {
      const Row& row = owners_[e.v] == owners_[e.u] ? H[e.u] : late[e.u];
      addTo(Z[e.v], e.value, times(mask[e.u], row));
    }
    return Z;
  }

  Rows backward(int l, const Rows& dZ, const Rows& mask) override {
    Rows dH = zeros(dZ.size(), dZ.front().size());
    std::vector<Rows> sent(at(parts_), dH);
    for (const Entry& e : entries_) {
      Rows& to = owners_[e.v] == owners_[e.u] ? dH : sent[at(owners_[e.v])];
      addTo(to[e.u], e.value, times(mask[e.u], dZ[e.v]));
    }
    for (int p = 0; p < parts_; ++p) {
      History& history = returned_[at(l)][at(p)];
      history.push_back(sent[at(p)]);
      const Rows late = arrived(history, smoothsGradients());
      for (std::size_t u = 0; u < dH.size(); ++u) addTo(dH[u], 1, late[u]);
    }
    return dH;
  }

  Owners owners_;
  int parts_;
  double decay_;
  bool corrected_;
  std::int64_t depth_;
  std::string smoothing_;
  std::vector<History> features_;
  std::vector<std::vector<History>> returned_;  // by layer and who returns
  std::vector<std::vector<char>> crosses_;      // [r][u]: u is a halo row of rank r
};

void checkStaleness(const DefinedPipeGcn& defined, Trained& many) {
  const std::vector<Staleness> rows = many.method->probeStaleness();
  const int r = many.comm.rank();
  CHECK(rows.size() == 5);  // three layers forward, two backward
  for (const Staleness& row : rows)
    (row.pass == Pass::forward ? defined.featureError(r, row.layer) : defined.gradientError(r, row.layer))
        .check(row);
}

}  // namespace

TEST_CASE("PipeGCN trains, and is as stale, as its definition says", "[pipegcn][defined]") {
  if (sizeof(Scalar) < 8) return;  // rounding grows with every epoch
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage"})
    for (const std::string smoothing : {"none", "features", "gradients", "both"})
      for (const bool corrected : {false, true})
        for (const std::int64_t depth : {1, 2, 3})
          for (const double rate : {0.0, 0.5}) {
            CAPTURE(kind, smoothing, corrected, depth, rate);
            RunSettings run = settingsFor("pipegcn", kind, 3, 7, rate);
            run.parameters.insert_or_assign("smoothing", Value(smoothing));
            run.parameters.insert_or_assign("bias_correction", Value(corrected));
            run.parameters.insert_or_assign("depth", Value(depth));
            Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
            DefinedPipeGcn defined(many, set);
            for (int epoch = 0; epoch < 7; ++epoch) {
              CAPTURE(epoch);
              const double expected = defined.runEpoch(epoch);
              many.method->prepareProbe();
              CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
              CHECK(defined.farthestFrom(many) <= kSame);
              if (worldSize() > 1) checkStaleness(defined, many);
            }
          }
}
