#include "engine/record/tables/spans.h"

#include "engine/base/plain_text.h"

#include <algorithm>
#include <array>

namespace halo {
namespace {

/// 73 years: no run is longer, and sums of such times are whole numbers of 64 bits.
constexpr std::int64_t kLongestNs = std::int64_t{1} << 61;

bool earlier(const Span& a, const Span& b) { return a.beginNs < b.beginNs; }

void appendBlock(Database& database, std::int64_t run, std::int64_t rank,
                 const std::optional<std::int64_t>& actor, std::span<const Span> spans) {
  std::int64_t last = spans.front().endNs();
  for (const Span& span : spans) last = std::max(last, span.endNs());
  Statement insert(database,
                   "INSERT INTO span_block(run_id, rank, lane, first_ns, last_ns, count, spans, actor) "
                   "VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(run).bind(rank).bind(text(spans.front().lane)).bind(spans.front().beginNs).bind(last);
  insert.bind(static_cast<std::int64_t>(spans.size())).bindBlob(packSpans(spans));
  actor ? insert.bind(*actor) : insert.bindNull();
  insert.step();
}

}  // namespace

void Spans::append(std::int64_t run, std::int64_t rank, std::span<const Span> spans,
                   std::optional<std::int64_t> actor) {
  std::array<std::vector<Span>, kLanes> lanes;
  for (const Span& span : spans) lanes[static_cast<std::size_t>(span.lane)].push_back(span);
  // an epoch comes after what it encloses, for who reads block by block
  for (const Lane each : {Lane::main, Lane::link, Lane::wait, Lane::message, Lane::phase}) {
    std::vector<Span>& lane = lanes[static_cast<std::size_t>(each)];
    if (!std::is_sorted(lane.begin(), lane.end(), earlier))
      std::stable_sort(lane.begin(), lane.end(), earlier);
    for (std::size_t at = 0; at < lane.size(); at += kSpansPerBlock)
      appendBlock(db_, run, rank, actor,
                  std::span(lane).subspan(at, std::min(kSpansPerBlock, lane.size() - at)));
  }
}

std::vector<SpanBlockInfo> Spans::blocks(std::int64_t run, std::int64_t after) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;  // ranks, and actors of one
  const auto isPlace = [](std::int64_t number) { return number >= 0 && number < kMost; };
  std::vector<SpanBlockInfo> blocks = claimedBlocks(run, after);
  for (const SpanBlockInfo& block : blocks) {
    if (!isPlace(block.rank) || !isPlace(block.actor.value_or(0)))
      throw RecordDamaged(onOneLine(db_.file().string()) + ": row " + std::to_string(block.id) +
                          " of span_block is damaged: it claims to be of worker " +
                          std::to_string(block.rank) + ", actor " + std::to_string(block.actor.value_or(0)));
    if (block.firstNs > block.lastNs || block.firstNs < -kLongestNs || block.lastNs > kLongestNs)
      throw RecordDamaged(onOneLine(db_.file().string()) + ": row " + std::to_string(block.id) +
                          " of span_block is damaged: it claims spans from " + std::to_string(block.firstNs) +
                          " to " + std::to_string(block.lastNs) + " ns");
  }
  return blocks;
}

std::vector<SpanBlockInfo> Spans::claimedBlocks(std::int64_t run, std::int64_t after) const {
  Statement select(db_,
                   "SELECT id, rank, lane, first_ns, last_ns, count, actor FROM span_block "
                   "WHERE run_id = ? AND id > ? ORDER BY id");
  select.bind(run).bind(after);
  std::vector<SpanBlockInfo> blocks;
  while (select.step())
    blocks.push_back({select.integer(0), select.integer(1), laneOf(select.blob(2)), select.integer(3),
                      select.integer(4), select.integer(5),
                      select.isNull(6) ? std::nullopt : std::optional(select.integer(6))});
  return blocks;
}

std::vector<Span> Spans::load(std::int64_t block) const {
  std::vector<Span> spans;
  loadRaw(block, [&](std::string_view bytes, std::int64_t count) { spans = unpackSpans(bytes, count); });
  return spans;
}

void Spans::loadRaw(std::int64_t block,
                    const std::function<void(std::string_view, std::int64_t)>& use) const {
  const std::string where =
      onOneLine(db_.file().string()) + ": row " + std::to_string(block) + " of span_block: ";
  Statement select(db_, "SELECT spans, count FROM span_block WHERE id = ?");
  if (!select.bind(block).step()) throw RecordError(where + "is not there; its run may have been deleted");
  try {
    use(select.blob(0), select.integer(1));
  } catch (const RecordDamaged& error) {
    throw RecordDamaged(where + error.what() +
                        "; every other block can still be read, `haloscope check` lists them");
  }
}

std::vector<Span> Spans::all(std::int64_t run, std::int64_t rank) const {
  std::vector<Span> spans;
  for (const SpanBlockInfo& block : blocks(run)) {
    if (block.rank != rank) continue;
    const std::vector<Span> more = load(block.id);
    spans.insert(spans.end(), more.begin(), more.end());
  }
  std::stable_sort(spans.begin(), spans.end(), earlier);
  return spans;
}

void Spans::dropFrom(std::int64_t run, std::int64_t epoch, std::int64_t ns) {
  for (const SpanBlockInfo& block : blocks(run)) {
    const bool derived = block.lane == Lane::wait;
    if (!derived && block.lastNs <= ns) continue;
    std::vector<Span> spans = load(block.id);
    const std::size_t all = spans.size();
    std::erase_if(spans,
                  [=](const Span& span) { return span.epoch >= epoch && (derived || span.endNs() > ns); });
    if (spans.size() == all) continue;
    Statement remove(db_, "DELETE FROM span_block WHERE id = ?");
    remove.bind(block.id).step();
    append(run, block.rank, spans, block.actor);
  }
}

std::vector<SpanBlockInfo> Spans::blocksSince(std::int64_t run, std::int64_t beginNs) const {
  std::vector<SpanBlockInfo> all = blocks(run);
  std::erase_if(all, [=](const SpanBlockInfo& block) {
    return block.actor || block.lane == Lane::wait || block.lastNs <= beginNs;
  });
  return all;
}

std::int64_t Spans::count(std::int64_t run) const {
  Statement select(db_, "SELECT total(count) FROM span_block WHERE run_id = ?");
  select.bind(run).step();
  return select.integer(0);
}

}  // namespace halo
