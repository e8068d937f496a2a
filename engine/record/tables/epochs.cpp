#include "engine/record/tables/epochs.h"

#include <limits>

#include "engine/record/rows/lost_scores.h"

namespace halo {
namespace {

/// The layer table's whole-number columns, in the order of the SQL below.
constexpr std::int64_t LayerRow::*kLayerCounts[] = {
    &LayerRow::aggregateNs,    &LayerRow::updateNs,      &LayerRow::activationNs,
    &LayerRow::lossNs,         &LayerRow::optimizerNs,   &LayerRow::sampleNs,
    &LayerRow::gatherNs,       &LayerRow::cpuNs,         &LayerRow::communicationNs,
    &LayerRow::exchangeWaitNs, &LayerRow::synchroniseNs, &LayerRow::quantiseNs,
    &LayerRow::bytesSent,      &LayerRow::quantiseBytes, &LayerRow::messages,
    &LayerRow::predictedBytes, &LayerRow::flop};
constexpr const char* kLayerColumns =
    "epoch, rank, layer, pass, aggregate_ns, update_ns, activation_ns, loss_ns, optimizer_ns, sample_ns, "
    "gather_ns, "
    "cpu_ns, communication_ns, exchange_wait_ns, synchronise_ns, quantise_ns, bytes_sent, quantise_bytes, "
    "messages, "
    "predicted_bytes, flop, staleness_absolute, staleness_relative, predicted_messages, "
    "staleness_cosine, staleness_age";

template <class Number>
void bindOptional(Statement& statement, const std::optional<Number>& value) {
  if (value)
    statement.bind(*value);
  else
    statement.bindNull();
}

std::optional<double> readOptional(const Statement& row, int column) {
  if (row.isNull(column)) return std::nullopt;
  return row.real(column);
}

/// A column of lossAndScoresSql.
std::optional<double> readMeasured(const Statement& row, int column) {
  if (row.type(column) == ValueType::text) return std::numeric_limits<double>::quiet_NaN();
  return readOptional(row, column);
}

std::optional<std::int64_t> readCount(const Statement& row, int column) {
  if (row.isNull(column)) return std::nullopt;
  return row.integer(column);
}

std::vector<LayerRow> readLayers(Statement& select) {
  std::vector<LayerRow> rows;
  while (select.step()) {
    LayerRow row;
    row.epoch = select.integer(0);
    row.rank = select.integer(1);
    row.layer = select.integer(2);
    row.pass = passOf(select.blob(3));
    int c = 4;
    for (const auto member : kLayerCounts) row.*member = select.integer(c++);
    row.stalenessAbsolute = readOptional(select, c++);
    row.stalenessRelative = readOptional(select, c++);
    row.predictedMessages = readCount(select, c++);
    row.stalenessCosine = readOptional(select, c++);
    row.stalenessAge = readOptional(select, c);
    rows.push_back(row);
  }
  return rows;
}

constexpr const char* kMessages =
    "SELECT epoch, layer, pass, source, target, messages, bytes, predicted_bytes, predicted_messages FROM "
    "message";

std::vector<MessageRow> readMessages(Statement& select) {
  std::vector<MessageRow> rows;
  while (select.step())
    rows.push_back({select.integer(0), select.integer(1), passOf(select.blob(2)), select.integer(3),
                    select.integer(4), select.integer(5), select.integer(6), select.integer(7),
                    readCount(select, 8)});
  return rows;
}

}  // namespace

void Epochs::append(std::int64_t run, std::span<const EpochRow> rows) {
  Statement insert(db_,
                   "INSERT OR REPLACE INTO epoch(run_id, epoch, begin_ns, wall_ns, loss, train, valid, test, "
                   "filling) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const EpochRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.beginNs).bind(row.wallNs).bind(row.loss);
    for (const auto& score : {row.train, row.valid, row.test}) bindOptional(insert, score);
    insert.bind(std::int64_t{row.filling}).step();
    insert.reset();
  }
}

void Epochs::append(std::int64_t run, std::span<const LayerRow> rows) {
  Statement insert(db_,
                   std::string("INSERT OR REPLACE INTO layer(run_id, ") + kLayerColumns +
                       ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                       "?, ?)");
  for (const LayerRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.rank).bind(row.layer).bind(text(row.pass));
    for (const auto member : kLayerCounts) insert.bind(row.*member);
    bindOptional(insert, row.stalenessAbsolute);
    bindOptional(insert, row.stalenessRelative);
    bindOptional(insert, row.predictedMessages);
    bindOptional(insert, row.stalenessCosine);
    bindOptional(insert, row.stalenessAge);
    insert.step();
    insert.reset();
  }
}

void Epochs::append(std::int64_t run, std::span<const MessageRow> rows) {
  Statement insert(
      db_,
      "INSERT OR REPLACE INTO message(run_id, epoch, layer, pass, source, target, messages, bytes, "
      "predicted_bytes, predicted_messages) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const MessageRow& row : rows) {
    insert.bind(run).bind(row.epoch).bind(row.layer).bind(text(row.pass)).bind(row.source).bind(row.target);
    insert.bind(row.messages).bind(row.bytes).bind(row.predictedBytes);
    bindOptional(insert, row.predictedMessages);
    insert.step();
    insert.reset();
  }
}

std::vector<EpochRow> Epochs::epochs(std::int64_t run, std::int64_t from) const {
  Statement select(db_, "SELECT epoch, begin_ns, wall_ns, " + lossAndScoresSql() +
                            ", filling FROM epoch WHERE run_id = ? AND epoch >= ? ORDER BY epoch");
  select.bind(run).bind(from);
  std::vector<EpochRow> rows;
  while (select.step()) {
    EpochRow row{select.integer(0), select.integer(1), select.integer(2), 0, {}, {}, {}};
    row.loss = readMeasured(select, 3).value();  // is never NULL there
    row.train = readMeasured(select, 4);
    row.valid = readMeasured(select, 5);
    row.test = readMeasured(select, 6);
    row.filling = select.integer(7) != 0;
    rows.push_back(row);
  }
  return rows;
}

std::vector<LayerRow> Epochs::layers(std::int64_t run) const {
  Statement select(db_, std::string("SELECT ") + kLayerColumns +
                            " FROM layer WHERE run_id = ? ORDER BY epoch, rank, layer, pass");
  select.bind(run);
  return readLayers(select);
}

std::vector<LayerRow> Epochs::layersOf(std::int64_t run, std::int64_t epoch) const {
  Statement select(db_, std::string("SELECT ") + kLayerColumns +
                            " FROM layer WHERE run_id = ? AND epoch = ? ORDER BY rank, layer, pass");
  select.bind(run).bind(epoch);
  return readLayers(select);
}

std::vector<MessageRow> Epochs::messages(std::int64_t run, std::int64_t from) const {
  Statement select(db_, std::string(kMessages) +
                            " WHERE run_id = ? AND epoch >= ? ORDER BY epoch, layer, pass, source, target");
  select.bind(run).bind(from);
  return readMessages(select);
}

std::vector<MessageRow> Epochs::messagesOf(std::int64_t run, std::int64_t epoch) const {
  Statement select(
      db_, std::string(kMessages) + " WHERE run_id = ? AND epoch = ? ORDER BY layer, pass, source, target");
  select.bind(run).bind(epoch);
  return readMessages(select);
}

}  // namespace halo
