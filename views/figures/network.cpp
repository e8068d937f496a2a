// The network's truth: an epoch over the network that real hosts have, over a link that emulates it and in
// the simulator, beside the least that its bytes take. A row a configuration; the CSV form has seconds.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/record/runs.h"
#include "views/compared_runs.h"
#include "views/figure_registry.h"
#include "views/units.h"

namespace halo {
namespace {

using Settings = std::map<std::string, std::string>;
constexpr double kWithin = 0.1;

/// Runs of one configuration on one network: repeats, and rounds that were run in turn.
struct Group {
  Settings settings;  // without the seed
  RunsNetwork network;
  std::int64_t workers = 0;
  std::vector<const RunRow*> runs;  // by id
};

struct Row {
  const Group* measured = nullptr;
  const Group* emulated = nullptr;
  const RunRow* simulated = nullptr;
  const Group& first() const { return measured != nullptr ? *measured : *emulated; }
};

bool isOf(const Group& group, const Settings& settings, const RunsNetwork& network, std::int64_t workers) {
  return group.settings == settings && group.workers == workers && group.network.gbit == network.gbit &&
         group.network.emulated == network.emulated && group.network.ranksAHost == network.ranksAHost;
}

std::vector<Group> groupsOf(const RunsData& data, const std::vector<const RunRow*>& runs) {
  std::vector<Group> groups;
  for (const RunRow* run : runs) {
    const PairedRun one = paired(data, *run);
    const auto network = networkOf(one);
    if (!network || !metricOf(data, *run, "epoch_seconds")) continue;
    Settings settings = withoutChance(trainingSettings(one.parameters));
    const auto known = std::ranges::find_if(
        groups, [&](const Group& group) { return isOf(group, settings, *network, *one.workers); });
    if (known == groups.end())
      groups.push_back({std::move(settings), *network, *one.workers, {run}});
    else
      known->runs.push_back(run);
  }
  return groups;
}

/// Of one seed one run stands for another.
std::optional<double> gapOf(const RunsData& data, const Group& emulated, const Group& measured) {
  for (const RunRow* one : emulated.runs)
    for (const RunRow* other : measured.runs)
      if (const auto gap = emulationGap(paired(data, *one), paired(data, *other))) return gap;
  return std::nullopt;
}

/// That of the nearest bandwidth.
const Group* emulationOf(const RunsData& data, const Group& measured, const std::vector<Group>& groups) {
  const Group* nearest = nullptr;
  double least = 0;
  for (const Group& group : groups)
    if (const auto gap = gapOf(data, group, measured); gap && (nearest == nullptr || *gap < least)) {
      nearest = &group;
      least = *gap;
    }
  return nearest;
}

/// The youngest of the group's link.
const RunRow* simulationOf(const RunsData& data, const Group& emulated,
                           const std::vector<const RunRow*>& runs) {
  const auto youngest = std::find_if(runs.rbegin(), runs.rend(), [&](const RunRow* run) {
    if (run->kind != "simulation" || !simulatesLink(parametersOf(data, *run))) return false;
    return metricOf(data, *run, "epoch_seconds") &&
           std::ranges::any_of(emulated.runs, [&](const RunRow* one) {
             return isSimulationOf(paired(data, *run), paired(data, *one));
           });
  });
  return youngest == runs.rend() ? nullptr : *youngest;
}

std::vector<Row> rowsOf(const RunsData& data, const std::vector<Group>& groups,
                        const std::vector<const RunRow*>& runs) {
  std::vector<Row> rows;
  std::set<const Group*> taken;
  for (const Group& group : groups) {
    if (group.network.emulated) continue;
    Row row{&group, emulationOf(data, group, groups), nullptr};
    if (row.emulated != nullptr) {
      row.simulated = simulationOf(data, *row.emulated, runs);
      taken.insert(row.emulated);
    }
    rows.push_back(row);
  }
  for (const Group& group : groups) {
    if (!group.network.emulated || taken.contains(&group)) continue;
    if (const RunRow* simulated = simulationOf(data, group, runs))
      rows.push_back({nullptr, &group, simulated});
  }
  std::ranges::sort(rows, {}, [](const Row& row) {
    const Group& group = row.first();
    return std::tuple(group.workers, group.network.ranksAHost, group.network.gbit, group.runs.front()->id);
  });
  return rows;
}

double medianOf(const RunsData& data, const Group* group, const char* metric) {
  std::vector<double> values;
  if (group != nullptr)
    for (const RunRow* run : group->runs)
      if (const auto value = metricOf(data, *run, metric)) values.push_back(*value);
  return values.empty() ? std::nan("") : median(std::move(values));
}

/// What a row says, in seconds; what is not known is not a number.
struct RowTimes {
  double measured, emulated, simulated, least;
  double emulatedOver() const { return emulated / measured; }
  double simulatedOver() const { return simulated / measured; }
};

RowTimes timesOf(const RunsData& data, const Row& row) {
  const char* epoch =
      row.simulated == nullptr ? "epoch_seconds" : measuredEpoch(parametersOf(data, *row.simulated)).c_str();
  constexpr double kBitsPerGbit = 1e9, kBitsPerByte = 8;
  const auto simulated =
      row.simulated == nullptr ? std::nullopt : metricOf(data, *row.simulated, "epoch_seconds");
  return {medianOf(data, row.measured, epoch), medianOf(data, row.emulated, epoch),
          simulated.value_or(std::nan("")),
          medianOf(data, &row.first(), "wire_bytes_per_epoch") * kBitsPerByte /
              (row.first().network.gbit * kBitsPerGbit)};
}

/// "yes", which ratio is outside, or "–" where there is none.
QString standing(const RowTimes& times) {
  QStringList outside;
  bool any = false;
  const auto look = [&](double ratio, const char* what) {
    if (!std::isfinite(ratio)) return;
    any = true;
    if (std::abs(ratio - 1) > kWithin) outside << what;
  };
  look(times.emulatedOver(), "emulated");
  look(times.simulatedOver(), "simulated");
  if (!any) return QStringLiteral("–");
  return outside.isEmpty() ? QStringLiteral("yes") : "no: " + outside.join(", ");
}

/// What sets the row apart from others of its method: "overlap=central".
QString variantOf(const Row& row, const std::vector<Row>& rows) {
  const Settings& settings = row.first().settings;
  QStringList parts;
  for (const auto& [key, value] : settings) {
    const auto differs = [&](const Row& other) {
      const Settings& others = other.first().settings;
      const auto found = others.find(key);
      return other.first().runs.front()->method == row.first().runs.front()->method &&
             found != others.end() && found->second != value;
    };
    if (std::ranges::any_of(rows, differs))
      parts << QString::fromStdString(key.substr(key.find('.') + 1) + "=" + value).remove('"');
  }
  return parts.join(", ");
}

std::size_t countOf(const Group* group) { return group == nullptr ? 0 : group->runs.size(); }

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
                               "within 10 %"};
}

