#include "engine/record/tables/span_lanes.h"

#include <memory>
#include <string>

#include "engine/record/database/database.h"
#include "engine/record/tables/span_block.h"

namespace halo {
namespace {

/// A column's values; of one that all spans share, that value alone.
template <class T>
class Column {
 public:
  Column(const SpanBlock& block, SpanColumn column)
      : shared_(static_cast<T>(block.base(column))), isShared_(block.constant(column)) {
    if (isShared_) return;
    values_ = std::make_unique_for_overwrite<T[]>(block.count());
    block.read(column, values_.get());
  }
  T operator[](std::size_t i) const { return isShared_ ? shared_ : values_[i]; }

 private:
  T shared_;
  bool isShared_;
  std::unique_ptr<T[]> values_;
};

}  // namespace

/// Span by span: all of them column by column would go through the memory once for each column.
void appendSpans(const SpanBlock& block, std::vector<Span>& spans) {
  const Column<std::int64_t> begin(block, SpanColumn::begin), duration(block, SpanColumn::duration),
      bytes(block, SpanColumn::bytes), message(block, SpanColumn::message);
  const Column<std::int32_t> epoch(block, SpanColumn::epoch), peer(block, SpanColumn::peer);
  const Column<std::int16_t> layer(block, SpanColumn::layer);
  const Column<Name> name(block, SpanColumn::name);
  const Column<Kind> kind(block, SpanColumn::kind);
  const Column<Pass> pass(block, SpanColumn::pass);
  const std::size_t first = spans.size();
  spans.resize(first + block.count());
  for (std::size_t i = 0; i < block.count(); ++i)
    spans[first + i] = {begin[i], duration[i], bytes[i],     epoch[i], peer[i],   layer[i],
                        name[i],  kind[i],     block.lane(), pass[i],  message[i]};
}

void appendSpans(std::string_view block, std::int64_t claimed, SpanLanes& lanes) {
  const SpanBlock columns(block);
  if (static_cast<std::int64_t>(columns.count()) != claimed)
    throw RecordDamaged("its row says " + std::to_string(claimed) + " spans, it holds " +
                        std::to_string(columns.count()));
  appendSpans(columns, lanes[static_cast<std::size_t>(columns.lane())]);
}

}  // namespace halo
