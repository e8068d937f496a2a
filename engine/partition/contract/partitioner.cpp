#include "engine/partition/contract/partitioner.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/empty_parts.h"

namespace halo {
namespace {

const PartitionerEntry& requireEntry(const std::string& method) {
  if (const auto* entry = find<PartitionerEntry>(method)) return *entry;
  std::vector<std::string> names;
  std::string list;
  for (const auto& [name, entry] : registry<PartitionerEntry>()) {
    names.push_back(name);
    list += " " + name;
  }
  std::string message = "'" + method + "' cannot be used; one of" + list;
  if (const std::string suggestion = nearest(method, names); !suggestion.empty())
    message += "; did you mean '" + suggestion + "'?";
  throw InputError({.file = {}, .key = "partition.method", .message = message});
}

/// With every parameter. Throws InputError for what the partitioner refuses.
PartitionRequest completed(const Csr& arcs, const std::string& method, const PartitionerEntry& entry,
                           const PartitionRequest& request) {
  if (auto problems = partitionProblems(method, request.parameters, arcs.rows()); !problems.empty())
    throw InputError(std::move(problems));
  PartitionRequest complete = request;
  complete.parameters.merge(fallbacks(entry.declaration.parameters));
  return complete;
}

/// What the partitioner balances.
Weights weightsOf(const Csr& arcs, const Values& parameters) {
  if (parameters.contains("balance")) return balanceWeights(arcs, parameters);
  return Weights(at(arcs.rows()), 1);
}

}  // namespace

std::vector<Problem> partitionProblems(const std::string& method, Values parameters, Index vertices) {
  const auto* entry = find<PartitionerEntry>(method);
  if (entry == nullptr || entry->refuse == nullptr) return {};
  parameters.merge(fallbacks(entry->declaration.parameters));
  return entry->refuse(parameters, vertices);
}

std::vector<PartitionFigure> partitionFigures(const Csr& arcs, const std::string& method,
                                              const PartitionRequest& request) {
  const PartitionerEntry& entry = requireEntry(method);
  if (entry.figures == nullptr || request.parts < 2 || request.parts >= arcs.rows()) return {};
  return entry.figures(arcs, completed(arcs, method, entry, request));
}

Owners partition(const Csr& arcs, const std::string& method, const PartitionRequest& request) {
  HALO_CHECK(arcs.rows() == arcs.cols);
  const PartitionerEntry& entry = requireEntry(method);
  if (request.parts < 1)
    throw InputError({.file = {},
                      .key = "partition.parts",
                      .message = std::to_string(request.parts) + " cannot be used; 1 or more"});
  const PartitionRequest complete = completed(arcs, method, entry, request);
  Owners owners = entry.partition(arcs, complete);
  HALO_CHECK(static_cast<Index>(owners.size()) == arcs.rows());
  HALO_CHECK(std::ranges::all_of(owners, [&](auto part) { return part >= 0 && part < request.parts; }));
  if (!entry.given) fillEmptyParts(arcs, weightsOf(arcs, complete.parameters), request.parts, owners);
  return owners;
}

}  // namespace halo
