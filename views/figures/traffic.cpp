// What workers of the chips send each other in an epoch: from whom to whom, and for which layer and pass.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

namespace halo {
namespace {

constexpr std::string_view kShows[] = {"workers", "layers"};
constexpr std::string_view kPasses[] = {"all", "forward", "backward", "none"};
constexpr Parameter kParameters[] = {
    {"show", "between workers, or by layer and pass", Choice{"workers", kShows}},
    {"layer", "of all layers, or of one; −1 is outside the layers", Text{"all", true}},
    {"pass", "of all passes, or of one", Choice{"all", kPasses}},
    {"epoch", "of all epochs in scope, as their mean, or of one", Text{"all", true}}};

std::optional<std::int64_t> numberIn(const std::string& text) {
  bool isNumber = false;
  const qlonglong number = QString::fromStdString(text).toLongLong(&isNumber);
  return isNumber ? std::optional<std::int64_t>(number) : std::nullopt;
}

TrafficChoice choiceOf(const Values& values) {
  TrafficChoice choice;
  choice.layer = numberIn(values.text("layer"));
  choice.epoch = numberIn(values.text("epoch"));
  if (values.text("pass") != "all") choice.pass = passOf(values.text("pass"));
  return choice;
}

/// "Traffic of epoch 3, layer 1, forward".
std::string titleOf(const TrafficChoice& choice) {
  std::string title =
      choice.epoch ? "Traffic of epoch " + std::to_string(*choice.epoch) : "Traffic of an epoch";
  if (choice.layer)
    title += *choice.layer < 0 ? ", outside the layers" : ", layer " + std::to_string(*choice.layer);
  if (choice.pass) title += *choice.pass == Pass::none ? ", no pass" : ", " + std::string(text(*choice.pass));
  return title;
}

/// Layers and epochs that something was sent for.
QStringList offersOf(const SceneData& scene, std::string_view key) {
  std::set<std::int64_t> numbers;
  for (const Traffic& traffic : scene.comparison.traffic) {
    if (key == "layer")
      for (const auto& [place, sum] : traffic.places) numbers.insert(place.layer);
    if (key == "epoch" && traffic.runs != nullptr)
      for (const RunTraffic& run : *traffic.runs)
        for (const auto& [epoch, places] : run.byEpoch) numbers.insert(epoch);
  }
  QStringList words;
  for (const std::int64_t number : numbers) words << QString::number(number);
  return words;
}

QString bytesText(double bytes) { return formatBytesOf(bytes); }
QString countText(double count) {
  return std::abs(count - std::round(count)) < 1e-6 ? formatCountOf(count) : formatNumber(count);
}
QString signedBytes(double bytes) {
  return bytes == 0 ? QString("0") : (bytes < 0 ? QChar(0x2212) : QChar('+')) + bytesText(std::abs(bytes));
}

/// What a mean changes by; none where it is no more than the means are rounded.
double changeOf(double from, double to) {
  constexpr double kRounding = 1e-12;
  const double change = to - from;
  return std::abs(change) <= kRounding * std::max(std::abs(from), std::abs(to)) ? 0 : change;
}

/// A simulation has no ledger.
bool isRecorded(const Traffic& traffic) { return traffic.ranks > 0; }

QString letter(const SceneData& scene, std::size_t chip) { return chipLetter(scene.compared[chip]); }

/// Whether anything was sent to all at once, which has a column of its own.
bool hasCollectives(const Traffic& traffic) {
  return std::ranges::any_of(traffic.places, [](const auto& place) { return place.first.target < 0; });
}

QStringList ranksOf(const Traffic& traffic) {
  QStringList names;
  for (std::int64_t rank = 0; rank < traffic.ranks; ++rank) names << QString::number(rank);
  return names;
}

/// matrixOf() with the last column only where some chip has collectives, and nothing on the diagonal.
std::vector<double> cellsOf(const Traffic& traffic, bool collectives) {
  const std::vector<double> all = matrixOf(traffic);
  const auto ranks = at(traffic.ranks);
  std::vector<double> cells;
  for (std::size_t row = 0; row < ranks; ++row)
    for (std::size_t column = 0; column < ranks + (collectives ? 1 : 0); ++column)
      cells.push_back(row == column ? std::nan("") : all[row * (ranks + 1) + column]);
  return cells;
}

/// Of every chip, what was chosen.
using Chosen = std::vector<Traffic>;

void addMatrix(const SceneData& scene, const Chosen& all, std::size_t chip, bool collectives,
               Figure& figure) {
  const Traffic& traffic = all[chip];
  const TrafficSum total = totalOf(traffic);
  FigureMatrix matrix;
  matrix.title = lettered(scene, chip);
  matrix.note = isRecorded(traffic)
                    ? QString("%1 in %2 messages").arg(bytesText(total.bytes), countText(total.messages))
                    : QString("not recorded");
  matrix.rows = matrix.columns = ranksOf(traffic);
  if (collectives) {
    matrix.columnNumbers = matrix.columns;
    matrix.columns << "all";
    matrix.columnNumbers << "-1";  // as table `message` has it
  }
  matrix.values = cellsOf(traffic, collectives);
  figure.matrices.push_back(std::move(matrix));
}

/// From the first chip's to another's; nothing where they have not the same workers.
void addChange(const SceneData& scene, const Chosen& all, std::size_t chip, Figure& figure) {
  const Traffic &from = all[0], &to = all[chip];
  if (from.ranks != to.ranks) {
    figure.marks << QString("%1 has %2 workers and %3 has %4: not held against each other cell by cell")
                        .arg(letter(scene, 0))
                        .arg(from.ranks)
                        .arg(letter(scene, chip))
                        .arg(to.ranks);
    return;
  }
  FigureMatrix matrix = figure.matrices[chip];
  matrix.change = true;
  matrix.title = letter(scene, chip) + " − " + letter(scene, 0);
  matrix.note = signedBytes(changeOf(totalOf(from).bytes, totalOf(to).bytes));
  for (std::size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] = changeOf(figure.matrices[0].values[i], matrix.values[i]);
  figure.matrices.push_back(std::move(matrix));
}

void drawMatrices(const SceneData& scene, const Chosen& all, Figure& figure) {
  figure.form = FigureForm::matrices;
  const bool collectives = std::ranges::any_of(all, hasCollectives);
  for (std::size_t c = 0; c < all.size(); ++c) addMatrix(scene, all, c, collectives, figure);
  for (std::size_t c = 1; c < all.size(); ++c) addChange(scene, all, c, figure);
  double largest = 0;
  for (const FigureMatrix& matrix : figure.matrices)
    for (const double value : matrix.values)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  std::tie(figure.grid.unit, figure.grid.scale) = bytesUnit(largest);
}

/// Rows: layers and passes, and all of them; columns: the chips, and how they change.
class Layers {
 public:
  Layers(const SceneData& scene, const Chosen& all) : scene_(scene), all_(all) {
    std::set<Place> places;
    for (const Traffic& traffic : all) {
      sums_.push_back(byLayer(traffic));
      for (const auto& [place, sum] : sums_.back()) places.insert(place);
    }
    places_.assign(places.begin(), places.end());
    table_.columns = table_.headings = {"layer", "pass"};
    table_.keys = 2;
    for (const auto& [layer, pass] : places_) {
      const QString where = layer < 0 ? QString("outside") : QString::number(layer);
      const std::string_view word = text(pass);
      const QString way = QString::fromUtf8(word.data(), std::ssize(word));
      table_.rows.push_back({where, pass == Pass::none ? QString("–") : way});
      table_.values.push_back({QVariant::fromValue<qlonglong>(layer), way});
    }
    table_.rows.push_back({"together", ""});
    table_.values.push_back({"together", ""});
  }

