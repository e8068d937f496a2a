#include "simulator/cluster/machines/machine_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/whole_number.h"
#include "engine/experiment/figure_file.h"
#include "simulator/cluster/machines/topology.h"

namespace halo::cluster {
namespace {

constexpr std::string_view kTopologies[] = {"crossbar", "fat-tree", "torus", "dragonfly"};
constexpr std::string_view kProgress[] = {"hardware", "poll", "none"};
constexpr std::string_view kMessageOrders[] = {"next-first", "ascending"};
constexpr double kMostLinks = 1e15;  // engine flows numbers them
constexpr double kMost = 1e9;        // of a time in us or ns
constexpr double kLeast = 1e-6;      // of a rate: none is zero
constexpr std::size_t kMostDims = 6;
constexpr Text kWords{""};

constexpr Parameter kFigures[] = {
    {"nodes", "of the machine", wholeFigure(1, 10'000'000)},
    {"ranks_per_node", "workers on a node", wholeFigure(1, 4096)},
    {"cores_per_node", "that its workers share when they compute; 0: a worker has what it needs",
     wholeFigure(0, 4096)},
    {"memory_gb_per_rank", "what a worker may keep; 0: not limited", realFigure(0, 1e6)},
    {"message_order", "in which a worker's messages leave: to the workers after it first, or ascending",
     wordFigure(kMessageOrders)},
    {"start_us", "of a worker's side, each message between nodes besides its bytes", realFigure(0, kMost)},
    {"wire_us", "from side to side between nodes", realFigure(0, kMost)},
    {"send_overhead_us", "of the processor, a message sent to another node", realFigure(0, kMost)},
    {"receive_overhead_us", "of the processor, a message received from another node", realFigure(0, kMost)},
    {"gb_per_s", "one direction of a node, of its workers together", realFigure(kLeast, kMost)},
    {"local_start_us", "the same within a node", realFigure(0, kMost)},
    {"local_wire_us", "the same within a node", realFigure(0, kMost)},
    {"local_send_overhead_us", "the same within a node", realFigure(0, kMost)},
    {"local_receive_overhead_us", "the same within a node", realFigure(0, kMost)},
    {"local_gb_per_s", "one direction of each worker within a node", realFigure(kLeast, kMost)},
    {"staging_out_gb_per_s", "device to host, where messages need that; 0: they do not",
     realFigure(0, kMost)},
    {"staging_in_gb_per_s", "host to device; 0: not needed", realFigure(0, kMost)},
    {"kernel_start_us", "of every kernel", realFigure(0, kMost)},
    {"entry_ns", "sparse, a stored entry, however many its elements", realFigure(0, kMost)},
    {"entry_element_ns", "sparse, an element of a stored entry", realFigure(0, kMost)},
    {"row_element_ns", "sparse, an element of a row", realFigure(0, kMost)},
    {"dense_gflops", "of products with weights", realFigure(kLeast, kMost)},
    {"copy_gb_per_s", "read and written by packing and coding", realFigure(kLeast, kMost)},
    {"overlap_slowdown", "of work while the worker's transfers are under way", realFigure(1, 100)},
    {"noise_sigma", "of the logarithm of times: stragglers", realFigure(0, 3)},
    {"topology", "how nodes are joined", wordFigure(kTopologies)},
    {"dims", "of a torus, as \"4x4x2\"", kWords},
    {"link_gb_per_s", "one direction of a link between switches", realFigure(0, kMost)},
    {"nodes_per_switch", "of a leaf or router", wholeFigure(1, 4096)},
    {"levels", "of a fat tree", wholeFigure(1, 4)},
    {"oversubscription", "of each level of a fat tree", realFigure(1, 64)},
    {"routers_per_group", "of a dragonfly", wholeFigure(1, 4096)},
    {"global_links", "between two groups of a dragonfly", wholeFigure(1, 4096)},
    {"message_copy_gb_per_s",
     "of messages, copied by the processor of either side while it waits; 0: by the network",
     realFigure(0, kMost)},
    {"progress", "when transfers advance: always, at polls, in waits only", wordFigure(kProgress)},
    {"poll_us", "between two polls; 0 without", realFigure(0, kMost)},
    {"allreduce", "algorithms by the KB of a worker's share, as \"recursive-doubling to 16, ring\"", kWords},
    {"broadcast", "the same of a block", kWords},
    {"alltoall", "the same of what a worker sends to all", kWords},
    {"allgather", "the same of what a worker gives", kWords},
};
constexpr std::array<std::pair<const char*, Collective>, 4> kCollectives = {
    {{"allreduce", Collective::allReduce},
     {"broadcast", Collective::broadcast},
     {"alltoall", Collective::allToAll},
     {"allgather", Collective::allGather}}};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, end = 0; end != std::string::npos && !text.empty(); from = end + 1) {
    end = text.find(by, from);
    parts.push_back(trimmed(std::string_view(text).substr(from, end - from)));
  }
  return parts;
}

