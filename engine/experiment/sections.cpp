#include <limits>

#include "engine/experiment/experiment.h"

namespace halo {
namespace {

constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view kNormalize[] = {"none", "row"};
constexpr Parameter kDataset[] = {
    {"name", "an entry of the catalogue (`haloscope dataset list`)", Text{"karate"}},
    {"path", "instead of a name: a file or folder, relative to the experiment file", Text{""}},
    {"format", "of the path, one of `haloscope dataset list`; empty: found out", Text{""}},
    {"scale", "generated data sets only: share of the published vertex count", Real{1.0, 1e-6, 1.0}},
    {"directed", "take arcs as they are instead of adding every inverse arc", Flag{false}},
    {"normalize_features", "divide each vertex's features by their sum", Choice{"none", kNormalize}},
    {"features", "file of features that replaces the data set's own", Text{""}},
    {"labels", "file of labels that replaces the data set's own", Text{""}},
    {"split", "file of split marks that replaces the data set's own", Text{""}},
    {"seed", "of whatever is generated: graph, features, labels, split", Integer{1, 0, kMany}},
    {"memory_limit_gib", "memory that reading may take; 0: what is free and what the files justify",
     Real{0.0, 0.0, 100'000.0}},
};

constexpr std::string_view kNorms[] = {"none", "layer"};
constexpr std::string_view kOrders[] = {"aggregate-first", "update-first", "auto"};
constexpr std::string_view kDropoutPositions[] = {"before-aggregation", "after-aggregation"};
constexpr Parameter kModel[] = {
    {"kind", "layer kind (`haloscope methods`)", Text{"gcn"}},
    {"layers", "number of convolutions", Integer{2, 1, 1000}},
    {"hidden", "width between layers", Integer{16, 1, 1'000'000}},
    {"dropout", "share of the inputs of each layer that is dropped", Real{0.0, 0.0, 0.999}},
    {"dropout_position", "on the inputs of a layer, or on what it aggregated of them",
     Choice{"before-aggregation", kDropoutPositions}},
    {"norm", "between convolution and activation", Choice{"none", kNorms}},
    {"order",
     "of aggregation and update in a layer; auto: the cheaper by widths, or the method's own (methods.md)",
     Choice{"auto", kOrders}},
    {"learn_epsilon", "train the weight of a vertex's own row (gin)", Flag{false}},
    {"heads", "of the attention: side by side between layers, averaged at the end (gat)", Integer{8, 1, 256}},
};

constexpr std::string_view kOptimizers[] = {"adam", "sgd"};
constexpr std::string_view kLosses[] = {"auto", "softmax", "sigmoid"};
constexpr Parameter kTraining[] = {
    {"epochs", "passes over the training vertices", Integer{200, 1, 1'000'000'000}},
    {"optimizer", "how gradients become updates", Choice{"adam", kOptimizers}},
    {"learning_rate", "step of the optimizer", Real{0.01, 0.0, 1000.0}},
    {"weight_decay", "L2 penalty added to the gradient", Real{0.0, 0.0, 1000.0}},
    {"loss", "auto: sigmoid for several labels a vertex, else softmax", Choice{"auto", kLosses}},
    {"seed", "of initial weights and dropout; repeats count up from it", Integer{1, 0, kMany}},
    {"evaluate_every", "epochs between two evaluations", Integer{1, 1, 1'000'000'000}},
    {"initial_weights", "an .npz to start from, relative to the experiment file; empty: drawn from the seed",
     Text{""}},
    {"repeat", "independent seeds; reports give mean and standard deviation", Integer{1, 1, 10'000}},
};

constexpr std::string_view kLaunchers[] = {"local", "hosts", "slurm"};
constexpr Parameter kCluster[] = {
    {"workers", "MPI ranks", Integer{1, 1, 65'536}},
    {"threads", "OpenMP threads a rank; 0: cores / ranks on that host", Integer{1, 0, 4096}},
    {"launcher", "where ranks start: this machine, over ssh, in a Slurm allocation",
     Choice{"local", kLaunchers}},
    {"hosts", "list of \"name\" or \"name:ranks\", for launcher \"hosts\"", Text{""}},
    {"link",
     "emulated interconnect: none, a preset, or { bandwidth_gbit = 10.0, latency_us = 20.0 } (staging_gbit: "
     "copies to and from a device; per = \"host\", ranks_per_host: ranks that share a card)",
     Text{"none"}},
    {"silence_s", "a rank that is not heard of for so many seconds ends the run; 0: never",
     Integer{900, 0, 31'536'000}},
    {"wire",
     "what the network between real hosts carries, as `haloscope doctor HOST HOST` measures it; for "
     "reports and checks alone",
     Text{"none"}},
};

constexpr Parameter kPartition[] = {
    {"method", "partitioner (`haloscope methods`)", Text{"metis"}},
    {"imbalance", "by how much the largest part may exceed the mean", Real{0.03, 0.0, 10.0}},
};

constexpr Parameter kRecord[] = {
    {"spans", "all, none, or every N epochs", Text{"all"}},
    {"staleness", "probe the staleness error every N epochs; 0: never", Integer{10, 0, 1'000'000'000}},
};

}  // namespace

const std::vector<Declaration>& sections() {
  static const std::vector<Declaration> all = {
      {"dataset", "what is trained on", "", kDataset},
      {"model", "what is trained", "", kModel},
      {"training", "how it is trained", "", kTraining},
      {"cluster", "who trains, and over which links", "", kCluster},
      {"partition", "who owns which vertex; the partitioner's own keys stand here too", "", kPartition},
      {"record", "what is kept besides the metrics", "", kRecord},
  };
  return all;
}

}  // namespace halo
