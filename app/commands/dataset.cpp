#include <fmt/format.h>

#include <algorithm>

#include "app/commands/command.h"
#include "app/commands/dataset_files.h"
#include "app/commands/dataset_info.h"
#include "app/commands/progress.h"
#include "app/report/table.h"
#include "datasets/catalogue.h"
#include "datasets/contract/format.h"
#include "datasets/generate/generate.h"
#include "datasets/graph/order.h"
#include "datasets/load.h"
#include "datasets/mapped_set.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

struct DatasetArguments {
  DatasetRequest request;
  std::string output, to, order = "given", normalize = "none";
};

int list(const Common& common) {
  Table table({"name", "kind", "vertices", "arcs", "features", "classes", "licence", "what it is"});
  for (const CatalogueEntry& e : catalogue()) {
    if (common.json)
      printJson({{"name", e.name},
                 {"kind", e.kind},
                 {"help", e.help},
                 {"vertices", e.vertices},
                 {"arcs", e.arcs},
                 {"features", e.features},
                 {"classes", e.classes},
                 {"multi_label", e.multiLabel},
                 {"source", e.source},
                 {"licence", e.licence}});
    table.add({e.name, e.kind, std::to_string(e.vertices), std::to_string(e.arcs), std::to_string(e.features),
               std::to_string(e.classes), e.licence, e.help});
  }
  if (common.json) return 0;
  print(table.text() + "\nFormats:");
  for (const auto& [name, entry] : registry<FormatEntry>()) print(" " + name);
  print("\n");
  return 0;
}

/// Loads the set and puts its vertices into the order asked for; says what was found while reading.
Dataset loadInOrder(const Common& common, const DatasetArguments& arguments) {
  Dataset dataset = loadDataset(arguments.request, ProgressBar(common).progress());
  if (arguments.order == "degree") dataset = reordered(dataset, degreeOrder(dataset.arcs));
  if (arguments.order == "rcm") dataset = reordered(dataset, rcmOrder(dataset.arcs));
  if (arguments.order == "random")
    dataset = reordered(dataset, randomOrder(dataset.vertices(), arguments.request.seed));
  return dataset;
}

int info(const Common& common, const DatasetArguments& arguments) {
  const Json json = infoOf(loadInOrder(common, arguments));
  if (common.json)
    printJson(json);
  else
    print(infoText(json));
  return 0;
}

/// The folders below the output are ours, and no links.
void refuseLinksOnTheWay(const std::vector<std::filesystem::path>& files,
                         const std::filesystem::path& output) {
  for (const std::filesystem::path& file : files) {
    std::filesystem::path folder = output;
    for (const auto& name : file.lexically_relative(output).parent_path()) refuseLink(folder /= name);
  }
}

int write(const Common& common, const DatasetArguments& arguments) {
  if (arguments.output.empty())
    throw InputError(Problem{.key = "--output", .message = "the name is empty; name a folder or a file"});
  const std::string format = arguments.to.empty() ? formatOf(arguments.output) : arguments.to;
  const Dataset dataset = loadInOrder(common, arguments);
  const std::vector<DatasetFile> files = datasetFiles(dataset, format, arguments.output);
  std::vector<std::filesystem::path> paths;
  for (const auto& [path, contents] : files) paths.push_back(path);
  refuseLinksOnTheWay(paths, arguments.output);
  refuseToOverwrite(paths, common.force);
  writeFiles(files);
  if (common.json)
    printJson({{"output", arguments.output},
               {"format", format},
               {"vertices", dataset.vertices()},
               {"arcs", dataset.arcs.nonzeros()}});
  else
    print(fmt::format("{}: {} vertices, {} arcs, as {}\n", arguments.output, dataset.vertices(),
                      dataset.arcs.nonzeros(), format));
  if (common.quiet) return 0;
  for (const std::string& remark : dataset.remarks) say(remark + "\n");
  for (const std::string& loss : lossesOf(dataset, format)) say(loss + "\n");
  return 0;
}

int mapCommand(const Common& common, DatasetArguments& arguments) {
  arguments.request.normalizeFeatures = arguments.normalize == "row";
  const std::filesystem::path file = convertForMapping(arguments.request, ProgressBar(common).progress());
  const DatasetShape shape = mappedShape(arguments.request);
  if (common.json)
    printJson({{"output", file.string()},
               {"features", shape.features},
               {"bytes", std::filesystem::file_size(file)}});
  else
    print(fmt::format("{}: {} bytes, for runs with dataset.map_features = true\n", file.string(),
                      std::filesystem::file_size(file)));
  if (common.quiet) return 0;
  for (const std::string& remark : shape.remarks) say(remark + "\n");
  return 0;
}

