// A figure in one file: CONTRIBUTING.md, "Add a figure". Compiled by the suite and linked nowhere.
//
// A table of a run's epochs: time and loss. The picture and the CSV hold the same numbers.
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Epochs";
  figure.form = FigureForm::table;
  figure.emptyReason = "No epoch has been recorded yet.";
  figure.table.columns = QStringList{"epoch", "time", "loss"};
  figure.table.headings = QStringList{"epoch", "time [s]", "loss [nats]"};
  figure.table.keys = 1;
  for (const EpochRow& row : input.runs.front().epochs) {
    const double seconds = static_cast<double>(row.wallNs) * 1e-9;
    figure.table.rows.push_back(
        {QString::number(row.epoch), formatNumber(seconds) + " s", formatNumber(row.loss)});
    figure.table.values.push_back({QVariant::fromValue<qlonglong>(row.epoch), seconds, row.loss});
  }
  return figure;
}

const Registered<FigureEntry> self{{{"epochs", "time and loss of every epoch", ""}, make}};

}  // namespace
}  // namespace halo
