#pragma once

#include <span>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Table `component`. All its SQL stands in components.cpp.
class Components {
 public:
  explicit Components(Database& database) : db_(database) {}
  /// In the caller's transaction. Throws RecordError where a device has two of one name.
  void append(std::int64_t run, std::span<const ComponentRow> rows);
  std::vector<ComponentRow> rowsOf(std::int64_t run) const;  // by device and name; empty: not a simulation

 private:
  Database& db_;
};

}  // namespace halo