int generateCommand(const Common& common, const DatasetArguments& arguments) {
  std::vector<std::string> names;
  for (const GraphShape& shape : generatedShapes()) names.push_back(shape.name);
  if (std::ranges::find(names, arguments.request.name) != names.end()) return write(common, arguments);
  const std::string near = nearest(arguments.request.name, names);
  throw InputError({.key = "NAME",
                    .message = fmt::format("'{}' is not a generated data set; {}", arguments.request.name,
                                           near.empty() ? fmt::format("one of {}", fmt::join(names, " "))
                                                        : "did you mean '" + near + "'?")});
}

void addFiles(CLI::App* command, DatasetRequest& request) {
  command->add_option("--format", request.format, "Of the files; found out if absent")->type_name("FORMAT");
  command->add_flag("--directed", request.directed, "Arcs as they are, no inverse ones added");
}

void addSet(CLI::App* command, DatasetRequest& request, bool anyKind) {
  command
      ->add_option(
          anyKind ? "DATASET" : "NAME", request.name,
          anyKind ? "A name of the catalogue, a file or a folder" : "A generated data set of the catalogue")
      ->required();
  command->add_option("--scale", request.scale, "Generated data sets: share of the published vertex count")
      ->check(realWithin(1e-6, 1));
  command->add_option("--seed", request.seed, "Of whatever is generated")
      ->capture_default_str()
      ->check(seed());
}

void addRequest(CLI::App* command, DatasetArguments& arguments, bool anyKind) {
  addSet(command, arguments.request, anyKind);
  command
      ->add_option("--order", arguments.order,
                   "Of the vertices: as given, by falling degree, reverse Cuthill-McKee, at random")
      ->check(oneOf({"given", "degree", "rcm", "random"}))
      ->capture_default_str();
  if (anyKind) addFiles(command, arguments.request);
}

/// As the keys of [dataset] say what is mapped.
void addMap(CLI::App* command, DatasetArguments& arguments) {
  DatasetRequest& request = arguments.request;
  addSet(command, request, true);
  addFiles(command, request);
  command
      ->add_option("--normalize-features", arguments.normalize, "Divide each vertex's features by their sum")
      ->check(oneOf({"none", "row"}))
      ->capture_default_str();
  const auto add = [&](const char* option, std::string& file, const char* help) {
    command->add_option(option, file, help)->type_name("PATH");
  };
  add("--features", request.features, "File of features instead of the set's own");
  add("--labels", request.labels, "File of labels instead of the set's own");
  add("--split", request.split, "File of split marks instead of the set's own");
}

}  // namespace

void addDataset(CLI::App& app, Common& common, Action& action) {
  auto* command =
      app.add_subcommand("dataset", "The catalogue of data sets; what a set holds; writes sets as files");
  command->require_subcommand(1);
  const auto arguments = std::make_shared<DatasetArguments>();
  command->add_subcommand("list", "The catalogue and the formats")->callback([&common, &action] {
    action = [&common] { return list(common); };
  });
  auto* infoCommand = command->add_subcommand("info", "What a data set holds");
  addRequest(infoCommand, *arguments, true);
  infoCommand->callback(
      [&common, &action, arguments] { action = [&common, arguments] { return info(common, *arguments); }; });

  auto* mapping = command->add_subcommand(
      "map", "Converts a data set for runs that map its features (dataset.map_features)");
  addMap(mapping, *arguments);
  mapping->callback([&common, &action, arguments] {
    action = [&common, arguments] { return mapCommand(common, *arguments); };
  });

  auto* generating = command->add_subcommand("generate", "Writes a generated data set as files");
  auto* converting = command->add_subcommand("convert", "Writes a data set in another format");
  addRequest(generating, *arguments, false);
  addRequest(converting, *arguments, true);
  for (auto* writing : {generating, converting}) {
    writing->add_option("-o,--output", arguments->output, "Folder (ogb), or file .mtx, .graph, .txt")
        ->required()
        ->type_name("PATH");
    writing->add_option("--to", arguments->to, "Format; by the output's name if absent")
        ->check(oneOf({"ogb", "edge-list", "matrix-market", "metis"}));
  }
  generating->callback([&common, &action, arguments] {
    action = [&common, arguments] { return generateCommand(common, *arguments); };
  });
  converting->callback(
      [&common, &action, arguments] { action = [&common, arguments] { return write(common, *arguments); }; });
}

}  // namespace halo
