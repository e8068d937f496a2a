#include "app/commands/dataset_info.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/table.h"
#include "datasets/graph/order.h"
#include "datasets/statistics.h"

namespace halo {
namespace {

void addSpread(Json& json, const std::string& quantity, const Spread& spread) {
  json["smallest_" + quantity] = spread.least;
  json["median_" + quantity] = spread.median;
  json["mean_" + quantity] = spread.mean;
  json["largest_" + quantity] = spread.most;
}

void addArcs(Json& json, const Dataset& d, const DatasetStatistics& s) {
  json["arcs"] = d.arcs.nonzeros();
  json["directed"] = d.directed;
  if (!d.directed) json["undirected_edges"] = d.arcs.nonzeros() / 2;
  json["arcs_read"] = d.arcsRead;
  json["self_loops"] = d.selfLoops;
  json["repeated_arcs"] = d.repeatedArcs;
  json["isolated_vertices"] = s.isolated;
  json["components"] = s.components;
  json["largest_component_vertices"] = s.largestComponent;
  addSpread(json, "in_degree", s.inDegree);
  if (d.directed) addSpread(json, "out_degree", s.outDegree);
  Index without = 0;
  for (Index v = 0; v < d.vertices(); ++v) without += d.arcs.degree(v) == 0;
  json["vertices_without_in_neighbours"] = without;
  json["bandwidth"] = bandwidth(d.arcs);
}

void addFeatures(Json& json, const Dataset& d, const DatasetStatistics& s) {
  json["features"] = d.features.cols();
  json["smallest_feature"] = s.leastFeature;
  json["mean_feature"] = s.meanFeature;
  json["largest_feature"] = s.mostFeature;
  json["zero_feature_rows"] = s.zeroRows;
  json["non_finite_features"] = s.nonFinite;
}

void addLabels(Json& json, const Dataset& d, const DatasetStatistics& s) {
  json["classes"] = d.classes;
  json["multi_label"] = d.multiLabel();
  if (!s.classVertices.empty()) {
    const auto [least, most] = std::ranges::minmax(s.classVertices);
    json["smallest_class_vertices"] = least;
    json["largest_class_vertices"] = most;
  }
  json["class_vertices"] = s.classVertices;
  json["unlabelled_vertices"] = s.unlabelled;
  if (d.multiLabel()) addSpread(json, "labels_per_vertex", s.labelsPerVertex);
  json["train_vertices"] = d.count(Split::train);
  json["valid_vertices"] = d.count(Split::valid);
  json["test_vertices"] = d.count(Split::test);
  json["unsplit_vertices"] = d.count(Split::none);
}

std::string cellOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

}  // namespace

Json infoOf(const Dataset& d) {
  const DatasetStatistics s = statisticsOf(d);
  Json json = {{"name", d.name}, {"source", d.source}, {"vertices", d.vertices()}};
  addArcs(json, d, s);
  addFeatures(json, d, s);
  addLabels(json, d, s);
  json["feature_bytes"] = d.features.bytes();
  json["graph_bytes"] = d.arcs.bytes();
  json["marks"] = d.marks;
  json["remarks"] = d.remarks;
  json["fingerprint"] = d.fingerprint;
  return json;
}

std::string infoText(const Json& info) {
  Table table({"data set", info.at("name").get<std::string>()});
  for (const auto& [key, value] : info.items()) {
    if (key == "name") continue;
    std::string title = key;
    std::ranges::replace(title, '_', ' ');
    if (!value.is_array())
      table.add({title, cellOf(value)});
    else if (!value.empty() && value.front().is_string())
      table.add({title, fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(),
                                                    key == "remarks" ? "; " : ", "))});
  }
  return table.text();
}

}  // namespace halo