std::optional<double> numberOf(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

/// "4x4x2"; nothing if it is not that.
std::optional<std::vector<std::int64_t>> dimsOf(const std::string& text) {
  std::vector<std::int64_t> dims;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::int64_t size = 0;
    if (!takeWhole(rest, size) || size < 1 || size > 10'000'000) return std::nullopt;
    dims.push_back(size);
    if (rest.empty()) break;
    if (rest.front() != 'x' || rest.size() == 1) return std::nullopt;
    rest.remove_prefix(1);
  }
  return dims.size() <= kMostDims ? std::optional(dims) : std::nullopt;
}

/// "recursive-doubling to 16, ring"; what is wrong in `why`.
std::vector<CollectiveChoice> choicesOf(Collective operation, const std::string& text, std::string& why) {
  const auto& algorithms = algorithmsOf(operation);
  std::vector<CollectiveChoice> choices;
  const auto wrong = [&](std::string message) {
    if (why.empty()) why = std::move(message);
  };
  for (const std::string& part : split(text, ',')) {
    const auto to = part.find(" to ");
    CollectiveChoice choice{operation, part.substr(0, to), 0};
    if (std::ranges::find(algorithms, choice.algorithm) == algorithms.end())
      wrong(fmt::format("'{}' cannot be used; {}", choice.algorithm, fmt::join(algorithms, " ")));
    if (to != std::string::npos) {
      const auto kb = numberOf(trimmed(part.substr(to + 4)));
      if (!kb || !(*kb > 0)) wrong(fmt::format("'{}' has no size in KB above 0", part));
      choice.upToKb = kb.value_or(0);
    }
    if (!choices.empty() && choices.back().upToKb == 0) wrong("goes on after one that is for any size");
    choices.push_back(std::move(choice));
  }
  if (choices.empty() || choices.back().upToKb != 0)
    wrong(fmt::format("needs an algorithm for any size at its end; {}", fmt::join(algorithms, " ")));
  return choices;
}

template <class Enum, std::size_t n>
Enum indexIn(const std::string_view (&words)[n], const std::string& word) {
  return static_cast<Enum>(std::ranges::find(words, word) - std::begin(words));
}

/// Of several figures: the weakest origin, and every source once.
Provenance provenanceOf(const std::map<std::string, std::string>& sources,
                        std::initializer_list<const char*> keys) {
  constexpr std::string_view kOrigins[] = {"published", "measured", "derived", "assumed"};
  std::size_t weakest = 0;
  std::vector<std::string> citations;
  for (const char* key : keys) {
    const auto source = sources.find(key);
    if (source == sources.end()) continue;
    const auto colon = source->second.find(": ");
    const auto origin = std::ranges::find(kOrigins, std::string_view(source->second).substr(0, colon));
    weakest = std::max(weakest, at(origin - std::begin(kOrigins)));
    std::string text = colon == std::string::npos ? source->second : source->second.substr(colon + 2);
    if (std::ranges::find(citations, text) == citations.end()) citations.push_back(std::move(text));
  }
  return {std::string(kOrigins[std::min(weakest, std::size(kOrigins) - 1)]),
          fmt::format("{}", fmt::join(citations, "; "))};
}

Topology topologyOf(const Values& figures, const std::map<std::string, std::string>& sources) {
  Topology topology;
  topology.kind = indexIn<TopologyKind>(kTopologies, figures.text("topology"));
  topology.linkGbPerS = figures.real("link_gb_per_s");
  topology.dims = dimsOf(figures.text("dims")).value();
  topology.nodesPerSwitch = figures.integer("nodes_per_switch");
  topology.levels = figures.integer("levels");
  topology.oversubscription = figures.real("oversubscription");
  topology.routersPerGroup = figures.integer("routers_per_group");
  topology.globalLinks = figures.integer("global_links");
  topology.from = provenanceOf(sources, {"topology", "link_gb_per_s"});
  return topology;
}

}  // namespace

const Declaration& machineDeclaration() {
  static const Declaration declaration{
      "loggp", "nodes of ranks, messages by start, wire and bandwidth, and work by rates",
      "resources/design/simulator.md, Clusters", kFigures};
  return declaration;
}

