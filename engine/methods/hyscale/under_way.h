#pragma once

#include <vector>

#include "engine/comm/communicator/bytes.h"
#include "engine/methods/hyscale/machine.h"
#include "engine/methods/hyscale/node.h"

namespace halo::hyscale {

/// The batches that were opened and not trained on where a run was stopped. Where it goes on they pass
/// through their stages again; what is noted of that is what was noted the first time.
class UnderWay {
 public:
  /// Those of `machine` from batch `first` on; shiftNs: from this clock to the run's.
  static void keep(ByteWriter& out, const Machine& machine, const Node& node, Index first,
                   std::int64_t shiftNs);
  void resume(ByteReader& in, std::int64_t shiftNs);

  Index count() const { return std::ssize(batches_); }
  /// How batch 0, 1, … was dealt; `others`: all that come after.
  const HybridMapping& mapping(Index batch, const HybridMapping& others) const;
  /// What they had been through, and what cards had moved.
  void restoreTo(Node& node) const;

 private:
  struct Batch {
    HybridMapping mapping;
    std::vector<StageRow> stages;
  };
  std::vector<Batch> batches_;
  CardUse used_;
};

}  // namespace halo::hyscale