  FigureTable table() {
    const std::size_t chips = scene_.compared.size();
    for (std::size_t c = 0; c < chips; ++c)
      add(letter(scene_, c) + " sent", "bytes", bytesText, [&](std::size_t row) { return at(c, row).bytes; });
    for (std::size_t c = 1; c < chips; ++c)
      add("Δ " + letter(scene_, 0) + " → " + letter(scene_, c), "bytes", signedBytes,
          [&](std::size_t row) { return changeOf(at(0, row).bytes, at(c, row).bytes); });
    for (std::size_t c = 0; c < chips; ++c)
      add(letter(scene_, c) + " messages", "", countText,
          [&](std::size_t row) { return at(c, row).messages; });
    for (std::size_t c = 0; c < chips; ++c)
      add(letter(scene_, c) + " not predicted", "bytes", signedBytes,
          [&](std::size_t row) { return changeOf(at(c, row).predictedBytes, at(c, row).bytes); });
    table_.note = "Means of an epoch. Not predicted: sent, less what the method's closed form says.";
    table_.values.pop_back();  // CSV has no sums among its rows: a column there is of one type
    return table_;
  }

 private:
  using Place = std::pair<std::int64_t, Pass>;
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  TrafficSum at(std::size_t chip, std::size_t row) const {
    if (!isRecorded(all_[chip])) return {kUnknown, kUnknown, kUnknown};
    if (row == places_.size()) return totalOf(all_[chip]);
    const auto sum = sums_[chip].find(places_[row]);
    return sum == sums_[chip].end() ? TrafficSum{} : sum->second;
  }

