#pragma once

#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/batch_rows.h"

namespace halo {

/// Tables `iteration`, `block`, `cache`. All their SQL stands in iterations.cpp.
class Iterations {
 public:
  explicit Iterations(Database& database) : db_(database) {}

  /// Insert or replace by key, inside the caller's transaction.
  void append(std::int64_t run, const BatchRows& rows);

  std::vector<IterationRow> iterations(std::int64_t run, std::int64_t fromEpoch = 0) const;  // in order
  std::vector<BlockRow> blocks(std::int64_t run, std::int64_t fromEpoch = 0) const;  // by epoch, rank, layer
  std::vector<CacheRow> caches(std::int64_t run, std::int64_t fromEpoch = 0) const;  // by epoch and rank

 private:
  void write(std::int64_t run, const std::vector<IterationRow>& rows);
  void write(std::int64_t run, const std::vector<BlockRow>& rows);
  void write(std::int64_t run, const std::vector<CacheRow>& rows);

  Database& db_;
};

}  // namespace halo
