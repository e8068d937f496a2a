// What chips save by sending codes instead of rows, what coding takes, and up to which bandwidth that pays.
#include <algorithm>
#include <cmath>
#include <optional>

#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr const char* kNone = "None of these runs quantises: its rows travel as they are.";

/// A chip against the baseline, an epoch and rank.
struct Against {
  double sentBytes = 0, savedBytes = 0;
  double codingNs = 0, addedNs = 0;
  std::optional<double> score, addedError;  // best score, and by how much it is lower
};

double quantiseNs(const MeanEpoch& mean) { return mean.parts[static_cast<std::size_t>(TimePart::quantise)]; }

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

Figure make(const FigureInput& input, const Values&) {
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
  const bool known = comparison.means.size() == scene.compared.size();
  if (!known ||
      std::ranges::all_of(comparison.means, [](const MeanEpoch& mean) { return quantiseNs(mean) == 0; }))
    return figure;
  const QString first = chipLetter(scene.compared[0]);
  FigureTable& table = figure.table;
  table.columns = {"chip",       "sent",       "saved against " + first, "coding",
                   "pays below", "best score", "lower than " + first};
  table.headings = {"chip",
                    "sent an epoch and rank [bytes]",
                    "saved an epoch and rank [bytes]",
                    "coding an epoch and rank [ns]",
                    "break-even bandwidth of a rank [bit/s]",
                    "best score",
                    "lower than the baseline's"};
  table.note =
      "Pays below: on a link of less bandwidth a rank, the bytes saved take longer than the coding added.";
  table.whole = true;
  for (std::size_t c = 0; c < scene.compared.size(); ++c) {
    const bool sameData = c == 0 || (c - 1 < comparison.changes.size() && comparison.changes[c - 1].sameData);
    if (sameData) addChip(scene, c, table);
  }
  return figure;
}

const Registered<FigureEntry> self{
    {{"quantisation", "bytes that codes save, the time they take, and up to which bandwidth that pays", ""},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true}};

}  // namespace
}  // namespace halo
