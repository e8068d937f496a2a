// The network's truth: an epoch over the network that real hosts have, over a link that emulates it and in
// the simulator. Beside them stands the least that its bytes take. A row a configuration; the CSV form has
// seconds.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/base/index.h"
#include "engine/base/median.h"
#include "engine/record/tables/runs.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"

namespace halo {
namespace {

using Settings = std::map<std::string, std::string>;
constexpr double kWithin = 0.1;  // that is agreement

/// A configuration: what was run on hosts, what stands for it on a link, and the simulation of that.
struct Row {
  Settings settings;  // without the seed
  std::int64_t workers = 0;
  RunsNetwork network;                            // of the first run
  std::vector<const RunRow*> measured, emulated;  // repeats, and rounds that were run in turn
  const RunRow* simulated = nullptr;
  const std::vector<const RunRow*>& own() const { return measured.empty() ? emulated : measured; }
};

struct OnNetwork {
  const RunRow* run;
  PairedRun paired;
  RunsNetwork network;
};

std::vector<OnNetwork> runsOn(const RunsData& data, const std::vector<const RunRow*>& runs, bool emulated) {
  std::vector<OnNetwork> pairs;
  for (const RunRow* run : runs) {
    const PairedRun pair = paired(data, *run);
    const auto network = networkOf(pair);
    if (network && network->emulated == emulated && metricOf(data, *run, "epoch_seconds"))
      pairs.push_back({run, pair, *network});
  }
  return pairs;
}

/// The row of the run's configuration whose network differs by no more than `within`.
Row& rowOf(std::vector<Row>& rows, const OnNetwork& pair, double within) {
  Settings settings = withoutChance(trainingSettings(pair.paired.parameters));
  const auto match = std::ranges::find_if(rows, [&](const Row& row) {
    return row.settings == settings && row.workers == *pair.paired.workers &&
           row.network.emulated == pair.network.emulated &&
           row.network.ranksAHost == pair.network.ranksAHost &&
           std::abs(pair.network.gbit / row.network.gbit - 1) <= within;
  });
  if (match != rows.end()) return *match;
  rows.push_back({std::move(settings), *pair.paired.workers, pair.network, {}, {}, nullptr});
  return rows.back();
}

/// Those of the nearest bandwidth that stand for the run.
std::vector<const RunRow*> emulationsOf(const OnNetwork& measured, const std::vector<OnNetwork>& emulated) {
  std::vector<const RunRow*> nearest;
  double least = 0;
  for (const OnNetwork& pair : emulated) {
    const auto gap = emulationGap(pair.paired, measured.paired);
    if (!gap || (!nearest.empty() && *gap > least)) continue;
    if (nearest.empty() || *gap < least) nearest.clear();
    least = *gap;
    nearest.push_back(pair.run);
  }
  return nearest;
}

/// The youngest of a link that one of the runs was on.
const RunRow* simulationOf(const RunsData& data, const std::vector<const RunRow*>& emulated,
                           const std::vector<const RunRow*>& runs) {
  const auto youngest = std::find_if(runs.rbegin(), runs.rend(), [&](const RunRow* run) {
    return run->kind == "simulation" && simulatesLink(parametersOf(data, *run)) &&
           metricOf(data, *run, "epoch_seconds") &&
           std::ranges::any_of(emulated, [&](const RunRow* emulation) {
             return isSimulationOf(paired(data, *run), paired(data, *emulation));
           });
  });
  return youngest == runs.rend() ? nullptr : *youngest;
}

/// A network is measured anew before each round, so that rounds of one differ a little.
std::vector<Row> rowsOf(const RunsData& data, const std::vector<const RunRow*>& runs) {
  const std::vector<OnNetwork> onHosts = runsOn(data, runs, false), onLinks = runsOn(data, runs, true);
  std::vector<Row> rows;
  std::set<const RunRow*> usedEmulations;
  for (const OnNetwork& pair : onHosts) {
    Row& row = rowOf(rows, pair, kEmulatedWithin + 1e-9);
    row.measured.push_back(pair.run);
    for (const RunRow* emulated : emulationsOf(pair, onLinks)) {
      if (std::ranges::find(row.emulated, emulated) == row.emulated.end()) row.emulated.push_back(emulated);
      usedEmulations.insert(emulated);
    }
  }
  for (const OnNetwork& pair : onLinks)
    if (!usedEmulations.contains(pair.run)) rowOf(rows, pair, 0).emulated.push_back(pair.run);
  for (Row& row : rows) row.simulated = simulationOf(data, row.emulated, runs);
  std::erase_if(rows, [](const Row& row) { return row.measured.empty() && row.simulated == nullptr; });
  std::ranges::stable_sort(rows, {}, [](const Row& row) {
    return std::tuple(row.workers, row.network.ranksAHost, row.network.gbit, row.own().front()->id);
  });
  return rows;
}

/// Of what is known of the runs; not a number where nothing is.
template <class ValueOf>
double medianOf(const std::vector<const RunRow*>& runs, const ValueOf& valueOf) {
  std::vector<double> values;
  for (const RunRow* run : runs)
    if (const std::optional<double> value = valueOf(*run)) values.push_back(*value);
  return values.empty() ? std::nan("") : median(std::move(values));
}

double gbitOf(const RunsData& data, const std::vector<const RunRow*>& runs) {
  return medianOf(runs, [&](const RunRow& run) { return std::optional(networkOf(paired(data, run))->gbit); });
}

/// Seconds that the bytes of its busiest card take.
std::optional<double> leastOf(const RunsData& data, const RunRow& run) {
  constexpr double kBitsPerGbit = 1e9, kBitsPerByte = 8;
  const auto bytes = metricOf(data, run, "wire_bytes_per_epoch");
  if (!bytes) return std::nullopt;
  return *bytes * kBitsPerByte / (networkOf(paired(data, run))->gbit * kBitsPerGbit);
}

/// What a row says, in seconds; what is not known is not a number.
struct RowTimes {
  double measured, emulated, simulated, least;
  double leastOfLinks;      // on which it was emulated, whose bandwidths may be a little different
  double leastOfSimulated;  // on the one of these that was simulated
  double emulatedOver() const { return emulated / measured; }
  double simulatedOver() const { return simulated / measured; }
  bool measuredBelow() const { return isBelow(measured, least); }
  bool emulatedBelow() const { return isBelow(emulated, leastOfLinks); }
  bool simulatedBelow() const { return isBelow(simulated, leastOfSimulated); }

