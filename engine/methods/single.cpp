// One worker holds the whole graph: the reference every exact method is compared with. Nothing is sent.
#include <array>

#include "engine/methods/full_graph.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    kLayer0CacheParameter,
}};

class LocalPropagator final : public Propagator {
 public:
  explicit LocalPropagator(WorkerParts& parts)
      : parts_(parts), transposed_(transpose(parts.share.graph.own)) {}

  void forward(int, const Matrix& Y, Matrix& Z) override {
    aggregate(parts_.tracer, parts_.share.graph.own, Y, Z, Write::overwrite);
  }
  void backward(int, const Matrix& dZ, Matrix& dY) override {
    aggregate(parts_.tracer, transposed_, dZ, dY, Write::overwrite);
  }

 private:
  WorkerParts& parts_;
  Csr transposed_;
};

const Registered<MethodEntry> self{{{"single", "one worker, the whole graph: the reference", "", kParameters},
                                    false,
                                    [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
                                      return std::make_unique<FullGraph>(
                                          parts, std::make_unique<LocalPropagator>(parts),
                                          values.flag("layer0_cache"));
                                    },
                                    [](const VolumeRequest&) { return std::vector<PredictedVolume>{}; }}};

}  // namespace
}  // namespace halo