  template <class Words, class Value>
  void add(const QString& name, const char* unit, const Words& words, const Value& valueOf) {
    table_.columns << name;
    table_.headings << (*unit == '\0' ? name : QString("%1 [%2]").arg(name, unit));
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const double value = valueOf(row);
      table_.rows[row] << (std::isnan(value) ? QString("–") : words(value));
      table_.values[row] << (std::isnan(value) ? QVariant() : QVariant(value));
    }
  }

  const SceneData& scene_;
  const Chosen& all_;
  std::vector<std::map<Place, TrafficSum>> sums_;  // of each chip
  std::vector<Place> places_;
  FigureTable table_;
};

/// The ledger is the sum of the counters, where those were recorded; else the recording is damaged.
void markUncounted(const SceneData& scene, const Chosen& all, Figure& figure) {
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Traffic& traffic = all[c];
    const double bytes = totalOf(traffic).bytes;
    if (traffic.counted.messages > 0 && std::llround(bytes) != std::llround(traffic.counted.bytes))
      figure.marks << QString("the messages of %1 have %2 an epoch, its counters %3")
                          .arg(letter(scene, c), bytesText(bytes), bytesText(traffic.counted.bytes));
  }
}

Figure make(const FigureInput& input, const Values& values) {
  Figure figure;
  const bool layers = values.text("show") == "layers";
  figure.title = "Traffic of an epoch";
  figure.form = layers ? FigureForm::table : FigureForm::matrices;
  if (!layers) {
    figure.x.title = "to worker";
    figure.y.title = "from worker";
    figure.labelTitle = "an epoch [bytes]";
  }
  figure.emptyReason = lacking(input.scene, 1);
  if (!figure.emptyReason.isEmpty()) return figure;
  const SceneData& scene = *input.scene;
  const TrafficChoice choice = choiceOf(values);
  const std::string title = titleOf(choice);
  figure.title = choice.epoch ? QString::fromStdString(title) : titled(title.c_str(), scene);
  figure.emptyReason =
      noneInScope(scene, "None of these runs recorded a message; a worker alone sends none.");
  addProvenance(figure, scene);
  const auto sends = [](const Traffic& traffic) { return !traffic.places.empty(); };
  if (std::ranges::none_of(scene.comparison.traffic, sends)) return figure;
  Chosen all;
  for (const Traffic& traffic : scene.comparison.traffic) all.push_back(chosenOf(traffic, choice));
  figure.emptyReason = "None of these runs sent anything for that layer, pass and epoch.";
  if (std::ranges::none_of(all, sends)) return figure;
  layers ? void(figure.table = Layers(scene, all).table()) : drawMatrices(scene, all, figure);
  markUncounted(scene, all, figure);
  return figure;
}

const Registered<FigureEntry> self{
    {{"traffic", "what workers send each other, chips and their differences side by side", "", kParameters},
     make,
     {},
     /*several=*/true,
     /*ofScene=*/true,
     offersOf}};

}  // namespace
}  // namespace halo
