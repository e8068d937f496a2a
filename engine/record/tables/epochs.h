#pragma once

#include <span>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Tables `epoch`, `layer`, `message`. All their SQL stands in epochs.cpp.
class Epochs {
 public:
  explicit Epochs(Database& database) : db_(database) {}

  // Appending: insert or replace by key, inside the caller's transaction.
  void append(std::int64_t run, std::span<const EpochRow> rows);
  void append(std::int64_t run, std::span<const LayerRow> rows);
  void append(std::int64_t run, std::span<const MessageRow> rows);

  std::vector<EpochRow> epochs(std::int64_t run, std::int64_t from = 0) const;  // in order, epoch ≥ from
  std::vector<LayerRow> layers(std::int64_t run) const;
  std::vector<LayerRow> layersOf(std::int64_t run, std::int64_t epoch) const;
  std::vector<MessageRow> messages(std::int64_t run,
                                   std::int64_t from = INT64_MIN) const;  // from epoch `from` on
  std::vector<MessageRow> messagesOf(std::int64_t run, std::int64_t epoch) const;

 private:
  Database& db_;
};

}  // namespace halo
