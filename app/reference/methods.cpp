// Pieces of training methods, layer kinds, partitioners and file formats.
#include <fmt/format.h>

#include <algorithm>

#include "app/reference/piece.h"
#include "datasets/contract/format.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/layer.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

/// Whether it gives what one worker gives: "yes", "no", "with `bits = "32"`".
std::string exactness(const MethodEntry& method) {
  std::vector<std::string> with;
  for (const auto& [key, value] : method.exactWith)
    with.push_back(fmt::format("`{} = {}`", key, toText(value)));
  if (with.empty()) return method.exact ? "yes" : "no";
  return fmt::format("with {}", fmt::join(with, " and "));
}

std::string orderOf(const MethodEntry& method) {
  const std::string_view order = method.aggregatesFirst ? "aggregate-first" : method.autoOrder;
  return order == "auto" ? "the cheaper by widths" : std::string(order);
}

std::string workersOf(const MethodEntry& method) {
  if (!method.distributed) return "exactly 1";
  return fmt::format("at least {}", method.fewestWorkers);
}

std::string layer0Of(const MethodEntry& method) {
  if (method.alwaysCachesLayer0) return "always kept";
  const auto& parameters = method.declaration.parameters;
  const bool may = std::ranges::find(parameters, "layer0_cache", &Parameter::key) != parameters.end();
  return may ? "kept with `layer0_cache`" : "made in every epoch";
}

std::string factsOf(const MethodEntry& method) {
  return item("In short", method.declaration.help) + item("Same numbers as one worker", exactness(method)) +
         item("Workers", workersOf(method)) + item("`model.order = \"auto\"`", orderOf(method)) +
         item("Layer 0's aggregate", layer0Of(method)) + item("Trains `gat`", method.attends ? "yes" : "no") +
         item("Source", method.declaration.source);
}

/// In a list of all of a kind: a link to its page, what it is, where it comes from.
std::vector<std::string> listed(const Declaration& declaration, const std::string& folder) {
  return {fmt::format("[`{}`]({}{}.md)", declaration.name, folder, declaration.name),
          std::string(declaration.help), std::string(declaration.source)};
}

std::string_view matrixOf(Propagation propagation) {
  switch (propagation) {
    case Propagation::symmetric:
      return "`D_in^-1/2 (A + I) D_out^-1/2`";
    case Propagation::mean:
      return "rows of A over their length";
    case Propagation::ownMean:
      return "rows of A + I over their length";
    case Propagation::sum:
      return "A";
    case Propagation::attention:
      return "the pattern of A + I, its values made of the rows";
  }
  return "";
}

}  // namespace

void addMethods(Pieces& pieces) {
  const std::filesystem::path folder = "reference/methods";
  MarkdownTable all({"method", "what it does", "same numbers as one worker", "source"});
  for (const auto& [name, method] : registry<MethodEntry>()) {
    const std::filesystem::path page = folder / (name + ".md");
    pieces["method " + name] = {page, code(name), factsOf(method)};
    pieces["parameters method " + name] = {page, code(name), parameterTable(method.declaration.parameters)};
    if (!method.figures.empty())
      pieces["metrics method " + name] = {page, code(name), metricTable(method.figures, "../metrics/")};
    const auto cells = listed(method.declaration, "");
    all.add({cells[0], cells[1], exactness(method), cells[2]});
  }
  pieces["methods"] = {folder / "index.md", "Methods", all.text()};
}

void addLayers(Pieces& pieces) {
  const std::filesystem::path folder = "reference/layers";
  MarkdownTable all({"kind", "what a vertex takes", "source"});
  for (const auto& [name, layer] : registry<LayerEntry>()) {
    std::vector<std::string> methods;
    const bool attends = layer.propagation == Propagation::attention;
    for (const auto& [method, entry] : registry<MethodEntry>())
      if (entry.attends || !attends) methods.push_back(code(method));
    const std::string by = attends ? fmt::format("{}", fmt::join(methods, ", ")) : "all methods";
    const std::string facts = item("A vertex takes", layer.declaration.help) +
                              item("Propagates with", matrixOf(layer.propagation)) +
                              item("A product of a vertex's own row", layer.ownProduct ? "yes" : "no") +
                              item("A second product of what comes out", layer.secondProduct ? "yes" : "no") +
                              item("Trained by", by) + item("Source", layer.declaration.source);
    const std::filesystem::path page = folder / (name + ".md");
    pieces["layer " + name] = {page, code(name), facts};
    pieces["parameters layer " + name] = {page, code(name), parameterTable(layer.declaration.parameters)};
    all.add(listed(layer.declaration, ""));
  }
  pieces["layers"] = {folder / "index.md", "Layer kinds", all.text()};
}

void addPartitioners(Pieces& pieces) {
  const std::filesystem::path folder = "reference/partitioners";
  MarkdownTable all({"partitioner", "what it does", "source"});
  for (const auto& [name, partitioner] : registry<PartitionerEntry>()) {
    const std::string facts = item("Gives", partitioner.declaration.help) +
                              item("Divides", partitioner.placeArcs != nullptr ? "arcs" : "vertices") +
                              item("Source", partitioner.declaration.source);
    const std::filesystem::path page = folder / (name + ".md");
    pieces["partitioner " + name] = {page, code(name), facts};
    pieces["parameters partitioner " + name] = {page, code(name),
                                                parameterTable(partitioner.declaration.parameters)};
    all.add(listed(partitioner.declaration, ""));
  }
  pieces["partitioners"] = {folder / "index.md", "Partitioners", all.text()};
}

void addFormats(Pieces& pieces) {
  const std::filesystem::path folder = "reference/data/formats";
  MarkdownTable all({"format", "what it is", "source"});
  for (const auto& [name, format] : registry<FormatEntry>()) {
    const std::string files = format.folderSign != nullptr
                                  ? fmt::format("several in a folder, known by `{}`", format.folderSign)
                              : format.sets != nullptr ? "several with a name in common"
                                                       : "one";
    const std::string facts =
        item("What it is", format.declaration.help) + item("Files", files) +
        item("Labels in a file beside it", format.labelsBeside ? "yes" : "no") +
        item("Known by", format.doubt != nullptr ? "the shape of its lines" : "a sign of its own") +
        item("Large files are streamed", format.streams ? "yes" : "no") +
        item("Place among forms that lie side by side",
             fmt::format("{}, the smallest is tried first", format.priority)) +
        item("Source", format.declaration.source);
    pieces["format " + name] = {folder / (name + ".md"), code(name), facts};
    all.add(listed(format.declaration, ""));
  }
  pieces["formats"] = {folder / "index.md", "File formats", all.text()};
}

}  // namespace halo