std::vector<Problem> machineProblems(const Values& figures) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = std::string("machine.") + key, .message = message});
  };
  const std::string& kind = figures.text("topology");
  const auto dims = dimsOf(figures.text("dims"));
  if (!dims)
    wrong("dims",
          fmt::format("'{}' cannot be used; one to six numbers from 1, as \"4x4x2\"", figures.text("dims")));
  else if ((kind == "torus") != !dims->empty())
    wrong("dims", "belongs to a torus, which needs it, and to no other");
  else if (!dims->empty()) {
    const auto places = std::accumulate(dims->begin(), dims->end(), 1.0, std::multiplies<>());
    if (places < static_cast<double>(figures.integer("nodes")))
      wrong("dims",
            fmt::format("hold {:.0f} nodes, and the machine has {}", places, figures.integer("nodes")));
  }
  if (problems.empty())
    if (const double links = linkCount(topologyOf(figures, {}), figures.integer("nodes")); links > kMostLinks)
      wrong(kind == "torus" ? "dims" : "nodes_per_switch",
            fmt::format("make a network of {:.3g} links; at most {:.0g}", links, kMostLinks));
  if (kind != "crossbar" && figures.real("link_gb_per_s") == 0)
    wrong("link_gb_per_s", "is 0; a " + kind + " has links");
  if ((figures.text("progress") == "poll") != (figures.real("poll_us") > 0))
    wrong("poll_us", "belongs to progress 'poll', which needs it, and to no other");
  if ((figures.real("staging_out_gb_per_s") > 0) != (figures.real("staging_in_gb_per_s") > 0))
    wrong("staging_in_gb_per_s", "messages are copied both ways, or not at all: both figures, or both 0");
  const std::int64_t cores = figures.integer("cores_per_node");
  if (cores > 0 && cores < figures.integer("ranks_per_node") && figures.real("overlap_slowdown") > 1)
    wrong("overlap_slowdown", "cannot be used where workers share cores (cores_per_node)");
  for (const auto& [key, operation] : kCollectives) {
    std::string why;
    choicesOf(operation, figures.text(key), why);
    if (!why.empty()) wrong(key, why);
  }
  return problems;
}

Machine machineOf(const std::string& name, const Values& figures,
                  const std::map<std::string, std::string>& sources) {
  HALO_CHECK(machineProblems(figures).empty());
  const auto real = [&](const std::string& key) { return figures.real(key); };
  Machine machine;
  machine.name = name;
  machine.nodes = figures.integer("nodes");
  machine.ranksPerNode = figures.integer("ranks_per_node");
  machine.coresPerNode = figures.integer("cores_per_node");
  machine.memoryGbPerRank = real("memory_gb_per_rank");
  machine.messageOrder = indexIn<MessageOrder>(kMessageOrders, figures.text("message_order"));
  const auto messages = [&](const std::string& local, Provenance from) {
    return MessageCosts{real(local + "start_us"),         real(local + "wire_us"),
                        real(local + "send_overhead_us"), real(local + "receive_overhead_us"),
                        real(local + "gb_per_s"),         std::move(from)};
  };
  machine.between = messages("", provenanceOf(sources, {"start_us", "wire_us", "send_overhead_us",
                                                        "receive_overhead_us", "gb_per_s"}));
  machine.within =
      messages("local_", provenanceOf(sources, {"local_start_us", "local_wire_us", "local_send_overhead_us",
                                                "local_receive_overhead_us", "local_gb_per_s"}));
  machine.staging = {real("staging_out_gb_per_s"), real("staging_in_gb_per_s"),
                     provenanceOf(sources, {"staging_out_gb_per_s", "staging_in_gb_per_s"})};
  machine.compute = {
      real("kernel_start_us"),
      real("entry_ns"),
      real("entry_element_ns"),
      real("row_element_ns"),
      real("dense_gflops"),
      real("copy_gb_per_s"),
      real("overlap_slowdown"),
      real("noise_sigma"),
      provenanceOf(sources, {"entry_element_ns", "row_element_ns", "dense_gflops", "copy_gb_per_s"})};
  machine.topology = topologyOf(figures, sources);
  machine.progress = indexIn<Progress>(kProgress, figures.text("progress"));
  machine.pollUs = real("poll_us");
  machine.messageCopyGbPerS = real("message_copy_gb_per_s");
  std::string none;
  for (const auto& [key, operation] : kCollectives)
    for (CollectiveChoice& choice : choicesOf(operation, figures.text(key), none))
      machine.collectives.push_back(std::move(choice));
  return machine;
}

Machine readMachine(const std::filesystem::path& file) {
  const FigureFile read = readFigureFile(file, "cluster", {machineDeclaration()});
  std::vector<Problem> problems = machineProblems(read.figures);
  for (Problem& problem : problems) {
    problem.file = file.string();
    problem.key.replace(0, std::string("machine").size(), "figures");
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return machineOf(file.stem().string(), read.figures, read.sources);
}

}  // namespace halo::cluster