void addRow(FigureTable& table, const Row& row, const QString& variant, const RowTimes& times, double scale) {
  const Group& first = row.first();
  const QString method = QString::fromStdString(first.runs.front()->method);
  const auto time = [&](double seconds, std::size_t runs = 1) {
    const QString text = formatNumber(seconds * scale);
    return runs > 1 ? QString("%1 (%2)").arg(text).arg(runs) : text;
  };
  const std::size_t measured = countOf(row.measured), emulated = countOf(row.emulated);
  table.rows.push_back({method, variant, QString::number(first.workers),
                        QString::number(first.network.ranksAHost), formatNumber(first.network.gbit, 3),
                        time(times.measured, measured), time(times.emulated, emulated), time(times.simulated),
                        time(times.least), formatNumber(times.emulatedOver(), 3),
                        formatNumber(times.simulatedOver(), 3), standing(times)});
  const auto whole = [](auto number) {
    return QVariant::fromValue<qlonglong>(static_cast<qlonglong>(number));
  };
  const double link = row.emulated == nullptr ? std::nan("") : row.emulated->network.gbit;
  table.values.push_back({method, variant, whole(first.workers), whole(first.network.ranksAHost),
                          first.network.gbit, link, times.measured, whole(measured), times.emulated,
                          whole(emulated), times.simulated, times.least, times.emulatedOver(),
                          times.simulatedOver(), standing(times)});
}

/// What is the same in all rows stands below them.
void shareColumns(FigureTable& table, QStringList& said) {
  for (qsizetype c = 0; c < table.columns.size(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    const QString& value = table.rows.front()[c];
    const bool same =
        std::ranges::all_of(table.rows, [&](const QStringList& row) { return row[c] == value; });
    if (at == kMethod || at >= kFixed || !same || table.rows.size() == 1)
      table.shown.push_back(c);
    else if (at == kWorkers)
      said << value + " workers";
    else if (at == kRanks)
      said << value + (value == "1" ? " rank a host" : " ranks a host");
  }
  table.keys = static_cast<std::size_t>(
      std::ranges::count_if(table.shown, [](qsizetype c) { return c <= static_cast<qsizetype>(kVariant); }));
}

QString noteOf(const std::vector<QString>& standings, const QStringList& said) {
  const auto judged = std::ranges::count_if(standings, [](const QString& one) { return one != "–"; });
  QStringList parts{judged == 0 ? QString("nothing to hold against a run on real hosts yet")
                                : QString("%1 of %2 rows within 10 %")
                                      .arg(std::ranges::count(standings, QStringLiteral("yes")))
                                      .arg(judged)};
  parts += said;
  parts << "(n): median of n runs"
        << "least of the wire: the busiest card's bytes over the bandwidth";
  return parts.join(" · ");
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Measured, emulated and simulated network";
  figure.form = FigureForm::table;
  figure.emptyReason =
      "No run on real hosts here says what its network carries (cluster.wire), and no run on an emulated "
      "link has "
      "a simulation of it; resources/experiments/network-truth.toml has both, and tells how to run it on "
      "hosts.";
  const RunsData& data = input.all;
  const auto runs = completedRuns(data, input.chosen);
  const std::vector<Group> groups = groupsOf(data, runs);
  const std::vector<Row> rows = rowsOf(data, groups, runs);
  std::vector<RowTimes> times;
  std::vector<const RunRow*> drawn;
  double longest = 0;
  for (const Row& row : rows) {
    times.push_back(timesOf(data, row));
    for (const double seconds : {times.back().measured, times.back().emulated, times.back().simulated})
      if (std::isfinite(seconds)) longest = std::max(longest, seconds);
    for (const Group* group : {row.measured, row.emulated})
      if (group != nullptr) drawn.insert(drawn.end(), group->runs.begin(), group->runs.end());
    if (row.simulated != nullptr) drawn.push_back(row.simulated);
  }
  addProvenance(figure, drawn);
  const auto [unit, scale] = secondsUnit(longest);
  setColumns(figure.table, unit);
  std::vector<QString> standings;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    addRow(figure.table, rows[i], variantOf(rows[i], rows), times[i], scale);
    standings.push_back(standing(times[i]));
  }
  if (rows.empty()) return figure;
  QStringList said;
  shareColumns(figure.table, said);
  figure.table.note = noteOf(standings, said);
  figure.table.whole = true;
  return figure;
}

const Registered<FigureEntry> self{
    {{"network", "epochs on real hosts beside emulated and simulated ones", ""}, make, {}, true}};

}  // namespace
}  // namespace halo
