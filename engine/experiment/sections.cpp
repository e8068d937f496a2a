// Every key of the sections. To add one: a member with its default in experiment.h, and a row here.
#include <fmt/format.h>

#include <limits>

#include "datasets/catalogue.h"
#include "datasets/contract/format.h"
#include "engine/experiment/document.h"

namespace halo {
namespace {

constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();

template <auto part, auto member>
Member in(RunSettings& run) {
  return &(run.*part.*member);
}
template <auto part, auto member>
Member fileIn(RunSettings& run) {
  return FileName{&(run.*part.*member)};
}

template <auto member>
constexpr auto dataset = in<&RunSettings::dataset, member>;
template <auto member>
constexpr auto model = in<&RunSettings::model, member>;
template <auto member>
constexpr auto training = in<&RunSettings::training, member>;
template <auto member>
constexpr auto cluster = in<&RunSettings::cluster, member>;
template <auto member>
constexpr auto partition = in<&RunSettings::partition, member>;
template <auto member>
constexpr auto record = in<&RunSettings::record, member>;

std::string notCatalogued(const std::string& name) {
  if (catalogued(name) != nullptr) return "";
  const auto names = namesOf(catalogue(), &CatalogueEntry::name);
  return fmt::format(
      "'{}' is not in the catalogue; {}", name,
      suggestion(name, names, "`haloscope dataset list` shows it, and dataset.path names files"));
}

std::string noFormat(const std::string& name) {
  if (name.empty()) return "";
  std::vector<Declaration> formats;
  for (const auto& [key, entry] : registry<FormatEntry>()) formats.push_back(entry.declaration);
  return notAmong(formats, name, "a format");
}

constexpr Parameter kGeneral[] = {
    {"name", "what the experiment is called", Text{""}},
    {"tags", "words to find it by, as a list such as [\"staleness\", \"reddit\"]", Text{""}},
    {"notes", "whatever a reader should know", Text{""}},
};

constexpr Key kRun[] = {
    {{"method", "how the workers train together", Text{}},
     [](RunSettings& run) -> Member { return &run.method; },
     {"a method", &Known::methods}},
};

constexpr std::string_view kNormalize[] = {"none", "row"};
constexpr Key kDataset[] = {
    {{"name", "an entry of the catalogue (`haloscope dataset list`)", Text{"karate"}},
     dataset<&DatasetRequest::name>,
     {},
     notCatalogued},
    {{"path", "instead of a name: a file or folder, relative to the experiment file", Text{}}},
    {{"format", "of the path, one of `haloscope dataset list`; empty: found out", Text{}},
     dataset<&DatasetRequest::format>,
     {},
     noFormat},
    {{"scale", "generated data sets only: share of the published vertex count",
      Real{.low = 1e-6, .high = 1.0}},
     dataset<&DatasetRequest::scale>},
    {{"directed", "take arcs as they are instead of adding every inverse arc", Flag{}},
     dataset<&DatasetRequest::directed>},
    {{"normalize_features", "divide each vertex's features by their sum", Choice{.options = kNormalize}},
     dataset<&DatasetRequest::normalizeFeatures>},
    {{"features", "file of features that replaces the data set's own", Text{}},
     fileIn<&RunSettings::dataset, &DatasetRequest::features>},
    {{"labels", "file of labels that replaces the data set's own", Text{}},
     fileIn<&RunSettings::dataset, &DatasetRequest::labels>},
    {{"split", "file of split marks that replaces the data set's own", Text{}},
     fileIn<&RunSettings::dataset, &DatasetRequest::split>},
    {{"seed", "of whatever is generated: graph, features, labels, split", Integer{.low = 0, .high = kMany}},
     dataset<&DatasetRequest::seed>},
    {{"map_features",
      "of mini-batches: workers of a host share one copy of the features, in the file that `haloscope "
      "dataset "
      "map` makes",
      Flag{}},
     dataset<&DatasetRequest::mapFeatures>},
    {{"memory_limit_gib", "memory that reading may take; 0: what is free and what the files justify",
      Real{.low = 0.0, .high = 100'000.0}},
     dataset<&DatasetRequest::memoryLimitGib>},
};

constexpr std::string_view kNorms[] = {"none", "layer"};
constexpr std::string_view kOrders[] = {"aggregate-first", "update-first", "auto"};
constexpr std::string_view kDropoutPositions[] = {"before-aggregation", "after-aggregation"};
constexpr Key kModel[] = {
    {{"kind", "layer kind (`haloscope methods`)", Text{}},
     model<&ModelSettings::kind>,
     {"a layer kind", &Known::layers}},
    {{"layers", "number of convolutions", Integer{.low = 1, .high = 1000}}, model<&ModelSettings::layers>},
    {{"hidden", "width between layers", Integer{.low = 1, .high = 1'000'000}}, model<&ModelSettings::hidden>},
    {{"dropout", "share of the inputs of each layer that is dropped", Real{.low = 0.0, .high = 0.999}},
     model<&ModelSettings::dropout>},
    {{"dropout_position", "on the inputs of a layer, or on what it aggregated of them",
      Choice{.options = kDropoutPositions}},
     model<&ModelSettings::dropoutPosition>},
    {{"norm", "between convolution and activation", Choice{.options = kNorms}}, model<&ModelSettings::norm>},
    {{"order", "of aggregation and update in a layer; auto: the cheaper by widths, or the method's own",
      Choice{.options = kOrders}},
     model<&ModelSettings::order>},
    {{"learn_epsilon", "train the weight of a vertex's own row (gin)", Flag{}},
     model<&ModelSettings::learnEpsilon>},
    {{"heads", "of the attention: side by side between layers, averaged at the end (gat)",
      Integer{.low = 1, .high = 256}},
     model<&ModelSettings::heads>},
};

constexpr std::string_view kOptimizers[] = {"adam", "sgd"};
constexpr std::string_view kLosses[] = {"auto", "softmax", "sigmoid"};
constexpr Key kTraining[] = {
    {{"epochs", "passes over the training vertices", Integer{.low = 1, .high = 1'000'000'000}},
     training<&TrainingSettings::epochs>},
    {{"optimizer", "how gradients become updates", Choice{.options = kOptimizers}},
     training<&TrainingSettings::optimizer>},
    {{"learning_rate", "step of the optimizer", Real{.low = 0.0, .high = 1000.0}},
     training<&TrainingSettings::learningRate>},
    {{"weight_decay", "L2 penalty added to the gradient", Real{.low = 0.0, .high = 1000.0}},
     training<&TrainingSettings::weightDecay>},
    {{"loss", "auto: sigmoid for several labels a vertex, else softmax", Choice{.options = kLosses}},
     training<&TrainingSettings::loss>},
    {{"seed", "of initial weights and dropout; repeats count up from it", Integer{.low = 0, .high = kMany}},
     training<&TrainingSettings::seed>},
    {{"evaluate_every", "epochs between two evaluations", Integer{.low = 1, .high = 1'000'000'000}},
     training<&TrainingSettings::evaluateEvery>},
    {{"initial_weights", "an .npz to start from, relative to the experiment file; empty: drawn from the seed",
      Text{}},
     fileIn<&RunSettings::training, &TrainingSettings::initialWeights>},
    {{"repeat", "independent seeds; reports give mean and standard deviation",
      Integer{.low = 1, .high = 10'000}},
     training<&TrainingSettings::repeat>},
};

constexpr std::string_view kLaunchers[] = {"local", "hosts", "slurm"};
constexpr Key kCluster[] = {
    {{"workers", "MPI ranks", Integer{.low = 1, .high = 65'536}}, cluster<&ClusterSettings::workers>},
    {{"threads", "OpenMP threads a rank; 0: cores / ranks on that host", Integer{.low = 0, .high = 4096}},
     cluster<&ClusterSettings::threads>},
    {{"launcher", "where ranks start: this machine, over ssh, in a Slurm allocation",
      Choice{.options = kLaunchers}},
     cluster<&ClusterSettings::launcher>},
    {{"hosts", "list of \"name\" or \"name:ranks\", filled in this order, for launcher \"hosts\"", Text{}},
     cluster<&ClusterSettings::hosts>},
    {{"link",
      "emulated interconnect: none, a preset, or { bandwidth_gbit = 10.0, latency_us = 20.0 } (staging_gbit: "
      "copies to and from a device; per = \"host\", ranks_per_host: ranks that share a card)",
      Text{}},
     cluster<&ClusterSettings::link>},
    {{"silence_s", "a rank that is not heard of for so many seconds ends the run; 0: never",
      Integer{.low = 0, .high = 31'536'000}},
     cluster<&ClusterSettings::silenceS>},
    {{"wire",
      "what the network between real hosts carries, as `haloscope doctor HOST HOST` measures it; for reports "
      "and checks alone",
      Text{}},
     cluster<&ClusterSettings::wire>},
};

constexpr Key kPartition[] = {
    {{"method", "partitioner (`haloscope methods`)", Text{}},
     partition<&PartitionSettings::method>,
     {"a partitioner", &Known::partitioners}},
    {{"imbalance", "by how much the largest part may exceed the mean", Real{.low = 0.0, .high = 10.0}},
     partition<&PartitionSettings::imbalance>},
};

constexpr Key kRecord[] = {
    {{"spans", "all, none, or every N epochs", Text{}},
     [](RunSettings& run) -> Member {
       return RecordStep{&run.record.spansEvery, StepOf::epochs};
     }},
    {{"iterations", "of mini-batches: auto (20 000 of a run), all, none, or every N iterations", Text{}},
     [](RunSettings& run) -> Member {
       return RecordStep{&run.record.iterationsEvery, StepOf::iterations};
     }},
    {{"staleness", "probe the staleness error every N epochs; 0: never",
      Integer{.low = 0, .high = 1'000'000'000}},
     record<&RecordSettings::staleness>},
    {{"checkpoint_s",
      "of mini-batches: seconds between checkpoints that `--resume` goes on from; 0: only as a run is "
      "stopped",
      Integer{.low = 0, .high = 1'000'000}},
     record<&RecordSettings::checkpointS>},
};

constexpr SectionRows kSections[] = {
    {"dataset", "what is trained on", kDataset},
    {"model", "what is trained", kModel},
    {"training", "how it is trained", kTraining},
    {"cluster", "who trains, and over which links", kCluster},
    {"partition", "who owns which vertex; the partitioner's own keys stand here too", kPartition},
    {"record", "what is kept besides the metrics", kRecord},
};

/// Every section, and the declarations of all: those of sections() lie side by side.
struct Declared {
  Declared() {
    for (const SectionRows& rows : kSections) add(rows);
  }
  void add(const SectionRows& rows) { declarations.push_back(sections.emplace_back(rows).declaration); }
  void drop() {
    declarations.pop_back();
    sections.pop_back();
  }

  std::deque<Section> sections;
  std::vector<Declaration> declarations;
};

Declared& declared() {
  static Declared all;
  return all;
}

}  // namespace

std::span<const Parameter> generalKeys() { return kGeneral; }
const std::vector<Declaration>& sections() { return declared().declarations; }
const std::deque<Section>& keyedSections() { return declared().sections; }

const Section& runSection() {
  static const Section run(SectionRows{"run", "", kRun});
  return run;
}

AddedSection::AddedSection(const SectionRows& rows) { declared().add(rows); }
AddedSection::~AddedSection() { declared().drop(); }

}  // namespace halo
