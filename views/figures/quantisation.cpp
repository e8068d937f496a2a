// What chips save by sending codes instead of rows, what coding takes, and up to which bandwidth that pays:
// of the whole epoch, or by layer and pass.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"chips", "layers"};
constexpr Parameter kParameters[] = {
    {"show", "a row a chip, or a row a layer and pass of each", Choice{"chips", kShows}}};
constexpr const char* kNone = "None of these runs quantises: its rows travel as they are.";

/// A chip against the baseline, an epoch and rank.
struct Against {
  double sentBytes = 0, savedBytes = 0;
  double codingNs = 0, addedNs = 0;
  std::optional<double> score, addedError;  // best score, and by how much it is lower
};

double quantiseNs(const MeanEpoch& mean) { return mean.parts[at(TimePart::quantise)]; }

double bytesARank(const Traffic& traffic) {
  return traffic.ranks == 0 ? std::nan("") : totalOf(traffic).bytes / static_cast<double>(traffic.ranks);
}

Against against(const Comparison& comparison, std::size_t chip) {
  Against all;
  all.sentBytes = bytesARank(comparison.traffic[chip]);
  all.savedBytes = bytesARank(comparison.traffic[0]) - all.sentBytes;
  all.codingNs = quantiseNs(comparison.means[chip]);
  all.addedNs = all.codingNs - quantiseNs(comparison.means[0]);
  if (chip >= comparison.learning.size()) return all;
  const std::optional<BestScore>&best = comparison.learning[chip].best, &first = comparison.learning[0].best;
  if (best) all.score = best->score;
  if (best && first) all.addedError = first->score - best->score;
  return all;
}

/// Bits a second of a rank's link below which the bytes saved take longer than the coding added. None: at no
/// bandwidth; infinite: at every one.
std::optional<double> breakEven(const Against& all) {
  if (!(all.savedBytes > 0)) return std::nullopt;
  return all.addedNs > 0 ? 8 * all.savedBytes / (all.addedNs * 1e-9) : INFINITY;
}

QString breakEvenText(const std::optional<double>& bits) {
  if (!bits) return "never";
  return std::isinf(*bits) ? QString("always") : formatShort(*bits) + "bit/s";
}

QString signedBytes(double bytes) {
  if (!std::isfinite(bytes)) return "–";
  return bytes < 0 ? QChar(0x2212) + formatBytesOf(-bytes) : formatBytesOf(bytes);
}

QVariant number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? QVariant(*value) : QVariant();
}

using LayerPlace = std::pair<std::int64_t, Pass>;

/// What a chip sends for a layer and pass, and how long it codes for it, an epoch and rank.
struct LayerCodes {
  double sentBytes = 0, parameterBytes = 0, codingNs = 0;
};

LayerCodes codesOf(const Comparison& comparison, std::size_t chip, const LayerPlace& place) {
  LayerCodes codes;
  const Traffic& traffic = comparison.traffic[chip];
  if (traffic.ranks == 0) codes.sentBytes = std::nan("");
  const auto sums = byLayer(traffic);
  if (const auto sum = sums.find(place); sum != sums.end())
    codes.sentBytes = sum->second.bytes / static_cast<double>(traffic.ranks);
  for (const LayerFigures& layer : comparison.layers[chip].layers)
    if (LayerPlace(layer.layer, layer.pass) == place)
      codes.codingNs = layer.quantiseNs, codes.parameterBytes = layer.quantiseBytes;
  return codes;
}

/// Where the chip or the first one sends or codes; outside the layers nobody codes.
std::set<LayerPlace> placesOf(const Comparison& comparison, std::size_t chip) {
  std::set<LayerPlace> places;
  for (const std::size_t c : {std::size_t{0}, chip}) {
    for (const auto& [place, sum] : byLayer(comparison.traffic[c]))
      if (place.first >= 0) places.insert(place);
    for (const LayerFigures& layer : comparison.layers[c].layers)
      if (layer.quantiseNs > 0) places.emplace(layer.layer, layer.pass);
  }
  return places;
}

