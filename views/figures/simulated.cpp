// Simulated beside measured: the time of an epoch and what it went into, of every simulation of training and
// the run it is of, with simulated ÷ measured over the bars.
#include <algorithm>

#include "views/compared_runs.h"
#include "views/figure_registry.h"
#include "views/units.h"

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
                           {"exposed", "exposed_share"},
                           {"quantise", "quantise_share"},
                           {"synchronise", "synchronise_share"},
                           {"rest", "idle_share"}};

std::optional<double> secondsOf(const RunsData& data, const RunRow& run, const Part& part) {
  const auto epoch = metricOf(data, run, "epoch_seconds");
  if (!epoch || part.share == nullptr) return epoch;
  const auto share = metricOf(data, run, part.share);
  return share ? std::optional(*share * *epoch) : std::nullopt;
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Simulated beside measured";
  figure.form = FigureForm::groupedBars;
  figure.labelTitle = "simulated ÷ measured";
  figure.emptyReason =
      "No simulation here has a completed training run of the same method, data set, model and workers.";
  FigureSeries measured, simulated;
  measured.name = "measured";
  simulated.name = "simulated (numbers: simulated ÷ measured)";
  simulated.outlined = true;
  measured.color = simulated.color = 0;
  const auto pairs = simulatedPairs(input.all, input.chosen);
  const bool parts = values.text("show") == "parts";
  double longest = 0;
  for (const SimulatedPair& pair : pairs)
    for (const RunRow* run : {pair.measured, pair.simulated})
      longest = std::max(longest, *metricOf(input.all, *run, "epoch_seconds"));
  const auto [unit, scale] = secondsUnit(longest);
  figure.y = {"time of an epoch", unit, false, {}};
  std::vector<const RunRow*> drawn;
  std::size_t shown = 0;
  for (const SimulatedPair& pair : pairs) {
    if (parts && shown == kDivided) break;
    ++shown;
    drawn.insert(drawn.end(), {pair.measured, pair.simulated});
    for (const Part& part : kParts) {
      const auto is = secondsOf(input.all, *pair.measured, part),
                 was = secondsOf(input.all, *pair.simulated, part);
      if (part.share != nullptr && (!parts || !is || !was || (*is == 0 && *was == 0))) continue;
      const bool replay = parametersOf(input.all, *pair.simulated).contains("result.run");
      figure.x.categories << QString(part.name) + '\n' + methodAndWorkers(input.all, *pair.measured) +
                                 (replay ? " replay" : "");
      measured.y.push_back(*is * scale);
      simulated.y.push_back(*was * scale);
      simulated.labels.push_back(*is > 0 ? formatNumber(*was / *is, 3) : QString());
    }
  }
  if (shown < pairs.size())
    figure.marks << QString("%1 of %2 pairs; show=epoch has all").arg(shown).arg(pairs.size());
  addProvenance(figure, drawn);
  if (pairs.empty()) return figure;
  figure.series = {std::move(measured), std::move(simulated)};
  return figure;
}

const Registered<FigureEntry> self{
    {{"simulated", "time of an epoch, simulated beside measured", "", kParameters}, make, {}, true}};

}  // namespace
}  // namespace halo
