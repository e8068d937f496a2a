#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <tuple>

#include "app/commands/command.h"
#include "app/commands/partition_batches.h"
#include "app/report/table.h"
#include "datasets/load.h"
#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/balance.h"
#include "engine/partition/contract/balance_of.h"
#include "engine/partition/contract/empty_parts.h"
#include "engine/partition/contract/quality.h"
#include "engine/partition/vertex_cut/arc_parts.h"

namespace halo {
namespace {

struct PartitionArguments {
  DatasetRequest dataset;
  PartitionRequest request;
  std::string method = "metis", path, output, balance;
  std::vector<std::string> set;
  bool compare = false;
  std::int64_t batch = 0, draws = 1000;  // 0: not in batches
};

double secondsSince(std::int64_t begin) { return static_cast<double>(wallNs() - begin) * 1e-9; }

/// The largest share of weight over the mean, minus 1.
double imbalanceOf(const Csr& arcs, const PartitionRequest& request, const Owners& owners) {
  const Weights weights = balanceWeights(arcs, request.parameters);
  const std::int64_t total = totalWeight(weights);
  if (total == 0) return 0;
  const auto loads = partWeights(weights, owners, request.parts);
  return static_cast<double>(*std::ranges::max_element(loads)) * request.parts / static_cast<double>(total) -
         1;
}

/// The data set's remarks and, of the partition, which parts are empty.
std::vector<std::string> remarksOn(const Dataset& dataset, const Owners& owners, int parts) {
  std::vector<std::string> remarks = dataset.remarks;
  if (const std::string remark = emptyPartsRemark(owners, parts); !remark.empty()) remarks.push_back(remark);
  return remarks;
}

/// What a partitioner balanced, and how well.
struct Balanced {
  std::string weight;  // vertices, nonzeros or arcs; "": nothing, and the imbalance is that of vertices
  double imbalance = 0;
};
/// clones: where the partitioner cuts through vertices, which balances arcs.
Balanced balancedBy(const Csr& arcs, const std::string& method, PartitionRequest request,
                    const Owners& owners, const std::optional<VertexCutQuality>& clones) {
  if (clones) return {"arcs", clones->imbalance};
  Values parameters = fallbacks(find<PartitionerEntry>(method)->declaration.parameters);
  if (!parameters.contains("balance")) parameters["balance"] = std::string(kDefaultBalance);
  for (const auto& [key, value] : request.parameters) parameters[key] = value;
  request.parameters = parameters;
  const double imbalance = imbalanceOf(arcs, request, owners);
  return {balanceOf(method, parameters), imbalance};
}

void printQuality(const PartitionQuality& q, const Balanced& balanced, const std::string& method,
                  std::span<const PartitionFigure> figures, double seconds) {
  Table table({"method", method});
  for (const auto& [name, label, value] : figures) table.add({std::string(label), shortNumber(value)});
  table.add({"parts", std::to_string(q.parts)});
  table.add({"cut", std::to_string(q.cut)});
  table.add({"volume", std::to_string(q.volume)});
  table.add({"largest volume of a part", std::to_string(q.maxVolume)});
  if (q.volume > 0)
    table.add({"largest volume ÷ mean",
               shortNumber(static_cast<double>(q.maxVolume) * q.parts / static_cast<double>(q.volume))});
  table.add({"messages", std::to_string(q.messages)});
  table.add({"most messages of a part", std::to_string(q.maxMessages)});
  if (!balanced.weight.empty())
    table.add({"imbalance of " + balanced.weight + ", balanced", shortNumber(balanced.imbalance)});
  if (balanced.weight != "vertices") table.add({"imbalance of vertices", shortNumber(q.imbalance)});
  table.add({"replication", shortNumber(q.replication)});
  table.add({"seconds", shortNumber(seconds)});
  print(table.text());
  Table parts({"part", "vertices", "nonzeros", "boundary", "remote"});
  for (std::size_t p = 0; p < q.vertices.size(); ++p)
    parts.add({std::to_string(p), std::to_string(q.vertices[p]), std::to_string(q.nonzeros[p]),
               std::to_string(q.boundary[p]), std::to_string(q.remote[p])});
  print("\n" + parts.text());
}

/// What the same partition costs as a cut through vertices, where the partitioner makes one.
std::optional<VertexCutQuality> vertexCut(const Csr& arcs, const Owners& owners,
                                          const PartitionArguments& arguments) {
  if (find<PartitionerEntry>(arguments.method)->placeArcs == nullptr) return std::nullopt;
  const ArcPlacement placement = arcsPlaced(arcs, owners, arguments.method, arguments.request);
  return measure(arcs, placement, arguments.request.parts);
}

void printVertexCut(const VertexCutQuality& q) {
  Table table({"cut through vertices", ""});
  table.add({"clones", std::to_string(q.clones)});
  table.add({"replication", shortNumber(q.replication)});
  table.add({"volume to roots, and back", std::to_string(q.volume)});
  table.add({"largest volume of a part", std::to_string(q.maxVolume)});
  print("\n" + table.text());
  Table parts({"part", "arcs", "leaves"});
  for (std::size_t p = 0; p < q.entries.size(); ++p)
    parts.add({std::to_string(p), std::to_string(q.entries[p]), std::to_string(q.leaves[p])});
  print("\n" + parts.text());
}

/// Whether opening it waits for a writer; the shell's `<(command)` has one.
bool isNamedPipe(const std::string& path) {
  std::error_code unseen;
  return std::filesystem::is_fifo(path, unseen) && !path.starts_with("/dev/fd/") &&
         !path.starts_with("/proc/");
}

/// Hands --set, --path and --balance to the partitioner, if it has such parameters.
PartitionRequest requestOf(const PartitionArguments& arguments) {
  PartitionRequest request = arguments.request;
  const auto* entry = find<PartitionerEntry>(arguments.method);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const auto& [name, other] : registry<PartitionerEntry>()) names.push_back(name);
    throw InputError({.key = "--method", .message = oneOf(std::move(names))(arguments.method)});
  }
  std::vector<Declaration> all;
  for (const auto& [name, other] : registry<PartitionerEntry>()) all.push_back(other.declaration);
  request.parameters =
      parametersOf(entry->declaration, overridesOf(arguments.set, "KEY=VALUE, for example largest=1.5"), all);
  for (const auto& [key, value, word] :
       {std::tuple("balance", arguments.balance, "--balance"), std::tuple("path", arguments.path, "--path")})
    if (!value.empty() && std::ranges::any_of(arguments.set, [&](const std::string& setting) {
          return setting.starts_with(fmt::format("{}=", key));
        }))
      throw InputError({.key = word, .message = fmt::format("--set {} says the same; one of them", key)});
  if (!arguments.balance.empty()) {
    if (!fallbacks(entry->declaration.parameters).contains("balance"))
      throw InputError(
          {.key = "--balance",
           .message = fmt::format(
               "the partitioner '{}' does not balance by weight; metis, metis-volume, hypergraph, "
               "connectivity and stochastic-hypergraph do",
               arguments.method)});
    request.parameters["balance"] = arguments.balance;
  }
  if (arguments.path.empty()) return request;
  if (!fallbacks(entry->declaration.parameters).contains("path"))
    throw InputError(
        {.key = "--path",
         .message = fmt::format("the partitioner '{}' reads no file; --method file does", arguments.method)});
  if (isNamedPipe(arguments.path))
    throw InputError({.key = "--path",
                      .message = fmt::format("'{}' is a pipe that perhaps nobody writes; a file, or the "
                                             "shell's <(command)",
                                             arguments.path)});
  request.parameters["path"] = arguments.path;
  return request;
}

