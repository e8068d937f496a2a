#include "engine/methods/contract/layer_work.h"

#include "engine/model/layer.h"

namespace halo {

bool attends(const ModelSettings& model) {
  const LayerEntry* kind = find<LayerEntry>(model.kind);
  return kind != nullptr && kind->propagation == Propagation::attention;
}

LayerWork layerWork(const std::string& kind) {
  const LayerEntry& entry = layerKind(kind);
  return {entry.propagation == Propagation::attention, includesItself(entry.propagation),
          isWeighted(entry.propagation), entry.ownProduct, entry.secondProduct};
}

}  // namespace halo
