// The volume our own partitioner leaves, beside METIS and Zoltan's PHG at equal imbalance (3 %, nonzeros of
// rows), on the real graphs of the shared collection from 10 000 vertices up, in 4, 16 and 64 parts.
//
//   partition_bench [-m METHOD,…] [-p PARTS,…] [-c CYCLES] [-s SEED] [-i IMBALANCE] [GRAPH…]
//
// A graph is chosen by a piece of its name.
//
// Prints a line for each partition, then for each method the geometric mean of its volume and time against
// the best of the three others. Time is the wall's, so measure on a quiet machine: connectivity uses two
// threads, the others one. The processor's time stands beside it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/load.h"
#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/balance.h"
#include "engine/partition/contract/quality.h"
#include "engine/partition/hypergraph/hypergraph.h"
#include "tests/support/places.h"

namespace {

using namespace halo;

constexpr const char* kGraphs[] = {"as-caida",
                                   "blogcatalog-multilabel/bc_adjlist.txt",
                                   "ca-astroph",
                                   "cit-hepph",
                                   "coauthor-cs",
                                   "collab-metis/astro-ph.graph",
                                   "collab-metis/PGPgiantcompo.graph",
                                   "dblp",
                                   "facebook-pages",
                                   "github-social",
                                   "mesh-walshaw/4elt.graph",
                                   "mesh-walshaw/wing.graph",
                                   "pubmed",
                                   "soc-slashdot0902",
                                   "ego-twitter",
                                   "road-dimacs9/NY.gr.xz",
                                   "web-notredame",
                                   "road-dimacs9/FLA.gr.xz",
                                   "road-dimacs9/NE.gr.xz"};

struct Chosen {
  std::vector<std::string> methods{"metis", "metis-volume", "hypergraph", "connectivity"}, graphs;
  std::vector<int> parts{4, 16, 64};
  std::int64_t cycles = 12;  // of connectivity
  std::uint64_t seed = 1;
  double imbalance = PartitionRequest{}.imbalance;
};

struct Cell {
  std::int64_t volume = 0, largest = 0;
  double imbalance = 0, seconds = 0, processor = 0;
};

std::vector<std::string> pieces(const std::string& list) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

Chosen choose(int argc, char** argv) {
  Chosen chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-m" && i + 1 < argc) {
      chosen.methods = pieces(argv[++i]);
    } else if (word == "-p" && i + 1 < argc) {
      chosen.parts.clear();
      for (const std::string& parts : pieces(argv[++i])) chosen.parts.push_back(std::stoi(parts));
    } else if (word == "-c" && i + 1 < argc) {
      chosen.cycles = std::stoi(argv[++i]);
    } else if (word == "-s" && i + 1 < argc) {
      chosen.seed = std::stoull(argv[++i]);
    } else if (word == "-i" && i + 1 < argc) {
      chosen.imbalance = std::stod(argv[++i]);
    } else {
      chosen.graphs.push_back(word);
    }
  }
  return chosen;
}