void addLayers(const SceneData& scene, std::size_t chip, FigureTable& table) {
  for (const LayerPlace& place : placesOf(scene.comparison, chip)) {
    const LayerCodes own = codesOf(scene.comparison, chip, place),
                     first = codesOf(scene.comparison, 0, place);
    Against all;
    all.sentBytes = own.sentBytes;
    all.savedBytes = first.sentBytes - own.sentBytes;
    all.codingNs = own.codingNs;
    all.addedNs = own.codingNs - first.codingNs;
    const bool isFirst = chip == 0, compares = !isFirst && std::isfinite(all.addedNs + all.savedBytes);
    const std::optional<double> bits = compares ? breakEven(all) : std::nullopt;
    const QString coding = std::isfinite(own.codingNs) ? formatNsOf(own.codingNs, 3) : QString("–");
    const QString layer = QString::number(place.first), pass = QString::fromUtf8(text(place.second).data());
    table.rows.push_back({lettered(scene, chip), layer, pass, signedBytes(own.sentBytes),
                          isFirst ? QString("–") : signedBytes(all.savedBytes),
                          signedBytes(own.parameterBytes), coding,
                          compares ? breakEvenText(bits) : QString("–")});
    table.values.push_back({lettered(scene, chip), qlonglong{place.first}, pass, number(own.sentBytes),
                            isFirst ? QVariant() : number(all.savedBytes), number(own.parameterBytes),
                            number(own.codingNs), number(bits)});
  }
}

void addChip(const SceneData& scene, std::size_t chip, FigureTable& table) {
  const Against all = against(scene.comparison, chip);
  const std::optional<double> bits = chip == 0 ? std::nullopt : breakEven(all);
  const auto score = [](const std::optional<double>& value) {
    return value ? formatNumber(*value, 4) : QString("–");
  };
  const bool first = chip == 0;
  table.rows.push_back({lettered(scene, chip), signedBytes(all.sentBytes),
                        first ? QString("–") : signedBytes(all.savedBytes), formatNsOf(all.codingNs, 3),
                        first ? QString("–") : breakEvenText(bits), score(all.score),
                        first ? QString("–") : score(all.addedError)});
  table.values.push_back({lettered(scene, chip), number(all.sentBytes),
                          first ? QVariant() : number(all.savedBytes), all.codingNs, number(bits),
                          number(all.score), first ? QVariant() : number(all.addedError)});
}

constexpr const char* kSent = "sent an epoch and rank [bytes]";
constexpr const char* kSaved = "saved an epoch and rank [bytes]";
constexpr const char* kCoding = "coding an epoch and rank [ns]";
constexpr const char* kBreakEven = "break-even bandwidth of a rank [bit/s]";

void nameColumns(const QString& first, bool layers, FigureTable& table) {
  if (layers) {
    table.columns = {"chip",       "layer",  "pass",      "sent", "saved against " + first,
                     "parameters", "coding", "pays below"};
    table.headings = {"chip",  "layer",   "pass",
                      kSent,   kSaved,    "parameters of codes an epoch and rank [bytes]",
                      kCoding, kBreakEven};
    return;
  }
  table.columns = {"chip",       "sent",       "saved against " + first, "coding",
                   "pays below", "best score", "lower than " + first};
  table.headings = {"chip", kSent, kSaved, kCoding, kBreakEven, "best score", "lower than the baseline's"};
}

bool anyCodes(const SceneData& scene) {
  const std::vector<MeanEpoch>& means = scene.comparison.means;
  return means.size() == scene.compared.size() &&
         std::ranges::any_of(means, [](const MeanEpoch& mean) { return quantiseNs(mean) != 0; });
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  figure.title = "Quantisation, an epoch and rank";
  figure.form = FigureForm::table;
  figure.emptyReason = lacking(input.scene, 2);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  const Comparison& comparison = scene.comparison;
  figure.title = titled("Quantisation, an epoch and rank", scene);
  figure.emptyReason = noneInScope(scene, kNone);
  addProvenance(figure, scene);
  const bool layers = values.text("show") == "layers";
  if (!anyCodes(scene) || (layers && comparison.layers.size() != scene.compared.size())) return figure;
  FigureTable& table = figure.table;
  nameColumns(chipLetter(scene.compared[0]), layers, table);
  table.note =
      "Pays below: on a link of less bandwidth a rank, the bytes saved take longer than the coding added.";
  table.showsAllRows = true;
  for (std::size_t c = 0; c < scene.compared.size(); ++c) {
    const bool sameData = c == 0 || (c - 1 < comparison.changes.size() && comparison.changes[c - 1].sameData);
    if (sameData) layers ? addLayers(scene, c, table) : addChip(scene, c, table);
  }
  return figure;
}

const Registered<FigureEntry> self{
    {{"quantisation", "bytes that codes save, the time they take, and up to which bandwidth that pays", "",
      kParameters},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
