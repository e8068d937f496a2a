#pragma once

#include <memory>
#include <optional>

#include "engine/base/mapped_rows.h"
#include "engine/comm/communicator/communicator.h"

namespace halo {

/// Collective. Every rank maps the features of rank 0's data set where its own host has that file; nothing
/// where they are not mapped. Throws where a rank cannot, or has another file of that name: on rank 0
/// DamagedInput naming host and file, elsewhere PreparationFailed.
std::shared_ptr<const MappedRows> mapFeatures(Communicator& comm, const std::optional<RowsInFile>& place);

}  // namespace halo
