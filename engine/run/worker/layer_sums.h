#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/methods/contract/method.h"

namespace halo {

/// Rows of one rank's epoch, summed up as its spans are taken.
class LayerSums {
 public:
  void add(std::span<const Span> spans);
  /// Those of every (layer, pass) that occurs, with what was counted; it is empty then.
  std::vector<LayerRow> take(std::int64_t epoch, std::int64_t rank, const std::vector<Flow>& flows,
                             const std::vector<WorkRow>& work);
  /// For a run that goes on.
  void keep(ByteWriter& out) const;
  void resume(ByteReader& in);

 private:
  std::map<std::pair<std::int64_t, Pass>, LayerRow> rows_;
};

}  // namespace halo
