// The communication ledger: bytes from every worker to every other, and per layer and pass beside the
// prediction of the method's closed form.
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/nothing_recorded.h"

namespace halo {
namespace {

const char* passName(Pass pass) {
  return pass == Pass::forward ? "forward" : pass == Pass::backward ? "backward" : "–";
}

QString noMessages(const RunRow& run) {
  return nothingOf(run, "No message has been recorded yet.",
                   "This run is %1, and recorded no message between its workers.");
}

/// Messages are summed over the epochs, while most other figures are of one.
QString ofEpochs(const RunData& data) {
  const std::size_t epochs = data.epochs.size();
  return epochs == 0   ? QString()
         : epochs == 1 ? QString(" in one epoch")
                       : QString(" in %1 epochs").arg(epochs);
}

Figure makeMatrix(const FigureInput& input, const Values&) {
  const RunData& data = input.runs.front();
  Figure figure;
  figure.title = "Bytes between workers" + ofEpochs(data);
  figure.form = FigureForm::heatMap;
  figure.x = {"to worker", "", false, {}};
  figure.y = {"from worker", "", false, {}};
  figure.emptyReason = data.run.workers > 1 ? noMessages(data.run) : QString("One worker sends no messages.");
  if (data.messages.empty()) return figure;
  const auto size = at(data.run.workers);
  std::vector<double> bytes(size * size, 0.0);
  double largest = 0;
  bool any = false;
  for (const MessageRow& row : data.messages) {
    if (row.target < 0 || row.target >= data.run.workers || row.source < 0 || row.source >= data.run.workers)
      continue;
    double& cell = bytes[at(row.source) * size + at(row.target)];
    cell += static_cast<double>(row.bytes);
    largest = std::max(largest, cell);
    any = true;
  }
  if (!any) return figure;
  const double unit = largest >= 1e9 ? 1e9 : largest >= 1e6 ? 1e6 : largest >= 1e3 ? 1e3 : 1;
  figure.grid.unit = unit == 1e9 ? "GB" : unit == 1e6 ? "MB" : unit == 1e3 ? "kB" : "B";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = i % (size + 1) == 0 ? std::numeric_limits<double>::quiet_NaN() : bytes[i] / unit;
  figure.grid.values = std::move(bytes);
  for (std::size_t rank = 0; rank < size; ++rank) figure.x.categories << QString::number(rank);
  figure.y.categories = figure.x.categories;
  return figure;
}

Figure makeVolume(const FigureInput& input, const Values&) {
  struct Sum {
    std::int64_t messages = 0, bytes = 0, predicted = 0;
    std::optional<std::int64_t> predictedMessages;  // of recordings that have them
  };
  std::map<std::pair<std::int64_t, Pass>, Sum> sums;
  for (const MessageRow& row : input.runs.front().messages) {
    Sum& sum = sums[{row.layer, row.pass}];
    sum.messages += row.messages;
    sum.bytes += row.bytes;
    sum.predicted += row.predictedBytes;
    if (row.predictedMessages)
      sum.predictedMessages = sum.predictedMessages.value_or(0) + *row.predictedMessages;
  }
  Figure figure;
  figure.title = "Measured and predicted volume" + ofEpochs(input.runs.front());
  figure.form = FigureForm::table;
  figure.emptyReason = noMessages(input.runs.front().run);
  figure.table.columns =
      QStringList{"layer", "pass", "messages", "bytes", "predicted bytes", "residual", "predicted messages"};
  figure.table.shown = {0, 1, 3, 4, 5, 2, 6};  // where there is no room for all, the messages go
  figure.table.keys = 2;
  figure.table.headings = QStringList{
      "layer", "pass", "messages", "sent [bytes]", "predicted [bytes]", "residual [%]", "predicted messages"};
  for (const auto& [key, sum] : sums) {
    const double residual = sum.bytes == sum.predicted ? 0
                            : sum.predicted != 0 ? double(sum.bytes - sum.predicted) / double(sum.predicted)
                                                 : std::nan("");
    figure.table.rows.push_back({key.first < 0 ? "outside" : QString::number(key.first), passName(key.second),
                                 formatCount(sum.messages), formatCount(sum.bytes),
                                 formatCount(sum.predicted),
                                 residual == 0          ? "0"
                                 : std::isnan(residual) ? "–"
                                                        : formatNumber(100 * residual) + " %",
                                 sum.predictedMessages ? formatCount(*sum.predictedMessages) : "–"});
    const std::string_view pass = text(key.second);
    figure.table.values.push_back(
        {QVariant::fromValue<qlonglong>(key.first), QString::fromUtf8(pass.data(), qsizetype(pass.size())),
         QVariant::fromValue<qlonglong>(sum.messages), QVariant::fromValue<qlonglong>(sum.bytes),
         QVariant::fromValue<qlonglong>(sum.predicted), 100 * residual,
         sum.predictedMessages ? QVariant::fromValue<qlonglong>(*sum.predictedMessages) : QVariant()});
  }
  return figure;
}

const Registered<FigureEntry> matrix{{{"ledger", "bytes from every worker to every other", ""}, makeMatrix}};
const Registered<FigureEntry> volume{
    {{"volume", "measured beside predicted bytes by layer and pass", ""}, makeVolume}};

}  // namespace
}  // namespace halo
