#include "engine/comm/exchange/row_exchange.h"

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

Index rowCount(const std::vector<RowBlock>& blocks) {
  return blocks.empty() ? 0 : blocks.back().begin + blocks.back().count;
}

}  // namespace

void RowExchange::start(int tag, const Matrix& rows) {
  HALO_CHECK(transfers_.empty() && rows.rows() == rowCount(sent_));
  const Index width = rows.cols();
  const auto elements = [&](const RowBlock& block) { return at(block.count * width); };
  arrived_.resize(rowCount(received_), width);
  for (const RowBlock& block : received_)
    transfers_.push_back(
        comm_.startReceive(block.rank, tag, {arrived_.data() + block.begin * width, elements(block)}, width));
  comm_.copyOut(static_cast<std::int64_t>(rows.bytes()));
  for (const RowBlock& block : sent_)
    transfers_.push_back(
        comm_.startSend(block.rank, tag, {rows.data() + block.begin * width, elements(block)}, width));
}

const Matrix& RowExchange::finish() {
  comm_.waitAll(transfers_);
  transfers_.clear();
  return arrived_;
}

}  // namespace halo
