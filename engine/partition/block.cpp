// Consecutive vertices: part i owns [⌊n i / P⌋, ⌊n (i + 1) / P⌋). As good as the order of the vertices is.
#include "engine/base/index.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

Owners block(const Csr& arcs, const PartitionRequest& request) {
  Owners owners(at(arcs.rows()));
  for (Index part = 0; part < request.parts; ++part)
    for (Index v = arcs.rows() * part / request.parts; v < arcs.rows() * (part + 1) / request.parts; ++v)
      owners[at(v)] = static_cast<std::int32_t>(part);
  return owners;
}

const Registered<PartitionerEntry> self{
    {{"block", "consecutive vertices, equally many for each part", "MixGCN 3.1 (row blocks)"}, block}};

}  // namespace
}  // namespace halo
