#pragma once

#include <span>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/batch_rows.h"

namespace halo {

/// Tables `actor`, `stage`, `decision`. All their SQL stands in hybrid.cpp.
class Hybrid {
 public:
  explicit Hybrid(Database& database) : db_(database) {}

  // Insert or replace by key, inside the caller's transaction.
  void setActors(std::int64_t run, std::span<const ActorRow> rows);
  /// Stages and decisions.
  void append(std::int64_t run, const BatchRows& rows);

  std::vector<ActorRow> actors(std::int64_t run) const;  // by number
  /// By epoch, iteration, stage in its order, and actor.
  std::vector<StageRow> stages(std::int64_t run, std::int64_t fromEpoch = 0) const;
  std::vector<DecisionRow> decisions(std::int64_t run) const;  // by number

 private:
  void write(std::int64_t run, const std::vector<StageRow>& rows);
  void write(std::int64_t run, const std::vector<DecisionRow>& rows);

  Database& db_;
};

}  // namespace halo
