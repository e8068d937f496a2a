// Vertex cut (Libra, Xie et al., NIPS 2014, as DistGNN uses it). Arcs are spread over the parts, equally many
// each. A vertex has a clone wherever an arc of its own is. Its owner is one clone, drawn. So methods that
// cut edges can use it as any other partitioner; those that cut vertices place arcs as it did.
#include "engine/partition/vertex_cut/arc_parts.h"

namespace halo {
namespace {

const Registered<PartitionerEntry> self{
    {.declaration = {"vertex-cut",
                     "arcs to parts, rows in drawn order, as few clones of a vertex as greed finds",
                     "Libra, Xie et al., NIPS 2014; DistGNN, SC 2021"},
     .partition = [](const Csr& arcs,
                     const PartitionRequest& request) { return placeArcs(arcs, request).roots; },
     .placeArcs = [](const Csr& matrix,
                     const PartitionRequest& request) { return placeArcs(matrix, request).parts; }}};

}  // namespace
}  // namespace halo
