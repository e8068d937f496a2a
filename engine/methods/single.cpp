// One worker holds the whole graph: the reference every exact method is compared with. Nothing is sent.
#include <array>

#include "engine/kernels/spmm.h"
#include "engine/methods/full_graph.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    {"layer0_cache", "aggregate the input features once, not every epoch", Flag{false}},
}};

class LocalPropagator final : public Propagator {
 public:
  explicit LocalPropagator(WorkerParts& parts)
      : parts_(parts), transposed_(transpose(parts.share.graph.own)) {}

  void forward(int, const Matrix& Y, Matrix& Z) override { aggregate(parts_.share.graph.own, Y, Z); }
  void backward(int, const Matrix& dZ, Matrix& dY) override { aggregate(transposed_, dZ, dY); }

 private:
  void aggregate(const Csr& A, const Matrix& X, Matrix& Y) {
    const Timed timed(parts_.tracer, Kind::compute, Name::aggregate);
    spmm(A, X, Y);
  }

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