/// Of this process and of those it waited for: METIS has one of its own.
double processorSeconds() {
  double sum = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

Cell measured(const Csr& arcs, const std::string& method, int parts, const Chosen& chosen) {
  PartitionRequest request;
  request.seed = chosen.seed;
  request.parts = parts;
  request.imbalance = chosen.imbalance;
  request.parameters["balance"] = std::string("nonzeros");
  if (method == "connectivity") request.parameters["cycles"] = chosen.cycles;
  const std::int64_t begin = wallNs();
  const double processor = processorSeconds();
  const Owners owners = partition(arcs, method, request);
  Cell cell;
  cell.seconds = static_cast<double>(wallNs() - begin) * 1e-9;
  cell.processor = processorSeconds() - processor;
  const PartitionQuality quality = measure(arcs, false, owners, parts);
  cell.volume = quality.volume;
  cell.largest = quality.maxVolume;
  const Weights weights = balanceWeights(arcs, request.parameters);
  const auto loads = partWeights(weights, owners, parts);
  cell.imbalance = static_cast<double>(*std::ranges::max_element(loads)) * parts /
                       static_cast<double>(totalWeight(weights)) -
                   1;
  return cell;
}

/// Geometric means and extremes of ours against the others.
struct Ratios {
  double logVolume = 0, logCut = 0, worst = 0, slowest = 0, logTime = 0, logProcessor = 0, logLargest = 0;
  int count = 0;

  void add(const std::map<std::string, Cell>& row) {
    const Cell &cut = row.at("metis"), &metisVolume = row.at("metis-volume"), &phg = row.at("hypergraph"),
               &connectivity = row.at("connectivity");
    const auto volume = static_cast<double>(std::max<std::int64_t>(1, connectivity.volume));
    const auto best = static_cast<double>(
        std::max<std::int64_t>(1, std::min({cut.volume, metisVolume.volume, phg.volume})));
    const double time = connectivity.seconds / std::max(metisVolume.seconds, phg.seconds);
    logVolume += std::log(volume / best);
    logCut += std::log(volume / static_cast<double>(std::max<std::int64_t>(1, cut.volume)));
    logLargest += std::log(static_cast<double>(std::max<std::int64_t>(1, connectivity.largest)) /
                           static_cast<double>(std::max<std::int64_t>(
                               1, std::min({cut.largest, metisVolume.largest, phg.largest}))));
    logTime += std::log(time);
    logProcessor += std::log(connectivity.processor / std::max(metisVolume.processor, phg.processor));
    worst = std::max(worst, volume / best);
    slowest = std::max(slowest, time);
    ++count;
  }
  void print() const {
    if (count == 0) return;
    const auto mean = [&](double sum) { return std::exp(sum / count); };
    fmt::print(
        "{} partitions: volume {:.3f} x the best of the three (at worst {:.3f}), {:.3f} x METIS cut; "
        "largest volume of a part {:.3f} x the smallest of the three; "
        "time {:.2f} x the slower of METIS volume and PHG (at worst {:.2f}), processor's time {:.2f} x\n",
        count, mean(logVolume), worst, mean(logCut), mean(logLargest), mean(logTime), slowest,
        mean(logProcessor));
  }
};

bool wanted(const Chosen& chosen, const std::string& graph) {
  return chosen.graphs.empty() || std::ranges::any_of(chosen.graphs, [&](const std::string& piece) {
           return graph.find(piece) != graph.npos;
         });
}

std::filesystem::path sharedFolder() {
  const char* named = std::getenv("HALO_SHARED");
  for (const std::filesystem::path& root :
       {std::filesystem::path(named ? named : ""), std::filesystem::path(kSourceDir) / ".." / "shared",
        std::filesystem::path(kSourceDir) / ".." / ".." / "shared"})
    if (!root.empty() && std::filesystem::exists(root / "data")) return root / "data";
  return {};
}

/// Zoltan's first partition starts MPI, some 0.1 s that are no cell's.
void startMpi() {
  Hypergraph pair;
  pair.pins = {0, 1};
  pair.netBegin.push_back(2);
  pair.netWeight = {1};
  pair.nodeWeight = {1, 1};
  completeNodes(pair, 2);
  PartitionRequest request;
  request.parts = 2;
  find<PartitionerEntry>("hypergraph")->divideNets(pair, request);
}

void run(const Chosen& chosen, const std::filesystem::path& folder) {
  Ratios ratios;
  for (const std::string graph : kGraphs) {
    if (!wanted(chosen, graph)) continue;
    if (!std::filesystem::exists(folder / graph)) {
      fmt::print("SKIPPED: {} is not here\n", graph);
      continue;
    }
    DatasetRequest request;
    request.name = (folder / graph).string();
    const Csr arcs = loadDataset(request).arcs;
    for (const int parts : chosen.parts) {
      std::map<std::string, Cell> row;
      for (const std::string& method : chosen.methods) {
        const Cell cell = row[method] = measured(arcs, method, parts, chosen);
        fmt::print(
            "{:<34} {:>8} {:>9} {:>3} {:<13} volume {:>8} largest {:>7} imbalance {:.5f} {:8.3f} s "
            "(processor {:.3f} s)\n",
            graph, arcs.rows(), arcs.nonzeros(), parts, method, cell.volume, cell.largest, cell.imbalance,
            cell.seconds, cell.processor);
        std::fflush(stdout);
      }
      if (row.contains("metis") && row.contains("metis-volume") && row.contains("hypergraph") &&
          row.contains("connectivity"))
        ratios.add(row);
    }
  }
  ratios.print();
}

}  // namespace

int main(int argc, char** argv) try {
  const Chosen chosen = choose(argc, argv);
  const std::filesystem::path folder = sharedFolder();
  if (folder.empty()) {
    fmt::print("SKIPPED: the shared graphs are not here; HALO_SHARED names the folder that holds data/\n");
    return 0;
  }
  startMpi();
  run(chosen, folder);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
