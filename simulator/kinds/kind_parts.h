#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "simulator/contract/simulation_kind.h"
#include "simulator/device/component.h"
#include "simulator/device/device_simulation.h"
#include "simulator/device/graph_source.h"

namespace halo::sim {

// What several kinds of simulation have in common.

// Keys of kinds with devices that share a graph.
inline constexpr std::string_view kWorkloads[] = {"training", "inference"};
inline constexpr std::string_view kLevels[] = {"analytic", "tile", "cycle"};
inline constexpr std::string_view kTilings[] = {"auto", "statistics", "exact", "replica"};
inline constexpr Parameter kSlices{"slices", "devices that share the feature columns",
                                   Integer{32, 1, 1'000'000}};
inline constexpr Parameter kWorkload{
    "workload", "training: aggregations of L layers forward and backward; inference: forward alone",
    Choice{"training", kWorkloads}};
inline constexpr Parameter kLevel{"level", "how closely: a bound, an event a tile, or cycle by cycle",
                                  Choice{"tile", kLevels}};
inline constexpr Parameter kGraph{
    "graph", "published figures of a graph (resources/graphs.toml) in place of [dataset]", Text{""}};
inline constexpr Parameter kTiling{
    "tiling",
    "what blocks hold: expected from the figures, counted in the graph, or counted in a smaller graph made "
    "alike; auto: counted where there is a graph",
    Choice{"auto", kTilings}};
inline constexpr Parameter kBand{"band",
                                 "with figures or a replica: neighbours lie at most this share of the "
                                 "vertices apart, as after ordering; 1: "
                                 "anywhere",
                                 Real{1.0, 0.0, 1.0}};
inline constexpr Parameter kLocality{
    "locality", "share of the arcs that keep within `band`; the others lie anywhere", Real{1.0, 0.0, 1.0}};
inline constexpr Parameter kReplicaScale{
    "replica_scale", "share of vertices and of buffers that a replica keeps", Real{0.01, 1e-6, 1.0}};

/// The device of these figures with those keys.
DeviceSettings deviceSettings(const SimulateSettings& settings, const FigureSet& set,
                              const std::string& name);
GraphRequest graphRequest(const DeviceSettings& device);

/// What of the sections matters where a graph with features is aggregated over: without published figures
/// the data set, and the model's layers and widths.
bool dependsOnGraph(const SimulateSettings& settings, const std::string& key);

/// The key that names a device file, overridden by `section`.
FigureKey acceleratorKey(std::string key, std::string section, const std::filesystem::path& resources);

/// Names the library's digest in the settings; refuses a `graph` that has no published figures.
std::vector<Problem> checkGraph(SimulateSettings& settings, const SimulationContext& context);
/// The same, and what counts where nothing can be counted (`tiling`, `band`, `locality`).
std::vector<Problem> checkTiling(SimulateSettings& settings, const SimulationContext& context);

/// Refuses a graph without edges: there is nothing to `verb`.
std::vector<Problem> checkEdges(const DatasetCounts& counts, const char* verb);

/// Refuses a model.kind that no device aggregates.
std::vector<Problem> checkModel(const SimulateSettings& settings);

/// Each factor and where it comes from.
void addFactors(const std::vector<Factor>& factors, const std::string& prefix,
                std::map<std::string, std::string>& to);

}  // namespace halo::sim
