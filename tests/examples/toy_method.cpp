// A training method in one file: CONTRIBUTING.md, "Add a method". Compiled by the suite and linked nowhere.
//
// Every worker aggregates its own block and never hears of the others: islands. Nothing is sent. Departs from
// every paper: it is not exact on more than one worker.
#include <array>

#include "engine/methods/full_graph/aggregation.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    kLayer0CacheParameter,
}};

class Islands final : public Propagator {
 public:
  explicit Islands(WorkerParts& parts) : aggregation_(parts), edges_(parts.model, parts.share.graph.own) {}

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    aggregation_.begin(layer, Y, Z);
    aggregation_.add(edges_.block(), Y);
    aggregation_.finish();
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregation_.beginBackward(layer, dZ);
    aggregation_.ownGradients(edges_.block(), dY);
    aggregation_.finishBackward(dY);
  }
  std::size_t bufferBytes() const override { return aggregation_.bytes(); }

 private:
  Aggregation aggregation_;
  TurnedEdges edges_;
};

std::unique_ptr<Method> make(WorkerParts& parts, const Values& values) {
  return std::make_unique<FullGraph>(parts, std::make_unique<Islands>(parts), values.flag("layer0_cache"));
}

const Registered<MethodEntry> self{
    MethodEntry{.declaration = {"islands", "sum the own block alone", "none: an example", kParameters},
                .make = make,
                .predict = [](const VolumeRequest&) { return std::vector<PredictedVolume>{}; },
                .style = [](const RunSettings&, int) -> MethodStyle { return {.pairsAlone = true}; },
                .exact = false}};

}  // namespace
}  // namespace halo
