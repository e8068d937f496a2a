#pragma once

#include <string>
#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

/// What the partitioner `file` would refuse of its file, looked at before anything starts. vertices: of the
/// graph; 0: not known. Other methods read no file. Remarks parts that have no vertex.
std::vector<Problem> partitionFileProblems(const std::string& method, PartitionRequest request,
                                           Index vertices, std::vector<std::string>& remarks);

}  // namespace halo
