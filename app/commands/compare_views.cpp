#include "app/commands/compare_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "app/commands/compare_changes.h"
#include "app/report/table.h"

namespace halo {
namespace {

constexpr std::size_t kShownWaits = 12;  // as many as a screen holds beside the rest

std::string bestText(const std::vector<Column>& columns, const Comparison& comparison) {
  if (!comparison.score) return "";
  Table table(
      {fmt::format("best {} score", text(*comparison.score)), "score", "time of epochs", "sent", "unbeaten"});
  const std::vector<bool> front = onFront(comparison.learning, &BestScore::epochSeconds);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::optional<BestScore>& best = comparison.learning[c].best;
    if (best)
      table.add({columns[c].title(), shortNumber(best->score), secondsText(best->epochSeconds),
                 byteText(best->bytes), front[c] ? "yes" : "no"});
  }
  return "\n" + table.text();
}

std::string waitsText(const WaitTable& waits) {
  if (waits.waits.empty()) return "";
  const auto times = [](const WaitFigures& figures) {
    return figures.totalNs == 0
               ? std::string("–")
               : fmt::format("{} {:.1f} %", secondsText(figures.meanNs * 1e-9), 100 * figures.share);
  };
  const auto gain = [](const WaitFigures& figures) {
    return std::isnan(figures.ceiling) ? std::string("–") : fmt::format("{:.1f} %", 100 * figures.ceiling);
  };
  Table table({"waits, an epoch and worker", "peer", "layer", "first", "second", "Δ", "",
               "first gains at most", "second gains at most"});
  const auto& all = waits.together;
  table.add({"all together", "", "", times(all[0]), times(all[1]), "", "", gain(all[0]), gain(all[1])});
  const std::size_t rows = std::min(waits.waits.size(), kShownWaits);
  for (std::size_t i = 0; i < rows; ++i) {
    const Wait& wait = waits.waits[i];
    table.add({std::string(causeText(wait.kind.reason)),
               wait.kind.peer < 0 ? "all" : std::to_string(wait.kind.peer),
               wait.kind.layer < 0 ? "" : std::to_string(wait.kind.layer), times(wait.figures[0]),
               times(wait.figures[1]), wait.changes[1] ? signedText(wait.changes[1]->deltaNs) : "–",
               verdict(wait, 1), gain(wait.figures[0]), gain(wait.figures[1])});
  }
  std::string out = "\n" + table.text();
  if (const std::size_t more = waits.waits.size() - rows; more > 0)
    out += fmt::format("and {} kinds of waits that are shorter: --json has them\n", more);
  return out;
}

std::string trafficText(const Comparison& comparison) {
  const std::vector<Traffic>& traffic = comparison.traffic;
  std::set<std::pair<std::int64_t, Pass>> places;
  for (const Traffic& each : traffic)
    for (const auto& [place, sum] : byLayer(each)) places.insert(place);
  if (places.empty()) return "";
  Table table({"sent an epoch, layer", "pass", "first", "second", "Δ"});
  const bool known[] = {!comparison.epochs[0].modelled, !comparison.epochs[1].modelled};  // by a ledger
  const auto add = [&](const std::string& layer, const std::string& pass, double first, double second) {
    const double change = second - first;
    const std::string changed = change == 0 ? "0" : (change < 0 ? "-" : "+") + byteText(std::abs(change));
    table.add({layer, pass, known[0] ? byteText(first) : "–", known[1] ? byteText(second) : "–",
               known[0] && known[1] ? changed : "–"});
  };
  const auto first = byLayer(traffic[0]), second = byLayer(traffic[1]);
  const auto bytesAt = [](const auto& sums, const auto& place) {
    const auto sum = sums.find(place);
    return sum == sums.end() ? 0.0 : sum->second.bytes;
  };
  for (const auto& place : places)
    add(place.first < 0 ? "outside" : std::to_string(place.first), std::string(text(place.second)),
        bytesAt(first, place), bytesAt(second, place));
  add("together", "", totalOf(traffic[0]).bytes, totalOf(traffic[1]).bytes);
  return "\n" + table.text();
}

/// Where either column codes what it sends.
std::string codesText(const Comparison& comparison) {
  if (comparison.layers.size() < 2) return "";
  std::map<std::pair<std::int64_t, Pass>, std::array<const LayerFigures*, 2>> places;
  for (std::size_t c = 0; c < 2; ++c)
    for (const LayerFigures& layer : comparison.layers[c].layers)
      places[{layer.layer, layer.pass}].at(c) = &layer;
  std::erase_if(places, [](const auto& entry) {
    return std::ranges::none_of(
        entry.second, [](const LayerFigures* layer) { return layer != nullptr && layer->quantiseNs > 0; });
  });
  if (places.empty()) return "";
  const auto time = [](const LayerFigures* layer) {
    return layer == nullptr || std::isnan(layer->quantiseNs) ? "–" : secondsText(layer->quantiseNs * 1e-9);
  };
  const auto bytes = [](const LayerFigures* layer) {
    return layer == nullptr || std::isnan(layer->quantiseBytes) ? "–" : byteText(layer->quantiseBytes);
  };
  Table table({"coding an epoch and worker, layer", "pass", "first", "second", "first's parameters",
               "second's parameters"});
  for (const auto& [place, columns] : places)
    table.add({std::to_string(place.first), std::string(text(place.second)), time(columns[0]),
               time(columns[1]), bytes(columns[0]), bytes(columns[1])});
  return "\n" + table.text();
}

Json learningJson(const Comparison& comparison) {
  if (!comparison.score) return nullptr;
  const std::vector<bool> front = onFront(comparison.learning, &BestScore::epochSeconds);
  Json json = {{"split", text(*comparison.score)}, {"columns", Json::array()}};
  for (std::size_t c = 0; c < comparison.learning.size(); ++c) {
    const LearningCurve& curve = comparison.learning[c];
    Json column = {{"best", nullptr}, {"unbeaten", front[c] ? true : false}, {"epochs", Json::array()}};
    if (const auto& best = curve.best)
      column["best"] = {{"score", best->score},
                        {"epoch_seconds", best->epochSeconds},
                        {"wall_seconds", best->wallSeconds},
                        {"bytes", best->bytes}};
    for (const LearnedEpoch& epoch : curve.epochs)
      column["epochs"].push_back({{"epoch", epoch.epoch},
                                  {"epoch_seconds", epoch.epochSeconds},
                                  {"wall_seconds", epoch.wallSeconds},
                                  {"bytes", epoch.bytes},
                                  {"score", epoch.score},
                                  {"lowest", epoch.low},
                                  {"highest", epoch.high}});
    json["columns"].push_back(std::move(column));
  }
  return json;
}

Json stalenessJson(const std::vector<StalenessCurve>& curves) {
  Json json = Json::array();
  for (const StalenessCurve& curve : curves) {
    Json errors = Json::array();
    const auto pointAt = [](const std::map<std::int64_t, double>& points, std::int64_t epoch) {
      const auto point = points.find(epoch);
      return point == points.end() ? Json(nullptr) : Json(point->second);
    };
    for (const auto& [epoch, error] : curve.errors)
      errors.push_back({{"epoch", epoch},
                        {"error", error},
                        {"cosine", pointAt(curve.cosines, epoch)},
                        {"age", pointAt(curve.ages, epoch)}});
    json.push_back({{"layer", curve.layer}, {"pass", text(curve.pass)}, {"errors", std::move(errors)}});
  }
  return json;
}

void addFigures(Json& json, const WaitFigures& figures) {
  json["total_ns"].push_back(std::isnan(figures.meanNs) ? Json() : Json(figures.totalNs));
  json["mean_ns"].push_back(figures.meanNs);
  json["share"].push_back(figures.share);
  json["gain_at_most"].push_back(figures.ceiling);
}

Json waitJson(const Wait& wait) {
  Json json = {{"reason", causeText(wait.kind.reason)}, {"peer", wait.kind.peer}, {"layer", wait.kind.layer}};
  for (std::size_t c = 0; c < wait.figures.size(); ++c) {
    addFigures(json, wait.figures[c]);
    const std::optional<WaitChange>& change = wait.changes[c];
    json["delta"].push_back(change ? Json(change->deltaNs) : Json(nullptr));
    json["interval"].push_back(intervalJson(change ? change->interval : std::nullopt));
    json["verdict"].push_back(verdict(wait, c));
  }
  return json;
}

Json trafficJson(const Traffic& traffic) {
  const TrafficSum total = totalOf(traffic);
  Json json = {{"workers", traffic.ranks},
               {"bytes", total.bytes},
               {"messages", total.messages},
               {"counted_bytes", traffic.counted.bytes},
               {"counted_messages", traffic.counted.messages},
               {"places", Json::array()}};
  for (const auto& [place, sum] : traffic.places)
    json["places"].push_back({{"layer", place.layer},
                              {"pass", text(place.pass)},
                              {"source", place.source},
                              {"target", place.target},
                              {"bytes", sum.bytes},
                              {"messages", sum.messages},
                              {"predicted_bytes", sum.predictedBytes}});
  return json;
}

/// NaN is no number of JSON.
Json numberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json partJson(const PartFigures& part) {
  Json json = Json::object();
  for (const PartQuantity& quantity : partQuantities())
    json[std::string(quantity.key)] = numberJson(part.*quantity.value);
  return json;
}

Json partsJson(const PartTable& table) {
  Json json = {{"ranks", Json::array()}, {"runs", Json::array()}, {"fit", nullptr}};
  for (const PartFigures& part : table.means) json["ranks"].push_back(partJson(part));
  for (const PartsOfRun& run : table.runs) {
    Json ranks = Json::array();
    for (const PartFigures& part : run.parts) ranks.push_back(partJson(part));
    json["runs"].push_back({{"run", run.run}, {"ranks", std::move(ranks)}});
  }
  if (table.fit)
    json["fit"] = {{"intercept_ns", table.fit->intercept},
                   {"ns_per_row", table.fit->slope},
                   {"r2", table.fit->r2},
                   {"points", table.fit->points}};
  return json;
}

Json layersJson(const LayerTable& table) {
  Json json = Json::array();
  for (const LayerFigures& layer : table.layers) {
    Json engines = Json::array();
    for (const EngineFigures& engine : layer.engines) {
      engines.push_back(
          {{"engine", engine.name}, {"busy_ns", engine.busyNs}, {"stalled_ns", engine.stalledNs}});
      engines.back()["stalled_by"] = engine.stalledBy ? Json(causeText(*engine.stalledBy)) : Json();
    }
    json.push_back({{"layer", layer.layer},
                    {"pass", text(layer.pass)},
                    {"aggregate_ns", numberJson(layer.aggregateNs)},
                    {"update_ns", numberJson(layer.updateNs)},
                    {"quantise_ns", numberJson(layer.quantiseNs)},
                    {"quantise_bytes", numberJson(layer.quantiseBytes)},
                    {"engines", std::move(engines)}});
  }
  return json;
}

}  // namespace

std::string viewsText(const std::vector<Column>& columns, const Comparison& comparison) {
  if (columns.size() < 2) return "";
  const std::string best = bestText(columns, comparison);
  return columns.size() > 2
             ? best
             : best + waitsText(comparison.waits) + trafficText(comparison) + codesText(comparison);
}

void addViews(Json& json, const Comparison& comparison) {
  json["learning"] = learningJson(comparison);
  json["staleness"] = json["traffic"] = json["waits"] = json["parts"] = json["layers"] = Json::array();
  for (const std::vector<StalenessCurve>& curves : comparison.staleness)
    json["staleness"].push_back(stalenessJson(curves));
  for (const Traffic& traffic : comparison.traffic) json["traffic"].push_back(trafficJson(traffic));
  for (const PartTable& table : comparison.parts) json["parts"].push_back(partsJson(table));
  for (const LayerTable& table : comparison.layers) json["layers"].push_back(layersJson(table));
  for (const Wait& wait : comparison.waits.waits) json["waits"].push_back(waitJson(wait));
  json["waits_together"] = Json::object();
  for (const WaitFigures& figures : comparison.waits.together) addFigures(json["waits_together"], figures);
}

}  // namespace halo
