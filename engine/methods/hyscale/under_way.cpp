#include "engine/methods/hyscale/under_way.h"

#include "engine/base/index.h"

namespace halo::hyscale {
namespace {

std::vector<StageRow> shifted(std::vector<StageRow> stages, std::int64_t shiftNs) {
  for (StageRow& stage : stages) {
    stage.beginNs += shiftNs;
    if (stage.plannedEndNs) *stage.plannedEndNs += shiftNs;
  }
  return stages;
}

}  // namespace

void UnderWay::keep(ByteWriter& out, const Machine& machine, const Node& node, Index first,
                    std::int64_t shiftNs) {
  out.value(node.cardUse());
  out.value(machine.opened() - first);
  for (Index batch = first; batch < machine.opened(); ++batch) {
    out.value(node.batch(batch).mapping);
    out.array(shifted(node.batch(batch).stages, shiftNs));
  }
}

void UnderWay::resume(ByteReader& in, std::int64_t shiftNs) {
  used_ = in.value<CardUse>();
  batches_.resize(at(in.value<Index>()));
  for (Batch& batch : batches_) {
    batch.mapping = in.value<HybridMapping>();
    in.array(batch.stages);
    batch.stages = shifted(std::move(batch.stages), -shiftNs);
  }
}

const HybridMapping& UnderWay::mapping(Index batch, const HybridMapping& others) const {
  return batch >= 0 && batch < count() ? batches_[at(batch)].mapping : others;
}

void UnderWay::restoreTo(Node& node) const {
  for (Index batch = 0; batch < count(); ++batch) node.setStages(batch, batches_[at(batch)].stages);
  node.countCardsFrom(used_);
}

}  // namespace halo::hyscale