/// One line of P2P-GCN's Table 2.
struct Contender {
  const char* label;
  const char* method;
};
constexpr Contender kContenders[] = {{"RP", "random"},
                                     {"GP", "metis"},
                                     {"GP, volume", "metis-volume"},
                                     {"HP", "hypergraph"},
                                     {"ours", "connectivity"}};

/// The table of P2P-GCN: what random, graph and hypergraph partitions cost a part, ours beside them.
int compareCommand(const Common& common, const PartitionArguments& arguments) {
  const Dataset dataset = loadDataset(arguments.dataset);
  PartitionRequest request = arguments.request;
  request.parameters["balance"] =
      arguments.balance.empty() ? std::string(kDefaultBalance) : arguments.balance;
  if (arguments.batch > 0)
    return compareInBatches(dataset, {request, arguments.batch, arguments.draws, common.json});
  Table table({"partition", "method", "average volume (rows)", "of RP's", "maximum volume (rows)",
               "average messages", "maximum messages", "imbalance of " + request.parameters.text("balance"),
               "seconds"});
  Json rows = Json::array();
  double random = 0;
  for (const auto& [label, method] : kContenders) {
    const std::int64_t begin = wallNs();
    const Owners owners = partition(dataset.arcs, method, request);
    const double seconds = secondsSince(begin);
    const PartitionQuality q = measure(dataset.arcs, dataset.directed, owners, request.parts);
    const double volume = static_cast<double>(q.volume) / request.parts;
    const double messages = static_cast<double>(q.messages) / request.parts;
    const double imbalance = imbalanceOf(dataset.arcs, request, owners);
    if (random == 0) random = volume;
    const double share = random > 0 ? volume / random : 1;
    table.add({label, method, shortNumber(volume), shortNumber(share), std::to_string(q.maxVolume),
               shortNumber(messages), std::to_string(q.maxMessages), shortNumber(imbalance),
               shortNumber(seconds)});
    rows.push_back({{"partition", label},
                    {"method", method},
                    {"average_volume", volume},
                    {"max_volume", q.maxVolume},
                    {"average_messages", messages},
                    {"max_messages", q.maxMessages},
                    {"imbalance", imbalance},
                    {"seconds", seconds}});
  }
  if (common.json)
    printJson({{"parts", request.parts}, {"balance", request.parameters.text("balance")}, {"rows", rows}});
  else
    print(table.text());
  return 0;
}

