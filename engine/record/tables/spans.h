#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/tables/span_block.h"
#include "engine/record/trace/span.h"

namespace halo {

struct SpanBlockInfo {
  std::int64_t id = 0;  // ascending in order of writing
  std::int64_t rank = 0;
  Lane lane = Lane::main;
  std::int64_t firstNs = 0, lastNs = 0, count = 0;
  std::optional<std::int64_t> actor;  // none: what the rank itself did
};

/// Table `span_block`. All its SQL stands in spans.cpp.
class Spans {
 public:
  explicit Spans(Database& database) : db_(database) {}

  /// Packs the spans (any lanes, any order) of one rank, or of one of its actors, into blocks and appends
  /// them, in the caller's transaction.
  void append(std::int64_t run, std::int64_t rank, std::span<const Span> spans,
              std::optional<std::int64_t> actor = {});
  /// Blocks with id > after, in order of id: how a live view asks for what is new. Throws RecordDamaged where
  /// a row claims times, a worker or an actor that no run has.
  std::vector<SpanBlockInfo> blocks(std::int64_t run, std::int64_t after = 0) const;
  /// The same as the rows say, for who checks them.
  std::vector<SpanBlockInfo> claimedBlocks(std::int64_t run, std::int64_t after = 0) const;
  std::vector<Span> load(std::int64_t block) const;
  /// use(bytes, claimed): the packed bytes themselves (views unpack the columns they need), and how many
  /// spans their row claims.
  void loadRaw(std::int64_t block, const std::function<void(std::string_view, std::int64_t)>& use) const;
  /// All spans of a run and rank, its actors' among them, by begin.
  std::vector<Span> all(std::int64_t run, std::int64_t rank) const;
  /// Blocks of what ranks did themselves that may have spans of an epoch that began then.
  std::vector<SpanBlockInfo> blocksSince(std::int64_t run, std::int64_t beginNs) const;
  std::int64_t count(std::int64_t run) const;
  /// Takes away spans of an epoch and all after it: those that end after `ns` or say why a rank waited. In
  /// the caller's transaction. A block that has such spans is packed anew.
  void dropFrom(std::int64_t run, std::int64_t epoch, std::int64_t ns);

 private:
  Database& db_;
};

}  // namespace halo
