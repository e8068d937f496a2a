#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "datasets/graph/dataset.h"

namespace halo {

/// One file of a written data set: path under the output, and what stands in it. `dataset` must outlive it.
using DatasetFile = std::pair<std::filesystem::path, std::function<void(std::ostream&)>>;

/// The files that hold `dataset` as `format`: "ogb" (a folder; everything), "edge-list", "matrix-market",
/// "metis" (one file; the graph alone). An undirected edge stands once. Throws InputError where the format
/// cannot hold it.
std::vector<DatasetFile> datasetFiles(const Dataset& dataset, const std::string& format,
                                      const std::filesystem::path& output);

/// What of `dataset` cannot be read again, as it is now, from its files in `format`. Each sentence says what
/// gets lost, or what the reader has to be told.
std::vector<std::string> lossesOf(const Dataset& dataset, const std::string& format);

/// What the name of the output asks for: .mtx, .graph, .txt/.tsv/.edges, else "ogb".
std::string formatOf(const std::filesystem::path& output);

}  // namespace halo