int partitionCommand(const Common& common, const PartitionArguments& arguments) {
  const PartitionRequest request = requestOf(arguments);
  if (!arguments.output.empty()) refuseToOverwrite({arguments.output}, common.force);
  const Dataset dataset = loadDataset(arguments.dataset);
  const std::vector<PartitionFigure> figures = partitionFigures(dataset.arcs, arguments.method, request);
  const std::int64_t begin = wallNs();
  const Owners owners = partition(dataset.arcs, arguments.method, request);
  const double seconds = secondsSince(begin);
  const PartitionQuality q = measure(dataset.arcs, dataset.directed, owners, arguments.request.parts);
  const std::optional<VertexCutQuality> clones = vertexCut(dataset.arcs, owners, arguments);
  const Balanced balanced = balancedBy(dataset.arcs, arguments.method, request, owners, clones);
  const std::vector<std::string> remarks = remarksOn(dataset, owners, arguments.request.parts);
  for (const std::string& remark : remarks)
    if (!common.quiet) say(remark + "\n");
  if (!arguments.output.empty())
    writeFiles({{arguments.output, [&](std::ostream& out) {
                   for (const std::int32_t owner : owners) out << owner << '\n';
                 }}});
  if (!common.json) {
    printQuality(q, balanced, arguments.method, figures, seconds);
    if (clones) printVertexCut(*clones);
    return 0;
  }
  Json result = {{"method", arguments.method},
                 {"parts", q.parts},
                 {"cut", q.cut},
                 {"volume", q.volume},
                 {"max_volume", q.maxVolume},
                 {"messages", q.messages},
                 {"max_messages", q.maxMessages},
                 {"balance", balanced.weight.empty() ? Json() : Json(balanced.weight)},
                 {"imbalance", balanced.imbalance},
                 {"imbalance_vertices", q.imbalance},
                 {"seconds", seconds},
                 {"replication", q.replication},
                 {"vertices", q.vertices},
                 {"nonzeros", q.nonzeros},
                 {"boundary", q.boundary},
                 {"remote", q.remote},
                 {"remarks", remarks}};
  for (const auto& [name, label, value] : figures) result[std::string(name)] = value;
  if (clones)
    result["vertex_cut"] = {{"clones", clones->clones},       {"replication", clones->replication},
                            {"volume", clones->volume},       {"max_volume", clones->maxVolume},
                            {"imbalance", clones->imbalance}, {"arcs", clones->entries},
                            {"leaves", clones->leaves}};
  printJson(result);
  return 0;
}

}  // namespace

void addPartition(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand("partition", "Divides a graph and says what that costs");
  const auto arguments = std::make_shared<PartitionArguments>();
  command->add_option("DATASET", arguments->dataset.name, "A name of the catalogue, a file or a folder")
      ->required();
  command->add_option("--parts", arguments->request.parts, "How many")
      ->required()
      ->check(CLI::Range(1, 1'000'000));
  auto* method = command->add_option("--method", arguments->method, "Partitioner (`haloscope methods`)");
  method->capture_default_str()->type_name("METHOD");
  auto* compare = command->add_flag("--compare", arguments->compare,
                                    "Random, graph, hypergraph and our own partition side by side");
  compare->excludes(method);
  auto* batch = command->add_option("--batch", arguments->batch,
                                    "With --compare: rows that uniform batches of so many vertices send");
  batch->needs(compare)->check(CLI::Range(std::int64_t{2}, std::int64_t{1'000'000'000}));
  command->add_option("--draws", arguments->draws, "With --batch: batches that are measured")
      ->needs(batch)
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{10'000'000}));
  command
      ->add_option(
          "--balance", arguments->balance,
          "What parts hold equally much of; if absent vertices, of stochastic-hypergraph nonzeros-self")
      ->check(oneOf({"vertices", "nonzeros", "nonzeros-self"}));
  repeatable(
      command->add_option("--set", arguments->set,
                          "A key of the partitioner's own (`haloscope methods NAME`; may be repeated)"))
      ->type_name("KEY=VALUE")
      ->excludes("--compare");
  command->add_option("--path", arguments->path, "For --method file: the part of each vertex, one a line")
      ->type_name("FILE");
  command
      ->add_option("--imbalance", arguments->request.imbalance,
                   "By how much the largest part may exceed the mean")
      ->capture_default_str()
      ->check(realWithin(0, 10));
  command->add_option("--seed", arguments->request.seed, "Of the partitioner")
      ->capture_default_str()
      ->check(seed());
  command->add_option("--scale", arguments->dataset.scale, "Generated data sets: share of the published size")
      ->check(realWithin(1e-6, 1));
  command->add_option("--format", arguments->dataset.format, "Of the data set; found out if absent")
      ->type_name("FORMAT");
  command->add_flag("--directed", arguments->dataset.directed, "Arcs as they are");
  command->add_option("-o,--output", arguments->output, "Also write the part of each vertex, one a line")
      ->type_name("FILE")
      ->excludes("--compare");
  command->callback([&common, &action, arguments] {
    action = [&common, arguments] {
      return arguments->compare ? compareCommand(common, *arguments) : partitionCommand(common, *arguments);
    };
  });
}

}  // namespace halo
