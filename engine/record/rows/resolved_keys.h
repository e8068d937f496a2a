#pragma once

namespace halo {

// Parameters that say what no key of the experiment does, of every training run. Recordings of before have
// none.

/// Whether layer 0's aggregate is kept, "true" or "false": some methods always keep it, some never, and
/// others as `run.layer0_cache` says.
inline constexpr const char* kKeepsLayer0 = "result.keeps_layer0";

/// Bytes of a number that is trained with: 4, or 8 in a build of double precision.
inline constexpr const char* kElementBytes = "result.element_bytes";

/// What the partitioner gives parts equally much of, "vertices", "nonzeros", "nonzeros-self" or "arcs":
/// some have the key `partition.balance`, others always do the same. Absent for one's own partition.
inline constexpr const char* kPartsBalance = "result.balanced";

/// Digest of what the data set held, whatever files it was read from: arcs, features, labels and split.
inline constexpr const char* kDataDigest = "result.data_digest";

/// Threads of a worker, "2", or "1 to 2" where workers have unlike ones: `cluster.threads` may leave it to
/// the cores of each host.
inline constexpr const char* kThreads = "result.threads";

/// How many neighbouring ranks work on one part of the graph: groups of slices, or rows of a grid. Absent:
/// each rank has a part of its own.
inline constexpr const char* kRanksPerPart = "result.ranks_per_part";

/// Of training in mini-batches: every how-manieth iteration is recorded, 0: none; vertices that are trained
/// on.
inline constexpr const char* kIterationsEvery = "result.iterations_every";
inline constexpr const char* kTrainingVertices = "result.training_vertices";

}  // namespace halo
