// MoP beside partition parallelism (what MixGCN 5.2.1 suggests, the definition is ours): P = g · q.
// The partitioner cuts the vertices for g groups; within a group its q workers do as mop does, on the rows of
// the group. Worker (a, b) fetches the halo rows of group a, slice b of their columns, from the workers (·,
// b). So g = 1 is mop, and q = 1 is vanilla. Synchronous, exact.
//
//   worker (a, b):   Z(V_a, I_b) = P[V_a, V_a] H(V_a, I_b) + P[V_a, B_a] H(B_a, I_b)
//
// Layers that attend do so as with mop on the vertices of the group. Of halo rows the columns travel and
// nothing else. Who gets them makes their scores, as vanilla does. That takes whole heads, so q is at most
// the number of heads, or g is 1.
#include "engine/base/whole_number.h"
#include "engine/methods/slices/feature_slices.h"

namespace halo {
namespace {

const std::array<Parameter, 3> kParameters = {{
    {"grid", "GROUPSxSLICES of the workers, as 2x4; auto: as square as can be, no fewer slices than groups",
     Text{"auto"}},
    kRowsParameter,
    kLayer0CacheParameter,
}};

/// "2x4"; nothing if it is none.
std::optional<SliceGrid> readGrid(const std::string& text) {
  SliceGrid grid;
  std::string_view rest = text;
  if (!takeWhole(rest, grid.groups) || !rest.starts_with('x')) return std::nullopt;
  if (!readWhole(rest.substr(1), grid.slices) || grid.groups < 1 || grid.slices < 1) return std::nullopt;
  return grid;
}

/// Nothing if the grid is none or not of so many workers.
std::optional<SliceGrid> gridFor(const Values& values, std::int64_t workers) {
  const std::string text = values.text("grid");
  if (text != "auto") {
    const auto grid = readGrid(text);
    const bool fits = grid && std::int64_t{grid->groups} * grid->slices == workers;
    return fits ? grid : std::nullopt;
  }
  std::int64_t groups = 1;
  for (std::int64_t g = 1; g * g <= workers; ++g)
    if (workers % g == 0) groups = g;
  return SliceGrid{static_cast<int>(groups), static_cast<int>(workers / groups)};
}

SliceGrid gridOf(const Values& values, int workers) { return gridFor(values, workers).value(); }

Problem headsProblem(SliceGrid grid, const ModelSettings& model) {
  const auto shape = [](int groups, int slices) {
    return std::to_string(groups) + "x" + std::to_string(slices);
  };
  return {
      .key = "run.grid",
      .message = shape(grid.groups, grid.slices) + " has more slices than " + model.kind +
                 " has heads (model.heads = " + std::to_string(model.heads) +
                 "), and between groups a worker makes the scores of the rows it fetches from their columns, "
                 "which must be whole heads for that; use at most as many slices as heads, or one group, " +
                 shape(1, grid.size())};
}

std::vector<Problem> refuse(const RunSettings& run) {
  const auto grid = gridFor(run.parameters, run.cluster.workers);
  if (grid) {
    std::vector<Problem> problems = refuseSlices(run, "mop-partition", grid->slices, std::nullopt);
    if (attends(run.model) && !attendsOn(*grid, run.model.heads))
      problems.push_back(headsProblem(*grid, run.model));
    return problems;
  }
  return {{.key = "run.grid",
           .message = "'" + run.parameters.text("grid") +
                      "' cannot be used; GROUPSxSLICES with groups · slices = cluster.workers = " +
                      std::to_string(run.cluster.workers) + ", neither with leading zeros, or auto"}};
}

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"mop-partition", "mop within groups of workers, halo rows between the groups",
                    "MixGCN 5.2", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return makeSliced(parts, values, gridOf(values, parts.comm.size()), /*ring=*/false);
    },
    .predict =
        [](const VolumeRequest& request) {
          return predictSlices(request, gridOf(request.parameters, request.parts));
        },
    .memory = sliceMemory,
    .style = [](const RunSettings& run, int ranks) -> MethodStyle {
      const auto grid = gridFor(run.parameters, ranks);
      if (!grid) return {.order = ExchangeOrder::transposed, .unknown = "its grid is none of the ranks"};
      return {.order = ExchangeOrder::transposed, .groups = grid->groups};
    },
    .aggregatesFirst = true,
    .attends = true,
    .attendsToUpdated = true,
    .refuse = refuse,
    .refuseData =
        [](const RunSettings& run, const DataShape& data) {
          const SliceGrid grid = gridOf(run.parameters, static_cast<int>(run.cluster.workers));
          return refuseSlices(run, "mop-partition", grid.slices, data.widths);
        },
    .place =
        [](const PlacementRequest& request) {
          return placeSlices(request, gridOf(request.parameters, request.parts));
        },
    .countRows =
        [](const CountRequest& request) {
          return countSlices(request, gridOf(request.run.parameters, request.parts), /*ring=*/false);
        }}};

}  // namespace
}  // namespace halo
