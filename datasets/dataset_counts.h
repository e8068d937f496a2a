#pragma once

#include <optional>

#include "datasets/graph/dataset.h"

namespace halo {

/// How large a data set is.
struct DatasetCounts {
  Index vertices = 0, arcs = 0, features = 0;  // features: columns
  std::int32_t classes = 0;
  std::vector<std::string> remarks = {};  // as of the set
};

/// Of the set that `request` loads, by the header of its converted form. Where there is none the set is
/// loaded, and so converted for who needs it next. Nothing for a generated set that only making it would
/// tell, one of more than some 10,000 arcs. Throws as loadDataset does.
std::optional<DatasetCounts> datasetCounts(const DatasetRequest& request);

}  // namespace halo
