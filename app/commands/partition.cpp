#include <fmt/format.h>

#include "app/commands/command.h"
#include "app/commands/table.h"
#include "datasets/dataset.h"
#include "engine/base/clock.h"
#include "engine/base/problem.h"
#include "engine/partition/quality.h"

namespace halo {
namespace {

struct PartitionArguments {
  DatasetRequest dataset;
  PartitionRequest request;
  std::string method = "metis", path, output;
};

void printQuality(const PartitionQuality& q, const std::string& method, double seconds) {
  Table table({"method", method});
  table.add({"parts", std::to_string(q.parts)});
  table.add({"cut", std::to_string(q.cut)});
  table.add({"volume", std::to_string(q.volume)});
  table.add({"largest volume of a part", std::to_string(q.maxVolume)});
  table.add({"messages", std::to_string(q.messages)});
  table.add({"most messages of a part", std::to_string(q.maxMessages)});
  table.add({"imbalance", shortNumber(q.imbalance)});
  table.add({"replication", shortNumber(q.replication)});
  table.add({"seconds", shortNumber(seconds)});
  print(table.text());
  Table parts({"part", "vertices", "nonzeros", "boundary", "remote"});
  for (std::size_t p = 0; p < q.vertices.size(); ++p)
    parts.add({std::to_string(p), std::to_string(q.vertices[p]), std::to_string(q.nonzeros[p]),
               std::to_string(q.boundary[p]), std::to_string(q.remote[p])});
  print("\n" + parts.text());
}

/// Hands --path to the partitioner, if it has such a parameter.
PartitionRequest requestOf(const PartitionArguments& arguments) {
  PartitionRequest request = arguments.request;
  const auto* entry = find<PartitionerEntry>(arguments.method);
  if (arguments.path.empty() || entry == nullptr) return request;
  if (!fallbacks(entry->declaration.parameters).contains("path"))
    throw InputError(
        {"", 0, 0, "--path",
         fmt::format("the partitioner '{}' reads no file; --method file does", arguments.method)});
  request.parameters["path"] = arguments.path;
  return request;
}

int partitionCommand(const Common& common, const PartitionArguments& arguments) {
  const PartitionRequest request = requestOf(arguments);
  if (!arguments.output.empty()) refuseToOverwrite({arguments.output}, common.force);
  const Dataset dataset = loadDataset(arguments.dataset);
  const std::int64_t begin = wallNs();
  const Owners owners = partition(dataset.arcs, arguments.method, request);
  const double seconds = static_cast<double>(wallNs() - begin) * 1e-9;
  const PartitionQuality q = measure(dataset.arcs, dataset.directed, owners, arguments.request.parts);
  if (!arguments.output.empty())
    writeFiles({{arguments.output, [&](std::ostream& out) {
                   for (const std::int32_t owner : owners) out << owner << '\n';
                 }}});
  if (!common.json) {
    printQuality(q, arguments.method, seconds);
    return 0;
  }
  printJson({{"method", arguments.method},
             {"parts", q.parts},
             {"cut", q.cut},
             {"volume", q.volume},
             {"max_volume", q.maxVolume},
             {"messages", q.messages},
             {"max_messages", q.maxMessages},
             {"imbalance", q.imbalance},
             {"seconds", seconds},
             {"replication", q.replication},
             {"vertices", q.vertices},
             {"nonzeros", q.nonzeros},
             {"boundary", q.boundary},
             {"remote", q.remote}});
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
  command->add_option("--method", arguments->method, "Partitioner (`haloscope methods`)")
      ->capture_default_str();
  command->add_option("--path", arguments->path, "For --method file: the part of each vertex, one a line");
  command
      ->add_option("--imbalance", arguments->request.imbalance,
                   "By how much the largest part may exceed the mean")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 10.0));
  command->add_option("--seed", arguments->request.seed, "Of the partitioner")->capture_default_str();
  command->add_option("--scale", arguments->dataset.scale, "Generated data sets: share of the published size")
      ->check(CLI::Range(1e-6, 1.0));
  command->add_option("--format", arguments->dataset.format, "Of the data set; found out if absent");
  command->add_flag("--directed", arguments->dataset.directed, "Arcs as they are");
  command->add_option("-o,--output", arguments->output, "Also write the part of each vertex, one a line");
  command->callback([&common, &action, arguments] {
    action = [&common, arguments] { return partitionCommand(common, *arguments); };
  });
}

}  // namespace halo