 private:
  static bool isBelow(double seconds, double limit) { return seconds < limit * (1 - kRounding); }
  static constexpr double kRounding = 1e-6;
};

RowTimes timesOf(const RunsData& data, const Row& row) {
  const RunRow* simulated = row.simulated;
  const char* metric =
      simulated == nullptr ? "epoch_seconds" : measuredEpoch(parametersOf(data, *simulated)).c_str();
  const auto epoch = [&](const RunRow& run) { return metricOf(data, run, metric); };
  const auto least = [&](const RunRow& run) { return leastOf(data, run); };
  const auto leastIfSimulated = [&](const RunRow& run) -> std::optional<double> {
    const bool stands = simulated != nullptr && isSimulationOf(paired(data, *simulated), paired(data, run));
    return stands ? leastOf(data, run) : std::nullopt;
  };
  return {medianOf(row.measured, epoch),
          medianOf(row.emulated, epoch),
          simulated == nullptr ? std::nan("") : *metricOf(data, *simulated, "epoch_seconds"),
          medianOf(row.own(), least),
          medianOf(row.emulated, least),
          medianOf(row.emulated, leastIfSimulated)};
}

/// "measured, simulated": which epochs the wire could not have carried all bytes of.
QString belowLeast(const RowTimes& times) {
  QStringList below;
  if (times.measuredBelow()) below << "measured";
  if (times.emulatedBelow()) below << "emulated";
  if (times.simulatedBelow()) below << "simulated";
  return below.join(", ");
}

/// "yes", which ratio is outside ("no: both"), or "–" where there is none.
QString standing(const RowTimes& times) {
  QStringList outside;
  bool any = false;
  const auto look = [&](double ratio, const char* label) {
    if (!std::isfinite(ratio)) return;
    any = true;
    if (std::abs(ratio - 1) > kWithin) outside << label;
  };
  look(times.emulatedOver(), "emulated");
  look(times.simulatedOver(), "simulated");
  if (!any) return QStringLiteral("–");
  if (outside.isEmpty()) return QStringLiteral("yes");
  return outside.size() > 1 ? QStringLiteral("no: both") : "no: " + outside.front();
}

bool ofOneMethod(const Row& a, const Row& b) { return a.own().front()->method == b.own().front()->method; }

bool onOneNetwork(const Row& a, const Row& b) {
  return a.workers == b.workers && a.network.ranksAHost == b.network.ranksAHost &&
         std::abs(a.network.gbit / b.network.gbit - 1) <= kEmulatedWithin;  // it is measured anew each round
}

bool hasOther(const Row& row, const std::string& key, const std::string& value) {
  const auto setting = row.settings.find(key);
  return setting != row.settings.end() && setting->second != value;
}

/// What sets the row apart from others of its method on its network: "overlap=central".
QString variantOf(const Row& row, const std::vector<Row>& rows) {
  QStringList parts;
  for (const auto& [key, value] : row.settings) {
    const auto differs = [&](const Row& other) {
      return ofOneMethod(other, row) && onOneNetwork(other, row) && hasOther(other, key, value);
    };
    if (std::ranges::any_of(rows, differs))
      parts << QString::fromStdString(key.substr(key.find('.') + 1) + "=" + value).remove('"');
  }
  return parts.join(", ");
}

/// What differs between rows of a method that their networks tell apart already.
QStringList unlikeOf(const std::vector<Row>& rows) {
  std::set<std::string> across, within;
  for (const Row& row : rows)
    for (const auto& [key, value] : row.settings)
      for (const Row& other : rows)
        if (ofOneMethod(other, row) && hasOther(other, key, value))
          (onOneNetwork(other, row) ? within : across).insert(key.substr(key.find('.') + 1));
  QStringList keys;
  for (const std::string& key : across)
    if (!within.contains(key)) keys << QString::fromStdString(key);
  return keys;
}

constexpr const char* kBelowSign = "↓";
constexpr std::size_t kMethod = 0, kVariant = 1, kWorkers = 2, kRanks = 3, kFixed = 4;

void setColumns(FigureTable& table, const char* unit) {
  const auto inUnit = [&](const char* name) { return QString("%1 [%2]").arg(name, unit); };
  table.columns = QStringList{"method",
                              "variant",
                              "workers",
                              "ranks a host",
                              "Gbit/s",
                              inUnit("measured"),
                              inUnit("emulated"),
                              inUnit("simulated"),
                              inUnit("least of the wire"),
                              "emulated ÷ measured",
                              "simulated ÷ measured",
                              "within 10 %"};
  table.headings = QStringList{"method",
                               "variant",
                               "workers",
                               "ranks a host",
                               "bandwidth [Gbit/s]",
                               "emulated bandwidth [Gbit/s]",
                               "measured [s]",
                               "measured runs",
                               "emulated [s]",
                               "emulated runs",
                               "simulated [s]",
                               "least of the wire [s]",
                               "emulated / measured",
                               "simulated / measured",
                               "within 10 %",
                               "below the least of the wire"};
}

void addRow(const RunsData& data, FigureTable& table, const Row& row, const QString& variant,
            const RowTimes& times, double scale) {
  const QString method = QString::fromStdString(row.own().front()->method);
  const double gbit = gbitOf(data, row.own()), link = gbitOf(data, row.emulated);
  const auto time = [&](double seconds, bool below, std::size_t runs = 1) {
    const QString text = formatNumber(seconds * scale) + (below ? kBelowSign : "");
    return runs > 1 ? QString("%1 (%2)").arg(text).arg(runs) : text;
  };
  table.rows.push_back(
      {method, variant, QString::number(row.workers), QString::number(row.network.ranksAHost),
       formatNumber(gbit, 3), time(times.measured, times.measuredBelow(), row.measured.size()),
       time(times.emulated, times.emulatedBelow(), row.emulated.size()),
       time(times.simulated, times.simulatedBelow()), time(times.least, false),
       formatNumber(times.emulatedOver(), 3), formatNumber(times.simulatedOver(), 3), standing(times)});
  const auto rounded = [](auto number) {
    return QVariant::fromValue<qlonglong>(static_cast<qlonglong>(number));
  };
  table.values.push_back({method, variant, rounded(row.workers), rounded(row.network.ranksAHost), gbit, link,
                          times.measured, rounded(row.measured.size()), times.emulated,
                          rounded(row.emulated.size()), times.simulated, times.least, times.emulatedOver(),
                          times.simulatedOver(), standing(times), belowLeast(times)});
}

/// What is the same in all rows stands below them.
void shareColumns(FigureTable& table, QStringList& notes) {
  for (qsizetype c = 0; c < table.columns.size(); ++c) {
    const auto place = at(c);
    const QString& value = table.rows.front()[c];
    const bool same =
        std::ranges::all_of(table.rows, [&](const QStringList& row) { return row[c] == value; });
    if (place == kMethod || place >= kFixed || !same || table.rows.size() == 1)
      table.shown.push_back(c);
    else if (place == kWorkers)
      notes << value + " workers";
    else if (place == kRanks)
      notes << value + (value == "1" ? " rank a host" : " ranks a host");
  }
  table.keys = at(
      std::ranges::count_if(table.shown, [](qsizetype c) { return c <= static_cast<qsizetype>(kVariant); }));
}

/// Whose epochs are means, as their simulations are.
QStringList meansOf(const RunsData& data, const std::vector<Row>& rows) {
  QStringList methods;
  for (const Row& row : rows)
    if (row.simulated != nullptr && measuredEpoch(parametersOf(data, *row.simulated)) != "epoch_seconds")
      if (const QString method = QString::fromStdString(row.own().front()->method); !methods.contains(method))
        methods << method;
  return methods;
}

QString noteOf(const std::vector<QString>& standings, const QStringList& notes, bool anyBelow) {
  const auto judged =
      std::ranges::count_if(standings, [](const QString& standing) { return standing != "–"; });
  QStringList parts{judged == 0 ? QString("nothing to hold against a run on real hosts yet")
                                : QString("%1 of %2 rows within 10 %")
                                      .arg(std::ranges::count(standings, QStringLiteral("yes")))
                                      .arg(judged)};
  parts += notes;
  parts << "(n): median of n runs"
        << "least of the wire: the busiest card's bytes over the bandwidth";
  if (anyBelow)
    parts << QString(
                 "%1: less than that at its own bandwidth; its messages pile up, its epochs are unlike, or "
                 "the wire carries more than was measured")
                 .arg(kBelowSign);
  return parts.join(" · ");
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Measured, emulated and simulated network";
  figure.form = FigureForm::table;
  figure.emptyReason =
      "No run on real hosts here says what its network carries (cluster.wire), and no run on an emulated "
      "link has a simulation of it; resources/experiments/network-truth.toml has both, and tells how to run "
      "it on hosts.";
  const RunsData& data = input.all;
  const auto runs = completedRuns(data, input.chosen);
  const std::vector<Row> rows = rowsOf(data, runs);
  std::vector<RowTimes> times;
  std::vector<const RunRow*> drawn;
  double longest = 0;
  for (const Row& row : rows) {
    times.push_back(timesOf(data, row));
    for (const double seconds : {times.back().measured, times.back().emulated, times.back().simulated})
      if (std::isfinite(seconds)) longest = std::max(longest, seconds);
    for (const auto* repeats : {&row.measured, &row.emulated})
      drawn.insert(drawn.end(), repeats->begin(), repeats->end());
    if (row.simulated != nullptr) drawn.push_back(row.simulated);
  }
  addProvenance(figure, drawn);
  const auto [unit, scale] = secondsUnit(longest);
  setColumns(figure.table, unit);
  std::vector<QString> standings;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    addRow(data, figure.table, rows[i], variantOf(rows[i], rows), times[i], scale);
    standings.push_back(standing(times[i]));
  }
  if (rows.empty()) return figure;
  QStringList notes;
  shareColumns(figure.table, notes);
  if (const QStringList means = meansOf(data, rows); !means.isEmpty())
    notes << "mean epochs of " + means.join(", ") + ", of others the median";
  if (const QStringList unlike = unlikeOf(rows); !unlike.isEmpty())
    notes << "not the same in all rows of a method: " + unlike.join(", ");
  figure.table.note =
      noteOf(standings, notes,
             std::ranges::any_of(times, [](const RowTimes& row) { return !belowLeast(row).isEmpty(); }));
  figure.table.showsAllRows = true;
  return figure;
}

const Registered<FigureEntry> self{
    {{"network", "epochs on real hosts beside emulated and simulated ones", ""}, make, {}, true}};

}  // namespace
}  // namespace halo
