// One worker holds the whole graph: the reference every exact method is compared with. Nothing is sent.
#include <array>

#include "engine/methods/full_graph/aggregation.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    kLayer0CacheParameter,
}};

class LocalPropagator final : public Propagator {
 public:
  explicit LocalPropagator(WorkerParts& parts)
      : aggregation_(parts), edges_(parts.model, parts.share.graph.own) {}

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

const Registered<MethodEntry> self{
    MethodEntry{.declaration = {"single", "one worker, the whole graph: the reference", "", kParameters},
                .distributed = false,
                .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
                  return std::make_unique<FullGraph>(parts, std::make_unique<LocalPropagator>(parts),
                                                     values.flag("layer0_cache"));
                },
                .predict = [](const VolumeRequest&) { return std::vector<PredictedVolume>{}; },
                .style = [](const RunSettings&, int) -> MethodStyle { return {.pairsAlone = true}; },
                .attends = true}};

}  // namespace
}  // namespace halo
