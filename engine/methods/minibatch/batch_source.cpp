#include "engine/methods/minibatch/batch_source.h"

#include "engine/methods/minibatch/layer_source.h"
#include "engine/methods/minibatch/neighbour_source.h"
#include "engine/methods/minibatch/square_source.h"

namespace halo {

std::unique_ptr<BatchSource> makeSource(const BatchParts& parts) {
  switch (parts.settings.sampler) {
    case Sampler::neighbour:
      return std::make_unique<NeighbourSource>(parts);
    case Sampler::layer:
      return std::make_unique<LayerSource>(parts);
    case Sampler::uniform:
    case Sampler::saintNode:
    case Sampler::saintEdge:
    case Sampler::saintWalk:
      break;
  }
  return std::make_unique<SquareSource>(parts);
}

}  // namespace halo
