// Simulated beside measured: the time of an epoch and what it went into. Shown are every simulation of
// training and the run it is of, with simulated ÷ measured over the bars.
#include <algorithm>
#include <cmath>
#include <span>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"

namespace halo {
namespace {

constexpr std::string_view kShow[] = {"parts", "epoch"};
constexpr Parameter kParameters[] = {
    {"show", "parts: also where the time went, of the first few; epoch: the whole of every one",
     Choice{"parts", kShow}}};
constexpr std::size_t kDivided = 4;  // pairs whose parts fit side by side

struct Part {
  const char* name;
  const char* share;  // of the epochs' time; nullptr: the whole
};
constexpr Part kParts[] = {{"epoch", nullptr},
                           {"compute", "compute_share"},
                           {"exchanges", "exchange_wait_share"},
                           {"quantise", "quantise_share"},
                           {"synchronise", "synchronise_share"},
                           {"rest", "rest_share"}};

constexpr const char* kSimulatedEpoch = "epoch_seconds";

/// total: the figure that the shares are of.
std::optional<double> secondsOf(const RunsData& data, const RunRow& run, const Part& part,
                                const char* total) {
  const auto epoch = metricOf(data, run, total);
  if (!epoch || part.share == nullptr) return epoch;
  const auto share = metricOf(data, run, part.share);
  return share ? std::optional(*share * *epoch) : std::nullopt;
}

/// What tells each pair from the others: the run, and of several simulations of one run what they change. The
/// changes stand alone where all are of one run, which `all` names then.
QStringList namesOf(const RunsData& data, std::span<const SimulatedPair> pairs, QString& all) {
  QStringList names;
  for (const SimulatedPair& pair : pairs) {
    const bool replay = parametersOf(data, *pair.simulated).contains("result.run");
    names << methodAndWorkers(data, *pair.measured) + (replay ? " replay" : "");
  }
  const QStringList engines = names;
  const bool sameRun = pairs.size() > 1 && engines.count(engines.front()) == engines.size();
  const auto moreOf = [&](const auto& more) {
    const QStringList before = names;
    QStringList texts;
    for (const SimulatedPair& pair : pairs) texts << more(pair);
    for (qsizetype i = 0; i < names.size(); ++i) {
      bool tells = false;  // what all of that name have makes it longer only
      for (qsizetype k = 0; k < names.size(); ++k) tells |= before[k] == before[i] && texts[k] != texts[i];
      if (tells && !texts[i].isEmpty())
        names[i] = sameRun && before[i] == engines[i] ? texts[i] : before[i] + ", " + texts[i];
    }
  };
  moreOf([&](const SimulatedPair& pair) { return variation(*pair.simulated, data).join(", "); });
  moreOf([&](const SimulatedPair& pair) { return machineOf(*pair.simulated, data); });
  moreOf([](const SimulatedPair& pair) { return QString("#%1").arg(pair.simulated->id); });
  if (sameRun && names != engines) all = engines.front();
  return names;
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Simulated beside measured";
  figure.form = FigureForm::groupedBars;
  figure.labelTitle = "simulated ÷ measured";
  figure.emptyReason =
      "No simulation here has a completed training run of the same method, data set, model, partition and "
      "workers, on the same link where one is emulated.";
  FigureSeries measured, simulated;
  measured.name = "measured";
  simulated.name = "simulated (numbers: simulated ÷ measured)";
  simulated.outlined = true;
  measured.color = simulated.color = 0;
  const auto pairs = simulatedPairs(input.all, input.chosen);
  const bool parts = values.text("show") == "parts";
  double longest = 0;
  for (const SimulatedPair& pair : pairs)
    longest = std::max({longest, *metricOf(input.all, *pair.measured, pair.measuredEpoch),
                        *metricOf(input.all, *pair.simulated, kSimulatedEpoch)});
  const auto [unit, scale] = secondsUnit(longest);
  figure.y = {"time of an epoch", unit, false, {}};
  std::vector<const RunRow*> drawn;
  const QStringList names =
      namesOf(input.all, std::span(pairs).first(parts ? std::min(kDivided, pairs.size()) : pairs.size()),
              figure.x.title);
  std::size_t drawnCount = 0;
  for (const SimulatedPair& pair : pairs) {
    if (parts && drawnCount == kDivided) break;
    const QString name = names[static_cast<qsizetype>(drawnCount++)];
    drawn.insert(drawn.end(), {pair.measured, pair.simulated});
    for (const Part& part : kParts) {
      const auto measuredSeconds = secondsOf(input.all, *pair.measured, part, pair.measuredEpoch),
                 simulatedSeconds = secondsOf(input.all, *pair.simulated, part, kSimulatedEpoch);
      if (part.share != nullptr && (!parts || !measuredSeconds || !simulatedSeconds ||
                                    (*measuredSeconds == 0 && *simulatedSeconds == 0)))
        continue;
      figure.x.categories << QString(part.name) + '\n' + name;
      measured.y.push_back(*measuredSeconds * scale);
      simulated.y.push_back(*simulatedSeconds * scale);
      simulated.labels.push_back(*measuredSeconds > 0 ? formatNumber(*simulatedSeconds / *measuredSeconds, 3)
                                                      : QString());
      simulated.labelValues.push_back(*measuredSeconds > 0 ? *simulatedSeconds / *measuredSeconds
                                                           : std::nan(""));
    }
  }
  if (drawnCount < pairs.size())
    figure.marks << QString("%1 of %2 pairs; show=epoch has all").arg(drawnCount).arg(pairs.size());
  addProvenance(figure, input.all, drawn);
  if (pairs.empty()) return figure;
  figure.series = {std::move(measured), std::move(simulated)};
  return figure;
}

const Registered<FigureEntry> self{
    {{"simulated", "time of an epoch, simulated beside measured", "", kParameters}, make, {}, true}};

}  // namespace
}  // namespace halo
