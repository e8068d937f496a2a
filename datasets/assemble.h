#pragma once

#include "datasets/contract/format.h"
#include "datasets/graph/dataset.h"

namespace halo {

/// What a set without features, or labels, is given.
inline constexpr Index kGeneratedFeatures = 64;
inline constexpr std::int32_t kGeneratedClasses = 8;

/// From what a reader found in `path` to what is trained on. Replaces parts as the request says, checks that
/// the parts agree, removes self loops and merges duplicates. Adds inverse arcs unless directed, and
/// generates what is missing (marked). Does not normalise. Throws DamagedInput naming the part that does not
/// fit.
Dataset assemble(RawDataset raw, const DatasetRequest& request, const std::filesystem::path& path,
                 const Progress& progress);

/// The part of `assemble` that needs no arcs: replaces parts as the request says, checks that the parts
/// agree, numbers classes from 0.
void settleParts(RawDataset& raw, const DatasetRequest& request, const std::filesystem::path& path);

/// Adds what a person is told of loops that went and of repetitions that became one arc.
void remarkMerged(Index selfLoops, Index repeatedArcs, std::vector<std::string>& remarks);

/// A split of the labelled vertices, 60 % train, 20 % valid, the rest test, drawn from the seed alone.
std::vector<Split> generatedSplit(const std::vector<bool>& labelled, std::uint64_t seed);
/// Independent normal numbers: `columns` a vertex, drawn from the seed alone.
Matrix generatedFeatures(Index vertices, Index columns, std::uint64_t seed);
/// Regions of the graph: every vertex takes the class of the nearest of `classes` drawn centres.
std::vector<std::int32_t> generatedLabels(const Csr& arcs, std::int32_t classes, std::uint64_t seed);

/// Every row divided by its sum. A row whose sum is 0 within rounding is left alone: |sum| ≤ 2^−23 · Σ|x|,
/// the rounding of float, in which features come whatever this build computes in. Returns remarks: how many
/// rows that were not all 0 were left alone, how many changed their signs, and the first of each.
std::vector<std::string> normalizeRows(Matrix& features);

}  // namespace halo
